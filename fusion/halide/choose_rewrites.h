#pragma once
/// Which rewrites a pipeline is planned with: decided by price, like all else.
#include <Halide.h>
#include <optional>
#include <utility>
#include <vector>

#include "fusion/halide/read_pipeline.h"
#include "fusion/options.h"
#include "fusion/plan.h"

namespace fusion {

struct Chosen {
    std::vector<Rewrite> rewrites;  ///< made in the pipeline
    Price unfused;                  ///< totals of the pipeline as it was, every stage a kernel of its own
};

/// A rewrite must be predicted to take this part of the time at most: predictions of kernels that reduce were 0.91 to 1.13 of
/// what was measured (variance_rows 4096 x 32768: predicted 0.91 with single-pass-variance, measured 1.03; H200, 2026-11-29).
inline constexpr double kLeastGain = 0.9;

/// Time that the fused plan of a pipeline is predicted to take; nothing where the estimates do not bound its regions.
std::optional<double> predicted_us(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                                   const Options &options);

/// Makes those rewrites of reductions that lower the predicted time, each tried on a copy first. Changes the pipeline.
Chosen choose_rewrites(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                       const Options &options);

/// The pipeline as it is planned: in the order of its loops under strict_float, else with what native math leaves to do.
std::pair<PipelineView, std::vector<Rewrite>> read_to_plan(const std::vector<Halide::Internal::Function> &outputs,
                                                           const Halide::Target &target, const Options &options);

}  // namespace fusion

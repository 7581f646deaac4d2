#pragma once
/// Which rewrites a pipeline is planned with: decided by price, like all else.
#include <Halide.h>
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

/// Makes those rewrites of reductions that lower the predicted time, each tried on a copy first. Changes the pipeline.
Chosen choose_rewrites(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                       const Options &options);

/// The pipeline as it is planned: in the order of its loops under strict_float, else with what native math leaves to do.
std::pair<PipelineView, std::vector<Rewrite>> read_to_plan(const std::vector<Halide::Internal::Function> &outputs,
                                                           const Halide::Target &target, const Options &options);

}  // namespace fusion

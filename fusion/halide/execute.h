#pragma once
/// Running a pipeline on data made for it, and comparing results.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/halide/read_pipeline.h"

namespace fusion {

/// What this machine can run: "cuda", "opencl" or "" for neither.
std::string device_api();

/// The host's target with the given API ("cuda", "opencl", or "" for the CPU alone).
Halide::Target target_for(const std::string &api);

/// Values that make float products exact in float32: multiples of 1/64 in [-1, 1); integers small and of both signs where
/// the type has them. The same seed gives the same data.
void fill(Halide::Buffer<> buffer, uint32_t seed);

struct Region {
    std::vector<int> min, extent;
};

/// Output buffers of the regions given, one a Func (Tuple elements share their Func's).
std::vector<Halide::Buffer<>> make_outputs(const std::vector<Halide::Internal::Function> &outputs,
                                           const std::vector<Region> &regions);

/// The regions that the estimates ask of the outputs.
std::vector<Region> estimated_regions(const PipelineView &view);

/// Largest difference, relative to the reference where that is over 1, and to the largest value of the reference where that
/// is below 1 (a softmax of long rows has none near it); infinity where only one is NaN.
double largest_difference(const Halide::Buffer<> &result, const Halide::Buffer<> &reference);

/// What rounding in another order may cost a type: 0 for integers.
/// `terms`: how many are added up.
double tolerance(const Halide::Type &type, double terms = 1);

/// Terms of the longest reduction, at the estimates.
double most_terms(const StageGraph &graph);

}  // namespace fusion

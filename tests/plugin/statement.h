#pragma once
/// The lowered statement of a pipeline, before kernels are split off it, as text that two pipelines can be compared by.
#include <Halide.h>

#include <string>
#include <vector>

namespace fusion::testing {

/// Without the numbers that Halide gives names through the whole process.
std::string statement_of(Halide::Pipeline pipeline, const std::vector<Halide::Argument> &arguments,
                         const Halide::Target &target);

}  // namespace fusion::testing

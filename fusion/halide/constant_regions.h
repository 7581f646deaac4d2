#pragma once
/// What a stage needs at most, however large the inputs and outputs of the pipeline are.
#include <Halide.h>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fusion {

/// Per Func, by its Halide name, and dimension: the places that its readers and its own updates may ask for, as numbers;
/// everything where that depends on sizes or parameters known only at run time. Functions: producers first.
using ConstantRegions = std::map<std::string, std::vector<Halide::Internal::Interval>>;
ConstantRegions constant_regions(const std::vector<Halide::Internal::Function> &functions,
                                 const std::vector<Halide::Internal::Function> &outputs,
                                 const Halide::Internal::FuncValueBounds &value_bounds);
/// The same of all that `outputs` reach.
ConstantRegions constant_regions(const std::vector<Halide::Internal::Function> &outputs);

/// Per Func, by its Halide name, and dimension: the largest extent that its readers and its own updates may ask for, or 0
/// where that depends on sizes or parameters known only at run time. Functions: producers first.
std::map<std::string, std::vector<int64_t>> constant_extents(const std::vector<Halide::Internal::Function> &functions,
                                                             const std::vector<Halide::Internal::Function> &outputs,
                                                             const Halide::Internal::FuncValueBounds &value_bounds);

}  // namespace fusion

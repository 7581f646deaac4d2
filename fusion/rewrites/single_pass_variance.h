#pragma once
/// A sum of squared differences from a value that needs a sum over the same points first, in one pass for both.
///
/// sum (x - m)^2 = sum x^2 - 2 m sum x + n m^2 for any m. In float32 the right side loses the digits that mean and spread
/// have in common; so both sums are kept in float64, where squares of float32 are exact: the result is as good as that of
/// two passes while mean^2 / variance stays below 10^9. Both sums are one Tuple reduction, which reads its input once.
/// Infinities and NaN give NaN, as in two passes.
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

/// Replaces every such pair of float32 sums in what `outputs` reach; returns the names of the second of each.
std::vector<std::string> use_single_pass_variance(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

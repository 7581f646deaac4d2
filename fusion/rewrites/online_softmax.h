#pragma once
/// A maximum along a row and the sum of exponentials about it, in one pass: a running maximum and a sum that is corrected
/// whenever the maximum rises.
///
/// Every so many elements of a row make a slice, whose maximum and sum a thread finds alone (`m`, `s`: one exponential an
/// element, since either the element or the sum is scaled by one); the row's are then max m and sum s * exp(m - max m), two
/// small reductions. Rows that hold NaN or +inf, or -inf alone, give NaN as in two passes. Finite rows: the same terms,
/// rescaled and added in another order. After Milakov and Gimelshein, "Online normalizer calculation for softmax", 2018.
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

/// Replaces every such pair of float32 reductions over one variable, of rows long enough to slice by the estimates, in what
/// `outputs` reach; returns the names of the sums.
std::vector<std::string> use_online_softmax(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

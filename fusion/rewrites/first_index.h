#pragma once
/// The place of a row's first (or last) largest or smallest element, as two reductions that any order of evaluation finds.
///
/// A Tuple of a value and where it was found, replaced where a comparison holds, depends on the order of its loop where
/// elements are equal. The extreme value itself does not, nor does the least index among the elements that equal it. The row
/// is walked twice; rows that fit the cache leave memory once. With NaN neither form says what it finds (Halide turns the
/// comparison into a minimum or maximum unless it is strict).
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

/// Replaces every such Tuple reduction over one variable in what `outputs` reach; returns the names of those replaced.
std::vector<std::string> use_first_index(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

#pragma once
/// Which dimension of a buffer is contiguous, as the user's constraints say.
#include <Halide.h>
#include <vector>

namespace fusion {

/// Dimensions from the one with stride 1 outwards. Constant stride constraints decide (an interleaved image has
/// stride 1 on its channels); without them the order is that of the dimensions. `buffer` may be undefined.
std::vector<int> memory_order_of(const Halide::Parameter &buffer, int dimensions);

}  // namespace fusion

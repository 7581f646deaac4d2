#pragma once
/// Indices such as y + 1 of what a thread's unrolled points read, kept in one piece.
#include <Halide.h>

#include <string>

namespace fusion {

/// Rewrites the Func's definitions so that Halide does not take apart the indices of inputs and of Funcs that are stored (their
/// compute_root comes first). It computes an offset's part of an address ahead of the kernel, (y + 1) * stride as y * stride +
/// 1 * stride, and then nothing shows that row -1 of the next point is row 0 of this one: 2 x 8 points of a window of 5 x 5 load
/// 240 values where 72 are unlike (PTX, Halide 21, 2026-11-30). A promise that says nothing, within all integers, is a wall.
/// Plain indices need it too, to be compared with the others. The values are the same, and so is what is asked for. Vectors are
/// no longer seen to be dense: for kernels without them.
void keep_indices_whole(Halide::Internal::Function f);

/// The same as C++ text: defines the mutator `WholeIndices` inside a function.
std::string whole_indices_source();

}  // namespace fusion

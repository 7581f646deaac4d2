#pragma once
/// What the hand schedules of row pipelines share.
#include "schedules/hand/hand.h"

namespace fusion {

/// Threads of the block that computes a row.
inline constexpr int kHandThreads = 256;

/// `f`, a reduction along rows whose update holds one RDom variable, computed by the block of `output` at its loop `row`:
/// each thread folds every 256th element in registers, sixteen threads fold those, one the rest.
void reduce_by_block(Halide::Func f, Halide::Func output, Halide::Var row);

/// `output` with a block a row, of any length; rows of the estimated length have loops of constant bounds.
void walk_by_block(Halide::Func output, const HandPipeline &pipeline, Halide::Var row);

}  // namespace fusion

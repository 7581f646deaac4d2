#pragma once
/// What the hand schedules of stencils share.
#include "schedules/hand/hand.h"

namespace fusion {

/// Loops and sizes of a kernel that walks an image in tiles, a tile a block.
struct Tiles {
    int columns;  ///< of a tile, which is as wide as the block
    int threads;  ///< of the block, below each other
    int points;   ///< below each other, that a thread computes
    Halide::Var tile{"tile"}, thread{"thread"}, column{"column"};

    int rows() const { return threads * points; }
};

/// `output` in such tiles. An image smaller than a tile takes a point a thread.
void walk_by_tiles(Halide::Func output, const HandPipeline &pipeline, const Tiles &tiles);

/// What `consumer` needs of `f` for a tile, at most width x height points, in shared memory: dealt out to all threads of the
/// block in one line, since its rows are not as long as the block is wide.
void stage_in_tile(Halide::Func f, Halide::Func consumer, const Tiles &tiles, int width, int height);

}  // namespace fusion

#include "schedules/hand/tiles.h"

namespace fusion {

using namespace Halide;

void walk_by_tiles(Func output, const HandPipeline &pipeline, const Tiles &tiles) {
    const Var x = output.args()[0], y = output.args()[1];
    Var columns("columns"), rows("rows"), row("row"), point("point");
    // With room for a whole tile the last one moves inwards, and no point needs a guard.
    const HandBuffer out = pipeline.output("output");
    output.specialize(out.extent(0) >= tiles.columns && out.extent(1) >= tiles.rows())
        .split(x, columns, tiles.column, tiles.columns, TailStrategy::ShiftInwards)
        .split(y, rows, row, tiles.rows(), TailStrategy::ShiftInwards)
        .split(row, tiles.thread, point, tiles.points)
        .reorder(point, tiles.column, tiles.thread, columns, rows)
        .unroll(point)
        .fuse(columns, rows, tiles.tile)
        .gpu_blocks(tiles.tile)
        .gpu_threads(tiles.column, tiles.thread);
    output.split(x, columns, tiles.column, tiles.columns, TailStrategy::GuardWithIf)
        .split(y, rows, tiles.thread, tiles.threads, TailStrategy::GuardWithIf)
        .reorder(tiles.column, tiles.thread, columns, rows)
        .fuse(columns, rows, tiles.tile)
        .gpu_blocks(tiles.tile)
        .gpu_threads(tiles.column, tiles.thread);
}

void stage_in_tile(Func f, Func consumer, const Tiles &tiles, int width, int height) {
    const Var x = f.args()[0], y = f.args()[1];
    Var place("place"), turn("turn"), thread("thread"), column("column");
    f.compute_at(consumer, tiles.tile)
        .fuse(x, y, place)
        .split(place, turn, place, tiles.columns * tiles.threads, TailStrategy::GuardWithIf)
        .split(place, thread, column, tiles.columns)
        .reorder(turn, column, thread)
        .gpu_threads(column, thread)
        // Without these a tile under a guard has no constant size, and Halide moves it to global memory.
        .bound_storage(x, width)
        .bound_storage(y, height);
}

}  // namespace fusion

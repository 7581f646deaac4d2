// One kernel that turns tiles of 64 x 64 in shared memory: a warp reads along the input's rows and writes along the
// output's. Rows of a tile are a word longer than they need be, so that reading down a column meets every bank.
#include "schedules/hand/hand.h"

namespace fusion {

using namespace Halide;

int schedule_transpose_sandwich(const HandPipeline &pipeline) {
    constexpr int kTile = 64, kRows = 4;  // 256 threads, each of them 16 rows of the tile
    Func before = pipeline.func("before"), output = pipeline.func("output");
    const Var x = output.args()[0], y = output.args()[1];
    const Var u = before.args()[0], v = before.args()[1];
    Var column("column"), row("row"), columns("columns"), rows("rows"), turn("turn"), thread("thread"), tile("tile");

    // turned stays inline: before is read transposed from the tile by the threads that write the output.
    const auto by_tiles = [&](Halide::Stage stage, TailStrategy tail) {
        stage.split(x, columns, column, kTile, tail)
            .split(y, rows, row, kTile, tail)
            .split(row, turn, thread, kRows)
            .reorder(turn, column, thread, columns, rows)
            .unroll(turn)
            .fuse(columns, rows, tile)
            .gpu_blocks(tile)
            .gpu_threads(column, thread);
    };
    // With room for a whole tile the last one moves inwards, and no point needs a guard.
    const HandBuffer out = pipeline.output("output");
    by_tiles(output.specialize(out.extent(0) >= kTile && out.extent(1) >= kTile), TailStrategy::ShiftInwards);
    by_tiles(output, TailStrategy::GuardWithIf);

    before.compute_at(output, tile)
        .split(v, turn, thread, kRows, TailStrategy::GuardWithIf)
        .reorder(turn, u, thread)
        .unroll(turn)
        .gpu_threads(u, thread)
        .align_storage(u, kTile + 1)
        // Without these a tile under a guard has no constant size, and Halide moves it to global memory.
        .bound_storage(u, kTile)
        .bound_storage(v, kTile);
    return 1;
}

}  // namespace fusion

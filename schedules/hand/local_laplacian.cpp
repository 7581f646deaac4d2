// A kernel for each level of each of the three pyramids. What lies between two levels of the result is computed where it is
// read, 14 reads a point that neighbours share in the L1. Going up, the rows of five taps lie in shared memory; of the finest
// remapped images too, which are never stored, so that a thread computes five exponentials a point and not 25.
#include "schedules/hand/tiles.h"

namespace fusion {

using namespace Halide;

namespace {

/// From this level on a launch is dearer than to compute a level of the result four times.
constexpr int kSmall = 4;

/// A kernel of its own, a point a thread.
void by_points(Func f, const Tiles &tiles) {
    const Var x = f.args()[0], y = f.args()[1];
    Var rows("rows");
    f.compute_root().gpu_tile(x, y, tiles.tile, rows, tiles.column, tiles.thread, tiles.columns, tiles.threads,
                              TailStrategy::GuardWithIf);
    if (f.dimensions() > 2) {
        f.gpu_blocks(f.args()[2]);
    }
}

}  // namespace

int schedule_local_laplacian(const HandPipeline &pipeline) {
    const Tiles tiles{.columns = 32, .threads = 8, .points = 1};
    const int width = 2 * tiles.columns + 3, height = 2 * tiles.rows() + 3;  // of what a tile needs of the level before
    Func output = pipeline.func("output");
    by_points(pipeline.func("gray0"), tiles);
    int launches = 2;
    for (int level = 1; pipeline.has_func("gray" + std::to_string(level)); level++) {
        const std::string suffix = std::to_string(level);
        for (const std::string &name : {"gray" + suffix, "remapped" + suffix}) {
            Func half = pipeline.func(name), across = pipeline.func("across_" + name);
            by_points(half, tiles);
            stage_in_tile(across, half, tiles, tiles.columns, height);
            launches++;
        }
        // The coarsest level has no result of its own.
        if (pipeline.has_func("result" + suffix) && (level < kSmall || level % 2 == 1)) {
            by_points(pipeline.func("result" + suffix), tiles);
            launches++;
        }
    }
    if (pipeline.has_func("across_remapped1")) {
        stage_in_tile(pipeline.func("remapped0").in(pipeline.func("across_remapped1")), pipeline.func("remapped1"),
                      tiles, width, height);
    }

    const Var x = output.args()[0], y = output.args()[1], c = output.args()[2];
    const HandBuffer out = pipeline.output("output");
    Var rows("rows");
    const auto by_pixels = [&](Halide::Stage stage) {
        stage
            .gpu_tile(x, y, tiles.tile, rows, tiles.column, tiles.thread, tiles.columns, tiles.threads,
                      TailStrategy::GuardWithIf)
            .reorder(c, tiles.column, tiles.thread, tiles.tile, rows);
        return stage;
    };
    by_pixels(output.specialize(out.min(2) == 0 && out.extent(2) == 3)).unroll(c);
    by_pixels(output);
    if (pipeline.has_func("result0")) {
        pipeline.func("result0").compute_at(output, tiles.column);
    }
    return launches;
}

}  // namespace fusion

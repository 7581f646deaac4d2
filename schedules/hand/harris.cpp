// One kernel of tiles of 64 x 24 points: their luminance, with two points around, in shared memory, and six points below each
// other a thread, which share their gradients in its registers (four a point; nine if none were shared). The three planes are
// read once and the response is written once.
#include "schedules/hand/tiles.h"

namespace fusion {

using namespace Halide;

int schedule_harris(const HandPipeline &pipeline) {
    const Tiles tiles{.columns = 64, .threads = 4, .points = 6};
    Func output = pipeline.func("output");
    walk_by_tiles(output, pipeline, tiles);
    stage_in_tile(pipeline.func("gray"), output, tiles, tiles.columns + 4, tiles.rows() + 4);
    for (const char *name : {"dx", "dy"}) {
        Func gradient = pipeline.func(name);
        gradient.compute_at(output, tiles.column).unroll(gradient.args()[0]).unroll(gradient.args()[1]);
    }
    return 1;
}

}  // namespace fusion

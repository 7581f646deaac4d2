// One kernel in which a thread computes eight points below each other: the row sums that they share, ten for eight, stay in its
// registers, and the thirty reads for those can all be on their way at once. Warps read along rows.
#include "schedules/hand/tiles.h"

namespace fusion {

using namespace Halide;

int schedule_blur3x3(const HandPipeline &pipeline) {
    const Tiles tiles{.columns = 64, .threads = 4, .points = 8};
    Func across = pipeline.func("across"), output = pipeline.func("output");
    walk_by_tiles(output, pipeline, tiles);
    across.compute_at(output, tiles.column).unroll(across.args()[1]);
    return 1;
}

}  // namespace fusion

// One kernel of four neighbours a thread: three 16-byte loads and one store where rows are aligned, a point a thread for
// whatever else the caller brings.
#include "schedules/hand/hand.h"

namespace fusion {

using namespace Halide;

int schedule_pointwise_chain(const HandPipeline &pipeline) {
    constexpr int kVector = 4, kThreads = 256;
    Func output = pipeline.func("output");
    const Var x = output.args()[0], y = output.args()[1];
    Var vector("vector"), lane("lane"), point("point"), block("block"), thread("thread");

    // sum and product stay inline, which is Halide's default.
    const HandBuffer out = pipeline.output("output");
    Expr aligned = out.extent(0) % kVector == 0 && out.has_aligned_rows(kVector);
    for (const char *name : {"a", "b", "c"}) {
        const HandBuffer image = pipeline.input(name);
        aligned = aligned && image.min(0) == out.min(0) && image.has_aligned_rows(kVector);
    }
    // Whole vectors first, then one loop over all of them: a grid of two dimensions would end at 65535 rows.
    output.specialize(aligned)
        .split(x, vector, lane, kVector, TailStrategy::RoundUp)
        .vectorize(lane)
        .fuse(vector, y, point)
        .gpu_tile(point, block, thread, kThreads, TailStrategy::GuardWithIf);
    output.fuse(x, y, point).gpu_tile(point, block, thread, kThreads, TailStrategy::GuardWithIf);
    return 1;
}

}  // namespace fusion

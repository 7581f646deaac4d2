// One kernel in which a thread keeps four channels of six points in registers: for each input channel and row of the filter it
// reads eight input elements, the same for half a warp, and three vectors of the filter, for 72 multiply-adds. The filter
// stays in the L1. More points a thread would not fit the 64 registers that Halide's runtime allows.
#include "schedules/hand/hand.h"

namespace fusion {

using namespace Halide;

int schedule_conv_relu(const HandPipeline &pipeline) {
    constexpr int kVector = 4, kPoints = 6, kLanes = 16, kThreads = 16;
    Func conv = pipeline.func("conv"), output = pipeline.func("output");
    const Var c = output.args()[0], x = output.args()[1], y = output.args()[2];
    const Var cv = conv.args()[0], xv = conv.args()[1];
    const auto &rvars = conv.update().get_schedule().rvars();
    const RVar from(rvars[0].var), i(rvars[1].var), j(rvars[2].var);
    Var channels("channels"), channel("channel"), lane("lane"), columns("columns"), point("point"), strip("strip"),
        thread("thread"), tile("tile"), group("group");

    // Where channels are as many as estimated and lie densely, all offsets but three are constants, and no register holds one.
    const HandBuffer in = pipeline.input("input"), filter = pipeline.input("filter"), bias = pipeline.input("bias"),
                     out = pipeline.output("output");
    const Expr taken = in.parameter.extent_constraint_estimate(0),
               made = filter.parameter.extent_constraint_estimate(0);
    const Expr dense = in.stride(1) == taken && filter.stride(1) == made && filter.stride(2) == 3 * made &&
                       filter.stride(3) == 9 * made;
    Expr large = dense && out.extent(0) % kVector == 0 && out.extent(1) >= kPoints;
    for (const HandBuffer &image : {filter, bias, out}) {
        large = large && image.min(0) == 0 && image.has_aligned_rows(kVector);
    }
    for (int d = 1; d < 4; d++) {
        large = large && filter.min(d) == 0;
    }
    output.specialize(large)
        .split(c, channels, channel, kVector, TailStrategy::RoundUp)
        .split(x, columns, point, kPoints, TailStrategy::ShiftInwards)
        .split(channels, group, lane, kLanes, TailStrategy::GuardWithIf)
        .fuse(columns, y, strip)
        .split(strip, strip, thread, kThreads, TailStrategy::GuardWithIf)
        .reorder(channel, point, lane, thread, group, strip)
        .vectorize(channel)
        .unroll(point)
        .fuse(group, strip, tile)
        .gpu_blocks(tile)
        .gpu_threads(lane, thread);
    output.fuse(c, x, point)
        .fuse(point, y, point)
        .split(point, tile, lane, kLanes * kThreads, TailStrategy::GuardWithIf)
        .gpu_blocks(tile)
        .gpu_threads(lane);

    conv.compute_at(output, lane);
    conv.specialize(large).vectorize(cv, kVector).unroll(xv);
    conv.update().specialize(large).reorder(cv, xv, i, j, from).vectorize(cv, kVector).unroll(xv).unroll(i);
    return 1;
}

}  // namespace fusion

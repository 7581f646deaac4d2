#include "schedules/hand/block_rows.h"

namespace fusion {

using namespace Halide;

void reduce_by_block(Func f, Func output, Var row) {
    constexpr int folders = 16;
    Var thread("thread"), folder("folder"), y = f.args()[0];
    RVar along(f.update(0).get_schedule().rvars()[0].var), turn("turn"), thread_r("thread_r"), group_r("group_r"),
        folder_r("folder_r");
    f.update(0).split(along, turn, thread_r, kHandThreads, TailStrategy::GuardWithIf);
    Func shares = f.update(0).rfactor(thread_r, thread);
    shares.in().compute_at(output, row).reorder(thread, y).gpu_threads(thread, y);
    shares.compute_at(shares.in(), thread);
    f.update(0).split(thread_r, group_r, folder_r, folders);
    Func sums = f.update(0).rfactor(folder_r, folder);
    sums.in().compute_at(output, row).reorder(folder, y).gpu_threads(folder, y);
    sums.compute_at(sums.in(), folder).update(0).unroll(group_r);
    f.in().compute_at(output, row).gpu_threads(y);
    f.compute_at(f.in(), y).update(0).unroll(folder_r);
}

void walk_by_block(Func output, const HandPipeline &pipeline, Var row) {
    const HandBuffer in = pipeline.input("input"), out = pipeline.output("output");
    const auto walk = [&](Halide::Stage stage) {
        Var x = output.args()[0], y = output.args()[1], turn("turn"), thread("thread"), line("line");
        stage.split(y, row, line, 1, TailStrategy::GuardWithIf)
            .split(x, turn, thread, kHandThreads, TailStrategy::GuardWithIf)
            .reorder(turn, thread, line, row)
            .gpu_blocks(row)
            .gpu_threads(thread, line);
    };
    const Expr width = in.parameter.extent_constraint_estimate(0);
    walk(output.specialize(in.min(0) == 0 && in.extent(0) == width && out.min(0) == 0 && out.extent(0) == width));
    walk(output);
}

}  // namespace fusion

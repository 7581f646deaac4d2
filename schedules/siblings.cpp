/// Several outputs in one launch by compute_with, which needs each flattened to one block and one thread loop and
/// excludes specialised branches.
///
/// On an H200 (2026-11-29, three outputs of 8192 x 8192): one point a thread 0.52x the copy bandwidth, four a thread a
/// block's width apart 0.92x, the same as three specialised kernels 0.57x.
#include "schedules/templates.h"

namespace fusion {

using Halide::TailStrategy;

Schedule siblings_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const int first = view.graph[group.outputs[0]].func_id;
    for (const Vertex output : group.outputs) {
        const Stage &stage = view.graph[output];
        const Emitter emit(schedule, stage.func_id, stage.update);
        if (stage.role == Role::Intermediate) {
            emit(Verb::ComputeRoot);
        }
        std::vector<Loop> loops = loops_in_memory_order(stage);
        if (loops.size() > 1) {
            emit(Verb::Reorder, loops);
        }
        const Loop thread = made("fusion_thread"), block = made("fusion_block");
        if (group.tile.per_thread > 1) {
            const Loop chunk = made("fusion_chunk"), turn = made("fusion_turn");
            emit(Verb::Split, {loops[0], chunk, thread}, group.tile.threads * group.tile.per_thread,
                 TailStrategy::GuardWithIf);
            emit(Verb::Split, {thread, turn, thread}, group.tile.threads, TailStrategy::GuardWithIf);
            loops[0] = chunk;
            const Loop all = emit.fuse_all(loops, "fusion_point");
            emit(Verb::Reorder, {turn, thread, all});
            emit(Verb::Unroll, {turn});
            emit(Verb::GpuBlocks, {all});
            emit(Verb::GpuThreads, {thread});
        } else {
            emit.blocks_and_threads(emit.fuse_all(loops, "fusion_point"), group.tile.threads);
        }
        if (stage.func_id != first) {
            emit.with(Verb::ComputeWith, first, {thread});
        }
    }
    return schedule;
}

}  // namespace fusion

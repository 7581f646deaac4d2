/// Stages with reduction loops or an order of their own: pure dimensions in parallel, everything else inside the thread
/// in the order that the user wrote. Never a race: Halide lets a pure variable stand for one point of an update only.
#include <algorithm>

#include "fusion/halide/reassociate.h"
#include "fusion/private_kernel.h"
#include "schedules/templates.h"

namespace fusion {

using namespace Halide::Internal;

Schedule parallel_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Stage &stage = view.graph[group.outputs[0]];
    const Emitter emit(schedule, stage.func_id, stage.update);
    const Function &f = view.sources[stage.func_id].function;
    const Definition &definition = stage.update == 0 ? f.definition() : f.update(stage.update - 1);
    std::vector<Loop> parallel;
    for (const Loop &loop : loops_in_memory_order(stage)) {
        if (std::count(stage.independent.begin(), stage.independent.end(), loop.index)) {
            parallel.push_back(loop);
        }
    }
    const bool is_guarded_by_data = has_data_in_predicate(definition);
    if (!is_guarded_by_data) {
        emit.unroll_steps(stage, group.kind == Template::Parallel ? group.tile.per_thread : kWrittenOutSteps);
    }
    if (parallel.empty()) {
        emit(Verb::GpuSingleThread);
    } else if (is_guarded_by_data) {
        // Limit: a block of one thread, for want of a split. Halide 21 does not see that the guard of a split loop encloses
        // such a predicate: it would ask for data up to the next whole block ("accessed at 511, which is beyond the max
        // (256)").
        emit(Verb::GpuBlocks, {emit.fuse_all(parallel, "fusion_point")});
    } else {
        emit.points_over_threads(stage, parallel, group.tile.threads);
    }
    return schedule;
}

}  // namespace fusion

/// Stages with reduction loops or an order of their own: loops whose steps never meet in parallel (pure dimensions, and
/// variables of the RDom for which that is proved), everything else inside the thread in the order that the user wrote, or
/// around the launches.
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
    const int dims = (int)stage.dims.size(), steps = (int)stage.reduction.size(), around = group.tile.around;
    const std::vector<int> &at_once = stage.loops_at_once(around);
    std::vector<Loop> parallel, order;
    for (const int loop : at_once) {
        parallel.push_back(loop < dims ? arg(loop) : rvar(loop - dims));
    }
    const auto is_parallel = [&](int r) { return std::count(at_once.begin(), at_once.end(), dims + r) > 0; };
    for (int r = 0; r < steps - around; r++) {
        if (!is_parallel(r)) {
            order.push_back(rvar(r));
        }
    }
    const bool walks = !order.empty() && order[0].index == 0;
    order.insert(order.end(), parallel.begin(), parallel.end());
    for (int r = steps - around; r < steps; r++) {
        order.push_back(rvar(r));
    }
    if (around > 0) {
        emit(Verb::AllowRaceConditions);
    }
    if (parallel.size() > stage.independent.size()) {
        emit(Verb::Reorder, order);
    }
    const bool is_guarded_by_data = has_data_in_predicate(definition);
    if (!is_guarded_by_data && walks) {
        emit.unroll_steps(stage, group.tile.per_thread);
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

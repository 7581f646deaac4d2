/// Loops on the CPU: extern stages, and what feeds them (a host extern does not copy its inputs back from the GPU).
#include "schedules/templates.h"

namespace fusion {

Schedule host_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Stage &stage = view.graph[group.outputs[0]];
    const Emitter emit(schedule, stage.func_id, stage.update);
    if (stage.update == 0 && stage.role == Role::Intermediate) {
        emit(Verb::ComputeRoot);
    }
    if (stage.update == 0 && !stage.is_extern && stage.dims.size() > 1) {
        emit(Verb::Parallel, {arg(stage.memory_order.back())});
    }
    return schedule;
}

}  // namespace fusion

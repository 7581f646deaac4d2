#include "schedules/lower.h"

#include <map>

#include "fusion/error.h"
#include "fusion/owned_tables.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

/// Gives the Funcs that directives make the ids after the pipeline's own, in the order in which they are made.
void number_made(Schedule &schedule, int first) {
    std::map<int, int> numbers;
    const auto renumber = [&](int &id) {
        if (id >= first) {
            id = numbers.emplace(id, first + (int)numbers.size()).first->second;
        }
    };
    for (Directive &d : schedule) {
        renumber(d.func_id);
        renumber(d.other);
    }
}

Schedule lower_group(const PipelineView &view, const Group &group, const ApiTraits &api) {
    switch (group.kind) {
    case Template::Pointwise:
        return pointwise_schedule(view, group, api);
    case Template::Siblings:
        return siblings_schedule(view, group);
    case Template::Transpose:
        return transpose_schedule(view, group);
    case Template::Stencil:
        return stencil_schedule(view, group);
    case Template::Folded:
        return folded_schedule(view, group);
    case Template::Reduction:
        return reduction_schedule(view, group, api);
    case Template::Private:
        return has_table_tile(group.tile) ? tables_schedule(view, group) : private_schedule(view, group);
    case Template::Parallel:
        return parallel_schedule(view, group);
    case Template::HostLoops:
        return host_schedule(view, group);
    case Template::UserLoops:
        return {};
    }
    throw InternalError("a kernel without a template");
}

}  // namespace

Schedule lower(const PipelineView &view, const Plan &plan, const Halide::Target &target) {
    const bool is_cuda = target.has_feature(Halide::Target::CUDA);
    const ApiTraits api{.guarded_vectors = is_cuda, .uneven_vectors = is_cuda};
    Schedule schedule;
    for (const Rewrite &rewrite : plan.rewrites) {
        if (rewrite.func_id >= 0) {
            schedule.push_back({.func_id = rewrite.func_id, .verb = Verb::NativeMath});
        }
    }
    for (const Group &group : plan.groups) {
        const Schedule part = lower_group(view, group, api);
        schedule.insert(schedule.end(), part.begin(), part.end());
    }
    number_made(schedule, (int)view.sources.size());
    return schedule;
}

}  // namespace fusion

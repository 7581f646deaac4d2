#include "schedules/lower.h"

#include <algorithm>
#include <map>
#include <set>

#include "fusion/error.h"
#include "fusion/owned_tables.h"
#include "fusion/rate.h"
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

/// The member reads rows of a stored buffer that move one by one with those of a thread, without a clamp: of clamped ones the
/// compiler sees anyway which are the same.
bool reads_open_rows(const PipelineView &view, const Group &group, const Member &member) {
    return std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &input) {
        const bool reads = edge(input.producer, member.stage, view.graph).second;
        return reads && std::any_of(input.uses.begin(), input.uses.end(), [&](const Use &use) {
                   for (size_t d = 0; d < use.follows.size(); d++) {
                       const Rate rate = rate_at(use, d);
                       if (rate.loop == group.tile.dims.y && !rate.is_clamped && rate.high > rate.low) {
                           return true;
                       }
                   }
                   return false;
               });
    });
}

/// Funcs that only tiles of points compute, whose threads share rows that they read. Vectors elsewhere would suffer.
std::set<int> with_whole_indices(const PipelineView &view, const Plan &plan) {
    std::set<int> funcs, others;
    for (const Group &group : plan.groups) {
        for (const Member &member : group.members) {
            const bool is_inside = member.placement == Placement::Inlined || member.stage == group.outputs[0];
            const bool is_tiled = group.kind == Template::Stencil && group.tile.per_thread > 1 && is_inside;
            if (!is_tiled) {
                others.insert(view.graph[member.stage].func_id);
            } else if (reads_open_rows(view, group, member)) {
                funcs.insert(view.graph[member.stage].func_id);
            }
        }
    }
    for (const int other : others) {
        funcs.erase(other);
    }
    return funcs;
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
    for (const int func_id : with_whole_indices(view, plan)) {
        schedule.push_back({.func_id = func_id, .verb = Verb::WholeIndices});
    }
    number_made(schedule, (int)view.sources.size());
    return schedule;
}

}  // namespace fusion

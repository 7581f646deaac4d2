#include "fusion/kernels.h"

#include <algorithm>
#include <limits>
#include <set>

#include "fusion/choose_tile.h"
#include "fusion/error.h"
#include "fusion/folded_kernel.h"
#include "fusion/footprint.h"
#include "fusion/price.h"
#include "fusion/private_kernel.h"
#include "fusion/reduction_kernel.h"
#include "fusion/stencil_kernel.h"

namespace fusion {
namespace {

Template template_of(const StageGraph &graph, const Assignment &assignment, const Group &group) {
    const Stage &stage = graph[group.outputs[0]];
    const auto is_staged = [](const Member &m) { return m.placement == Placement::AtBlock; };
    const auto reduces = [&](const Member &m) { return is_staged(m) && is_reduction(graph[m.stage]); };
    if (assignment.placement[group.outputs[0]] == Placement::Host) {
        return Template::HostLoops;
    }
    if (stage.scheduled_by_user) {
        return Template::UserLoops;
    }
    if (group.outputs.size() > 1) {
        return Template::Siblings;
    }
    if (keeps_steps(graph, group)) {
        return Template::Folded;
    }
    if (is_reduction(stage) || std::any_of(group.members.begin(), group.members.end(), reduces)) {
        return Template::Reduction;
    }
    const auto is_shared = [&](const Member &m) { return is_shared_by_neighbours(graph, m); };
    if (std::any_of(group.members.begin(), group.members.end(), is_shared)) {
        return Template::Stencil;
    }
    if (!group.staged.empty() || std::any_of(group.members.begin(), group.members.end(), is_staged)) {
        return Template::Transpose;
    }
    if (is_private(graph, group)) {
        return Template::Private;
    }
    return stage.update > 0 || !stage.reduction.empty() ? Template::Parallel : Template::Pointwise;
}

/// The kernel keeps the Func to itself and stores a wrapper of it, past which another wrapper would reach.
bool is_written_out(const StageGraph &graph, const Assignment &assignment, Vertex v) {
    return v > 0 && graph[v - 1].func_id == graph[v].func_id && assignment.placement[v - 1] == Placement::AtThread;
}

/// No other launch computes the stage: all paths from it to what is stored end in `outputs`.
bool is_computed_only_for(const StageGraph &graph, const Assignment &assignment, Vertex stage,
                          const std::vector<Vertex> &outputs) {
    std::set<Vertex> reached = {stage};
    for (auto at = reached.begin(); at != reached.end(); ++at) {  // consumers have higher numbers
        const bool is_output = std::find(outputs.begin(), outputs.end(), *at) != outputs.end();
        if (!is_output && is_kernel(graph, assignment, *at)) {
            return false;
        }
        if (!is_output) {
            for (const Vertex consumer : consumers_of(graph, *at)) {
                reached.insert(consumer);
            }
        }
    }
    return true;
}

/// The pure definition of a reduction: a thread starts from it, and only the result is stored. (Of an output it is
/// stored, since the Func itself is.)
bool starts_a_reduction(const StageGraph &graph, Vertex v) {
    const Stage &stage = graph[v];
    const bool is_followed = v + 1 < num_vertices(graph) && graph[v + 1].func_id == stage.func_id;
    const bool is_last = v + 2 >= num_vertices(graph) || graph[v + 2].func_id != stage.func_id;
    return stage.role == Role::Intermediate && stage.update == 0 && !stage.scheduled_by_user && is_followed &&
           is_last && is_reduction(graph[v + 1]);
}

}  // namespace

Assignment all_stored(const StageGraph &graph) {
    // An extern stage on the host reads its buffers without copying them back from the GPU.
    std::map<int, bool> feeds_extern;
    for (const Edge &e : edges_in_order(graph)) {
        feeds_extern[graph[source(e, graph)].func_id] |= graph[target(e, graph)].is_extern;
    }
    Assignment assignment;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        const Stage &stage = graph[v];
        Placement placement = Placement::Root;
        if (stage.is_extern) {
            placement = Placement::Host;
        } else if (stage.role == Role::Intermediate &&
                   (stage.unbounded || (stage.scheduled_by_user && !stage.has_own_loops))) {
            placement = Placement::Inlined;
        }
        if (stage.role != Role::Input && feeds_extern[stage.func_id]) {
            placement = Placement::Host;
        }
        if (placement == Placement::Root && starts_a_reduction(graph, v)) {
            placement = Placement::AtThread;
        }
        assignment.placement.push_back(placement);
        assignment.leader.push_back(v);
    }
    return assignment;
}

void keep_private(const StageGraph &graph, Assignment &assignment, std::map<Vertex, Group> &kernels,
                  const Device &device, const Limits &limits) {
    bool is_changed = false;
    for (Vertex last = 0; last < num_vertices(graph); last++) {
        const std::vector<Vertex> definitions = definitions_of(graph, last);
        const bool is_apart = std::all_of(definitions.begin(), definitions.end(), [&](Vertex v) {
            return assignment.placement[v] == Placement::Root && kernels.count(v);
        });
        if (last != definitions.back() || definitions.size() < 2 || !is_apart || !can_be_private(graph, last, device)) {
            continue;
        }
        Assignment together = assignment;
        double apart_us = 0;
        for (const Vertex v : definitions) {
            apart_us += kernels.at(v).price.time_us;
            together.placement[v] = v == last ? Placement::Root : Placement::AtThread;
        }
        if (make_kernel(graph, together, {last}, device, limits).price.time_us < apart_us) {
            assignment = std::move(together);
            is_changed = true;
        }
    }
    if (is_changed) {
        kernels = make_kernels(graph, assignment, device, limits);  // their readers cannot stage them any more
    }
}

bool is_kernel(const StageGraph &graph, const Assignment &assignment, Vertex stage) {
    const Placement placement = assignment.placement[stage];
    return graph[stage].role != Role::Input && (placement == Placement::Root || placement == Placement::Host);
}

std::vector<Vertex> launch_of(const StageGraph &graph, const Assignment &assignment, Vertex leader) {
    std::vector<Vertex> outputs;
    for (Vertex v = leader; v < num_vertices(graph); v++) {
        if (assignment.leader[v] == leader && is_kernel(graph, assignment, v)) {
            outputs.push_back(v);
        }
    }
    return outputs;
}

Group make_kernel(const StageGraph &graph, const Assignment &assignment, const std::vector<Vertex> &outputs,
                  const Device &device, const Limits &limits) {
    const auto make = [&](const std::set<Vertex> &staged) {
        Group group = trace_kernel(graph, assignment.placement, outputs, staged);
        group.kind = template_of(graph, assignment, group);
        const bool keeps_tiles = std::any_of(group.members.begin(), group.members.end(),
                                             [](const Member &m) { return m.placement == Placement::AtBlock; });
        const bool is_wrong_tile =
            group.kind == Template::Transpose && keeps_tiles && !is_transposed_tile(graph, group);
        const bool is_wrong_fold = group.kind == Template::Folded && !can_fold(graph, group).allowed();
        if (is_wrong_tile || is_wrong_fold || (group.kind == Template::Stencil && !can_tile(graph, group).allowed())) {
            group.price.time_us = std::numeric_limits<double>::infinity();  // nobody may take it
        } else {
            choose_tile(graph, group, device, limits);
        }
        return group;
    };
    Group group = make({});
    const bool has_places = group.kind == Template::Pointwise && shares_places(graph, group);
    if (group.kind == Template::Pointwise && (has_places || reads_neighbours(group)) &&
        can_tile(graph, group).allowed()) {
        Group tiled = group;
        tiled.kind = Template::Stencil;
        choose_tile(graph, tiled, device, limits);
        // Of computed places a thread with one point shares none (upsampled levels of lens_blur took 48 us as such tiles, 21 without).
        const bool is_single = tiled.tile.vector * tiled.tile.per_thread * tiled.tile.slices == 1;
        group = (!is_single || !has_places) && tiled.price.time_us < group.price.time_us ? tiled : group;
    }
    if (group.kind != Template::Pointwise && group.kind != Template::Transpose) {
        return group;
    }
    // A buffer that neighbouring threads would read far apart goes through shared memory where that is cheaper.
    std::set<Vertex> staged;
    for (const Input &input : std::vector<Input>(group.inputs)) {
        if (input.is_coalesced || !graph[input.producer].can_be_staged ||
            is_written_out(graph, assignment, input.producer)) {
            continue;
        }
        std::set<Vertex> more = staged;
        more.insert(input.producer);
        Group candidate = make(more);
        // A stored buffer's tile stands in for it wherever its callers are computed.
        const bool is_alone = std::all_of(candidate.staged.begin(), candidate.staged.end(), [&](const Staged &s) {
            return std::all_of(s.callers.begin(), s.callers.end(),
                               [&](Vertex v) { return is_computed_only_for(graph, assignment, v, outputs); });
        });
        const bool fits =
            is_alone && is_transposed_tile(graph, candidate) && candidate.price.shared_bytes <= device.shared_per_block;
        if (fits && candidate.price.time_us < group.price.time_us) {
            group = std::move(candidate);
            staged = std::move(more);
        }
    }
    return group;
}

std::map<Vertex, Group> make_kernels(const StageGraph &graph, const Assignment &assignment, const Device &device,
                                     const Limits &limits) {
    std::map<Vertex, Group> kernels;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        if (is_kernel(graph, assignment, v) && assignment.leader[v] == v) {
            kernels[v] = make_kernel(graph, assignment, launch_of(graph, assignment, v), device, limits);
        }
    }
    return kernels;
}

std::vector<Group> in_order_of_execution(std::map<Vertex, Group> kernels) {
    std::set<Vertex> missing;
    for (const auto &[leader, group] : kernels) {
        missing.insert(group.outputs.begin(), group.outputs.end());
    }
    std::vector<Group> order;
    while (!kernels.empty()) {
        const auto ready = std::find_if(kernels.begin(), kernels.end(), [&](const auto &kernel) {
            const std::vector<Input> &inputs = kernel.second.inputs;
            return std::none_of(inputs.begin(), inputs.end(),
                                [&](const Input &i) { return missing.count(i.producer) > 0; });
        });
        if (ready == kernels.end()) {
            throw InternalError("kernels wait for each other");
        }
        for (const Vertex output : ready->second.outputs) {
            missing.erase(output);
        }
        order.push_back(std::move(ready->second));
        kernels.erase(ready);
    }
    return order;
}

}  // namespace fusion

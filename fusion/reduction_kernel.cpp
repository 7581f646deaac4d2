#include "fusion/reduction_kernel.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "fusion/footprint.h"

namespace fusion {
namespace {

/// The dimensions of the output that the reductions follow.
std::set<int> kept_dims(const StageGraph &graph, const Group &group) {
    std::set<int> kept;
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            kept.insert(member.follows.begin(), member.follows.end());
        }
    }
    kept.erase(-1);
    const Stage &out = graph[group.outputs[0]];
    for (int d = 0; is_reduction(out) && d < (int)out.dims.size(); d++) {
        kept.insert(d);
    }
    return kept;
}

bool is_slice(const StageGraph &graph, const Member &member) {
    return member.placement == Placement::AtBlock && is_reduction(graph[member.stage]) &&
           std::count(member.follows.begin(), member.follows.end(), -1) == 1;
}

/// However large inputs and outputs are.
bool has_bound(const Stage &stage, int dim) {
    return dim < (int)stage.most_extent.size() && stage.most_extent[dim] > 0;
}

}  // namespace

bool is_reduction(const Stage &stage) {
    return stage.update == 1 && stage.folds;
}

double steps_of(const Stage &stage) {
    return std::accumulate(stage.reduction.begin(), stage.reduction.end(), 1.0,
                           [](double steps, const Extent &e) { return steps * (double)e.extent; });
}

std::vector<Member> reductions_of(const StageGraph &graph, const Group &group) {
    std::vector<Member> reductions;
    for (const Member &member : group.members) {
        const bool is_output = member.stage == group.outputs[0];
        const bool at_block = member.placement == Placement::AtBlock && !is_slice(graph, member);
        if (is_reduction(graph[member.stage]) && (is_output || at_block)) {
            reductions.push_back(member);
        }
    }
    return reductions;
}

std::vector<Member> slices_of(const StageGraph &graph, const Group &group) {
    std::vector<Member> slices;
    std::copy_if(group.members.begin(), group.members.end(), std::back_inserter(slices),
                 [&](const Member &member) { return is_slice(graph, member); });
    return slices;
}

int slice_dim(const Member &member) {
    return (int)(std::find(member.follows.begin(), member.follows.end(), -1) - member.follows.begin());
}

bool reduces_slices(const StageGraph &graph, const Group &group, const Member &reduction) {
    const std::vector<Member> slices = slices_of(graph, group);
    const auto is_read = [&](const Member &slice) { return edge(slice.stage, reduction.stage, graph).second; };
    return reduction.stage != group.outputs[0] && std::any_of(slices.begin(), slices.end(), is_read);
}

ReductionShape reduction_shape(const StageGraph &graph, const Group &group) {
    const std::set<int> kept = kept_dims(graph, group);
    ReductionShape shape;
    for (const int dim : graph[group.outputs[0]].memory_order) {
        (kept.count(dim) ? shape.kept : shape.columns).push_back(dim);
    }
    return shape;
}

Decision can_reduce_in_block(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    if (group.outputs.size() != 1 || !group.staged.empty()) {
        return Decision::forbid("the launch of " + out.func + " has several outputs or transposed tiles");
    }
    if (!is_reduction(out) && (out.update > 0 || out.has_updates || !out.reduction.empty())) {
        return Decision::forbid(stage_name(out) +
                                " is computed in the order of its own loops, not by a block together");
    }
    const std::set<int> kept = kept_dims(graph, group);
    if (const std::vector<Member> slices = slices_of(graph, group);
        !slices.empty() && reductions_of(graph, group).empty()) {
        return Decision::forbid("a point of " + out.func + " reads " + graph[slices[0].stage].func +
                                " at other points than its own row");
    }
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtThread && !graph[member.stage].has_updates) {
            return Decision::forbid(graph[member.stage].func + " is kept for the points of a tile");
        }
        if (member.placement != Placement::AtBlock) {
            continue;
        }
        if (out.update > 0 && !out.reassociable) {
            return Decision::forbid(out.func + " is folded by each thread in the order of its loop, not by a block");
        }
        const Stage &stage = graph[member.stage];
        std::set<int> own(member.follows.begin(), member.follows.end());
        const bool is_slice_of_row = is_slice(graph, member) && has_bound(stage, slice_dim(member));
        size_t followed = member.follows.size();
        if (is_slice_of_row) {
            own.erase(-1);
            followed--;
        }
        if (!is_reduction(stage) || (!stage.reassociable && !is_slice_of_row)) {
            return Decision::forbid(stage.func + " is folded in the order of its loop, which a block cannot share");
        }
        const bool moves =
            std::any_of(member.uses.begin(), member.uses.end(), [](const Use &u) { return !u.is_own_point; });
        if (moves || own.count(-1) || own.size() != followed || member.follows.size() != stage.dims.size()) {
            return Decision::forbid("a point of " + out.func + " reads " + stage.func +
                                    " at other points than its own row");
        }
        if (own != kept) {
            return Decision::forbid(stage.func + " has other dimensions than the rest of what the block of " +
                                    out.func + " reduces");
        }
    }
    return Decision::allow();
}

namespace {

/// The longest but for one; that one where there is no other.
int longest_rvar(const Stage &stage, int but) {
    int longest = -1;
    for (int r = 0; r < (int)stage.reduction.size(); r++) {
        if (r != but && (longest < 0 || stage.reduction[r].extent > stage.reduction[longest].extent)) {
            longest = r;
        }
    }
    return longest < 0 ? but : longest;
}

}  // namespace

int shared_rvar(const StageGraph &graph, const Member &reduction) {
    const Stage &stage = graph[reduction.stage];
    return reduces_along_lanes(graph, reduction) ? reduction.lane - (int)stage.dims.size() : longest_rvar(stage, -1);
}

int chunked_rvar(const StageGraph &graph, const Member &reduction) {
    return longest_rvar(graph[reduction.stage], shared_rvar(graph, reduction));
}

bool has_plain_region(const StageGraph &graph, Vertex stage) {
    std::set<Vertex> reached = {stage};
    for (const Vertex v : reached) {  // consumers have higher numbers
        for (auto [e, end] = out_edges(v, graph); e != end; ++e) {
            const ReadKind kind = graph[*e].kind;
            if (kind == ReadKind::Stencil || kind == ReadKind::Strided || kind == ReadKind::Gather ||
                kind == ReadKind::Opaque) {
                return false;
            }
            reached.insert(target(*e, graph));
        }
    }
    return true;
}

bool reduces_along_lanes(const StageGraph &graph, const Member &reduction) {
    return reduction.lane >= (int)graph[reduction.stage].dims.size();
}

bool shares_lanes(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    const std::vector<Member> reductions = reductions_of(graph, group);
    const auto along = [&](const Member &reduction) {
        return reduces_along_lanes(graph, reduction) || reduces_slices(graph, group, reduction);
    };
    if (std::all_of(reductions.begin(), reductions.end(), along)) {
        return true;
    }
    const ReductionShape shape = reduction_shape(graph, group);
    return shape.columns.empty() ? along(reductions.back()) : shape.columns[0] == contiguous_dim(out);
}

}  // namespace fusion

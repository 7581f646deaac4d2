#include "fusion/folded_kernel.h"

#include <algorithm>
#include <set>

#include "fusion/reduction_kernel.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// A dimension with room for the lanes of half a warp.
constexpr int64_t kLongDim = 16;

/// Rows that a thread computes together at most.
constexpr int kMostRows = 4;

/// Channels that one thread folds at most.
constexpr int64_t kMostSlices = 4;

const Member &member_of(const Group &group, Vertex stage) {
    return *std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == stage; });
}

bool follows(const std::vector<int> &map, int dim) {
    return dim < 0 || std::count(map.begin(), map.end(), dim) > 0;
}

/// Points of a frame that a block walks at once, by its loops: one of those over an RDom.
std::vector<double> walked(const StageGraph &graph, const Group &group, Vertex frame, const Tile &tile) {
    std::vector<double> points = frame == group.outputs[0] ? block_tile(graph[frame].dims.size(), tile)
                                                           : box_of_step(graph, group, member_of(group, frame), tile);
    points.resize(points.size() + graph[frame].reduction.size(), 1);
    return points;
}

Decision can_keep_fold(const StageGraph &graph, const Group &group, const Member &fold) {
    const Stage &stage = graph[fold.stage];
    const std::set<int> own(fold.follows.begin(), fold.follows.end());
    const std::vector<Use> reads = reads_by_others(fold);
    const bool is_read_by_fold =
        std::any_of(reads.begin(), reads.end(), [&](const Use &u) { return u.frame != group.outputs[0]; });
    if (is_read_by_fold) {
        return Decision::forbid(stage.func + " must be complete before what reads it is folded");
    }
    const bool moves = std::any_of(fold.uses.begin(), fold.uses.end(), [](const Use &u) { return !u.is_own_point; });
    if (moves || own.count(-1) || own.size() != stage.dims.size()) {
        return Decision::forbid("a point of " + graph[group.outputs[0]].func + " reads " + stage.func +
                                " at other points than its own");
    }
    return Decision::allow();
}

/// How a fold reads a stage, whatever its own dimensions are: the dimension of the output or the variable of the RDom that
/// each dimension follows, and at which offsets.
struct Way {
    bool is_of_fold = false;
    std::vector<int> follows;
    std::vector<Reach> reach;
    bool operator==(const Way &) const = default;
};

Way way_of(const StageGraph &graph, const Group &group, const Use &use) {
    Way way{is_reduction(graph[use.frame]), {}, use.reach};
    const Member &frame = member_of(group, use.frame);
    const int dims = (int)graph[use.frame].dims.size();
    for (const int loop : use.follows) {
        const bool is_dim = loop >= 0 && loop < dims;
        way.follows.push_back(!way.is_of_fold || loop < 0 ? -1
                              : is_dim                    ? dim_of_output(group, frame, loop)
                                                          : (int)graph[group.outputs[0]].dims.size() + loop - dims);
    }
    return way;
}

Decision can_keep_step(const StageGraph &graph, const Group &group, const Member &step, const TiledDims &dims) {
    const Stage &out = graph[group.outputs[0]];
    const std::string &name = graph[step.stage].func;
    if (!follows(step.follows, dims.x) || !follows(step.follows, dims.y) || step.follows.empty()) {
        return Decision::forbid("blocks of " + out.func + " would compute the same points of " + name);
    }
    const std::vector<Use> reads = reads_by_others(step);
    for (const Use &use : reads) {
        if (!(is_reduction(graph[use.frame]) ? use.is_step_box : use.is_box)) {
            return Decision::forbid("what a step of " + out.func + " needs of " + name + " has no constant size");
        }
        if (use.frame == group.outputs[0] && !is_reduction(out)) {
            return Decision::forbid(out.func + " reads " + name + " beside its fold");
        }
        const bool is_alone = reads.size() == 1 || is_reduction(graph[use.frame]);
        if (use.others > 1 || !is_alone ||
            (reads.size() > 1 && way_of(graph, group, use) != way_of(graph, group, reads[0]))) {
            return Decision::forbid("a step of " + out.func + " reads " + name + " in several ways");
        }
    }
    return Decision::allow();
}

}  // namespace

bool is_of_step(const StageGraph &graph, const Member &member) {
    return member.placement == Placement::AtBlock && !is_reduction(graph[member.stage]);
}

int dim_of_output(const Group &group, const Member &fold, int dim) {
    return fold.stage == group.outputs[0] ? dim : fold.follows[dim];
}

TiledDims folded_dims(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    TiledDims dims;
    for (const int dim : out.memory_order) {
        const bool is_followed = std::all_of(group.members.begin(), group.members.end(), [&](const Member &m) {
            return !is_of_step(graph, m) || follows(m.follows, dim);
        });
        const int64_t extent = out.dims[dim].extent;
        if (is_followed && dims.x < 0 && extent >= kLongDim) {
            dims.x = dim;
        } else if (is_followed && dims.y < 0 && extent > 1) {
            dims.y = dim;
        } else if (!is_followed && dims.z < 0 && extent > 1 && extent <= kMostSlices) {
            dims.z = dim;
        }
    }
    return dims;
}

bool keeps_steps(const StageGraph &graph, const Group &group) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        return is_of_step(graph, m) && std::any_of(m.uses.begin(), m.uses.end(), [&](const Use &use) {
                   const int dims = (int)graph[use.frame].dims.size();
                   return is_reduction(graph[use.frame]) &&
                          std::any_of(use.follows.begin(), use.follows.end(), [&](int loop) { return loop >= dims; });
               });
    });
}

Decision can_fold(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    const bool is_fold = is_reduction(out);
    if (group.outputs.size() != 1 || !group.staged.empty() || out.dims.empty() ||
        (is_fold ? out.role == Role::Output : out.update > 0 || out.has_updates)) {
        return Decision::forbid("a block does not fold for tiles of points of " + stage_name(out));
    }
    const TiledDims dims = folded_dims(graph, group);
    const std::vector<Member> folds = reductions_of(graph, group);
    if (dims.x < 0) {
        return Decision::forbid(out.func + " has no dimension that all stages of a step follow");
    }
    double slices = 1;
    for (int d = 0; d < (int)out.dims.size(); d++) {
        slices *= d == dims.x || d == dims.y ? 1 : (double)out.dims[d].extent;
    }
    if (slices > kMostBlocksAcross) {
        return Decision::forbid(out.func + " has more slices of tiles than a grid has blocks in its second dimension");
    }
    for (const Member &fold : folds) {
        const Stage &stage = graph[fold.stage];
        if (stage.reduction != graph[folds[0].stage].reduction || (is_fold && fold.stage != group.outputs[0])) {
            return Decision::forbid(stage.func + " is not folded in the same steps as the rest of the kernel of " +
                                    out.func);
        }
        const Decision possible = is_fold ? Decision::allow() : can_keep_fold(graph, group, fold);
        if (!possible.allowed()) {
            return possible;
        }
    }
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        if (member.placement == Placement::AtThread && !stage.has_updates) {
            return Decision::forbid(stage.func + " is kept for the points of a thread");
        }
        const Decision possible =
            is_of_step(graph, member) ? can_keep_step(graph, group, member, dims) : Decision::allow();
        if (!possible.allowed()) {
            return possible;
        }
    }
    return Decision::allow();
}

int rows_of_step(const StageGraph &graph, const Group &group, const Member &step, const Tile &tile) {
    const auto y = std::find(step.follows.begin(), step.follows.end(), tile.dims.y) - step.follows.begin();
    const auto spans_rows = [&](const std::vector<Use> &uses) {
        return std::any_of(uses.begin(), uses.end(), [&](const Use &use) {
            bool spans = false;
            for (size_t d = 0; d < use.follows.size(); d++) {
                spans |= use.follows[d] == y && use.reach[d].span() > 0;
            }
            return use.frame == step.stage && spans;
        });
    };
    const bool spans =
        std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return spans_rows(m.uses); }) ||
        std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return spans_rows(i.uses); });
    const double height = tile.dims.y < 0 ? 1 : box_of_step(graph, group, step, tile)[(size_t)y];
    const int rows = spans ? std::min(kMostRows, tile.per_thread) : 1;
    return (int64_t)height % rows == 0 ? rows : 1;
}

std::vector<double> box_of_step(const StageGraph &graph, const Group &group, const Member &member, const Tile &tile) {
    if (member.stage == group.outputs[0]) {
        return block_tile(graph[member.stage].dims.size(), tile);
    }
    std::vector<double> box(graph[member.stage].dims.size(), 1);
    for (const Use &use : reads_by_others(member)) {
        const std::vector<double> frame = walked(graph, group, use.frame, tile);
        for (size_t d = 0; d < box.size(); d++) {
            if (use.follows[d] >= 0) {
                box[d] = std::max(box[d], frame[use.follows[d]] + (double)use.reach[d].span());
            }
        }
    }
    return box;
}

}  // namespace fusion

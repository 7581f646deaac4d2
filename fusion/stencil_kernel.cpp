#include "fusion/stencil_kernel.h"

#include <algorithm>

#include "fusion/choices.h"
#include "fusion/footprint.h"
#include "fusion/live_values.h"
#include "fusion/rate.h"
#include "fusion/room.h"
#include "fusion/stencil_tiles.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// A dimension with room for the lanes of a warp.
constexpr int64_t kLongDim = 32;

bool spans(const Use &use) {
    return has_span(use);
}

/// Both are of one box: f(x, c) and f(x, 3) are not.
bool is_beside(const Use &use, const Use &other) {
    bool is_one = use.frame == other.frame;
    for (size_t d = 0; d < use.follows.size() && is_one; d++) {
        is_one = move_together(rate_at(use, d), rate_at(other, d));
    }
    return is_one;
}

}  // namespace

TiledDims tiled_dims(const StageGraph &graph, const Group &group) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    std::vector<double> reach(out.dims.size());
    std::vector<bool> is_missed(out.dims.size());
    const auto add = [&](const std::vector<Use> &uses) {
        for (const Use &use : uses) {
            std::vector<bool> is_followed(reach.size());
            for (size_t d = 0; d < use.follows.size() && use.frame == output; d++) {
                const Rate rate = rate_at(use, d);
                if (rate.loop >= 0 && rate.loop < (int)reach.size()) {
                    reach[rate.loop] += rate.high - rate.low;
                    is_followed[rate.loop] = true;
                }
            }
            for (int dim = 0; dim < (int)reach.size(); dim++) {
                is_missed[dim] = is_missed[dim] || (use.frame == output && !is_followed[dim]);
            }
        }
    };
    const bool has_shared_places = shares_places(graph, group);
    for (const Member &member : group.members) {
        add(member.uses);
        for (const Use &use : has_shared_places ? member.uses : std::vector<Use>()) {
            for (const Share &share : graph[member.stage].work.shares) {
                const uint64_t deciding = decided_by(use, share);
                for (size_t dim = 0; dim < is_missed.size() && deciding != 0 && use.frame == output; dim++) {
                    is_missed[dim] = is_missed[dim] || !(deciding & Share::bit(dim));
                }
            }
        }
    }
    for (const Input &input : group.inputs) {
        add(input.uses);
    }
    const auto is_long = [&](int dim) { return out.dims[dim].extent >= kLongDim; };
    const auto lanes = std::find_if(out.memory_order.begin(), out.memory_order.end(), is_long);
    TiledDims dims{.x = lanes == out.memory_order.end() ? contiguous_dim(out) : *lanes};
    for (const int dim : out.memory_order) {
        const bool is_more = dims.y < 0 || reach[dim] > reach[dims.y];
        if (dim != dims.x && out.dims[dim].extent > 1 && is_more) {
            dims.y = dim;
        }
    }
    for (const int dim : out.memory_order) {
        const int64_t extent = out.dims[dim].extent;
        if (dim != dims.x && dim != dims.y && dims.z < 0 && extent > 1 && extent <= kMostChannels && is_missed[dim] &&
            can_slice(graph, group, dim)) {
            dims.z = dim;
        }
    }
    return dims;
}

std::vector<double> thread_tile(size_t rank, const Tile &tile) {
    std::vector<double> points(rank, 1);
    points[tile.dims.x] = tile.vector;
    if (tile.dims.y >= 0) {
        points[tile.dims.y] = tile.per_thread;
    }
    if (tile.dims.z >= 0) {
        points[tile.dims.z] = tile.slices;
    }
    return points;
}

std::vector<double> block_tile(size_t rank, const Tile &tile) {
    std::vector<double> points = thread_tile(rank, tile);
    points[tile.dims.x] *= tile.lanes;
    if (tile.dims.y >= 0) {
        points[tile.dims.y] *= (double)tile.threads / tile.lanes;
    }
    return points;
}

bool reads_neighbours(const Group &group) {
    // Where data decide an index, neighbours share nothing.
    const auto shares = [](const Use &use) { return spans(use) && is_sized(use); };
    const auto any = [&](const std::vector<Use> &uses) { return std::any_of(uses.begin(), uses.end(), shares); };
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return any(m.uses); }) ||
           std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return any(i.uses); });
}

bool shares_places(const StageGraph &graph, const Group &group) {
    const std::vector<Extent> &dims = graph[group.outputs[0]].dims;
    const auto misses_some = [&](const Use &use) {
        for (size_t d = 0; d < use.follows.size() && !is_sized(use) && use.frame == group.outputs[0]; d++) {
            const uint64_t deciding = decided_by(rate_at(use, d));
            for (size_t dim = 0; dim < dims.size() && rate_at(use, d).loop < 0 && deciding != 0; dim++) {
                if (dims[dim].extent > 1 && !(deciding & Share::bit(dim))) {
                    return true;
                }
            }
        }
        return false;
    };
    const auto any = [&](const std::vector<Use> &uses) { return std::any_of(uses.begin(), uses.end(), misses_some); };
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return any(m.uses); }) ||
           std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return any(i.uses); });
}

bool is_shared_by_neighbours(const StageGraph &graph, const Member &member) {
    const bool at_block =
        member.placement == Placement::AtBlock && std::any_of(member.uses.begin(), member.uses.end(), spans);
    return !graph[member.stage].has_updates && (at_block || member.placement == Placement::AtThread);
}

Decision can_tile(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    if (group.outputs.size() != 1 || !group.staged.empty() || out.update > 0 || out.has_updates || out.dims.empty()) {
        return Decision::forbid(stage_name(out) + " is not computed in tiles of independent points");
    }
    if (!out.kept_apart.empty()) {
        return Decision::forbid(stage_name(out) + " has no branches for whole tiles: " + out.kept_apart);
    }
    const auto is_box = [](const Member &m) { return m.placement == Placement::AtBlock; };
    const bool keeps_boxes = std::any_of(group.members.begin(), group.members.end(), is_box);
    if (keeps_boxes && !has_whole_tile(graph, group)) {
        return Decision::forbid(out.func +
                                " is smaller than a tile, and what a part of one needs has no constant size");
    }
    const TiledDims dims = tiled_dims(graph, group);
    double slices = 1;
    for (int d = 0; d < (int)out.dims.size(); d++) {
        slices *= d == dims.x || d == dims.y ? 1 : (double)out.dims[d].extent;
    }
    if (slices > kMostBlocksAcross) {
        return Decision::forbid(out.func + " has more slices of tiles than a grid has blocks in its second dimension");
    }
    if (hides_choice(graph, group)) {
        return Decision::forbid("a stage of the kernel of " + out.func +
                                " chooses what it reads, and Halide would ask for all of it");
    }
    for (const Member &member : group.members) {
        if (graph[member.stage].has_updates || member.placement == Placement::Inlined ||
            member.stage == group.outputs[0]) {
            continue;
        }
        const std::string &name = graph[member.stage].func;
        const bool at_thread = member.placement == Placement::AtThread;
        bool inside = false;
        for (const Use &use : reads_by_others(member)) {
            if (!(at_thread ? is_sized_exactly(use) : is_sized(use))) {
                return Decision::forbid("what a tile of " + out.func + " needs of " + name + " has no constant size");
            }
            inside = inside || (at_thread && use.frame != group.outputs[0]);
            if (at_thread && !is_beside(use, member.uses[0])) {
                return Decision::forbid("a thread of " + out.func + " reads " + name + " in several ways");
            }
        }
        if (inside) {
            return Decision::forbid(name + " is read by threads that compute a tile in shared memory too");
        }
        const auto covers = [&](int dim) { return dim < 0 || side_along(member.sides, dim) >= 0; };
        if (!at_thread && (member.sides.empty() || !covers(dims.x) || !covers(dims.y))) {
            return Decision::forbid("a block of " + out.func + " reads " + name +
                                    " in several ways, or the same points as other blocks");
        }
    }
    return Decision::allow();
}

}  // namespace fusion

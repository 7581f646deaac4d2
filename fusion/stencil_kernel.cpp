#include "fusion/stencil_kernel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fusion/footprint.h"
#include "fusion/live_values.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// A dimension with room for the lanes of a warp.
constexpr int64_t kLongDim = 32;

/// Channels that one thread computes at most.
constexpr int64_t kMostSlices = 4;

/// Instructions of finding the place of a point of a tile in shared memory, and of its guard.
constexpr double kIndexAtBlock = 10;

double product(const std::vector<double> &extents) {
    return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
}

const Member *member_of(const Group &group, Vertex stage) {
    const auto found =
        std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == stage; });
    return found == group.members.end() ? nullptr : &*found;
}

/// Points of a frame that a block walks, by dimension.
std::vector<double> walked(const StageGraph &graph, const Group &group, Vertex frame, const Tile &tile) {
    return frame == group.outputs[0] ? block_tile(graph[frame].dims.size(), tile)
                                     : box_at_block(graph, group, *member_of(group, frame), tile);
}

}  // namespace

std::vector<Use> reads_by_others(const Member &member) {
    std::vector<Use> reads;
    std::copy_if(member.uses.begin(), member.uses.end(), std::back_inserter(reads),
                 [&](const Use &u) { return u.frame != member.stage; });
    return reads;
}

TiledDims tiled_dims(const StageGraph &graph, const Group &group) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    std::vector<int64_t> reach(out.dims.size());
    std::vector<bool> is_missed(out.dims.size());
    const auto add = [&](const std::vector<Use> &uses) {
        for (const Use &use : uses) {
            for (size_t d = 0; d < use.follows.size() && use.frame == output; d++) {
                if (use.follows[d] >= 0 && use.follows[d] < (int)reach.size()) {
                    reach[use.follows[d]] += use.reach[d].span();
                }
            }
            for (int dim = 0; dim < (int)reach.size(); dim++) {
                const bool follows = std::count(use.follows.begin(), use.follows.end(), dim) > 0;
                is_missed[dim] = is_missed[dim] || (use.frame == output && !follows);
            }
        }
    };
    for (const Member &member : group.members) {
        add(member.uses);
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
        if (dim != dims.x && dim != dims.y && dims.z < 0 && extent > 1 && extent <= kMostSlices && is_missed[dim]) {
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
    const auto any = [](const std::vector<Use> &uses) { return std::any_of(uses.begin(), uses.end(), has_span); };
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return any(m.uses); }) ||
           std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return any(i.uses); });
}

bool is_shared_by_neighbours(const StageGraph &graph, const Member &member) {
    const bool at_block =
        member.placement == Placement::AtBlock && std::any_of(member.uses.begin(), member.uses.end(), has_span);
    return !graph[member.stage].has_updates && (at_block || member.placement == Placement::AtThread);
}

Decision can_tile(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    if (group.outputs.size() != 1 || !group.staged.empty() || out.update > 0 || out.has_updates || out.dims.empty()) {
        return Decision::forbid(stage_name(out) + " is not computed in tiles of independent points");
    }
    const TiledDims dims = tiled_dims(graph, group);
    double slices = 1;
    for (int d = 0; d < (int)out.dims.size(); d++) {
        slices *= d == dims.x || d == dims.y ? 1 : (double)out.dims[d].extent;
    }
    if (slices > kMostBlocksAcross) {
        return Decision::forbid(out.func + " has more slices of tiles than a grid has blocks in its second dimension");
    }
    for (const Member &member : group.members) {
        if (graph[member.stage].has_updates || member.placement == Placement::Inlined ||
            member.stage == group.outputs[0]) {
            continue;
        }
        const std::string &name = graph[member.stage].func;
        const std::vector<Use> reads = reads_by_others(member);
        for (const Use &use : reads) {
            if (!use.is_box) {
                return Decision::forbid("what a tile of " + out.func + " needs of " + name + " has no constant size");
            }
        }
        if (member.placement == Placement::AtThread) {
            const bool inside =
                std::any_of(reads.begin(), reads.end(), [&](const Use &use) { return use.frame != group.outputs[0]; });
            if (inside) {
                return Decision::forbid(name + " is read by threads that compute a tile in shared memory too");
            }
            continue;
        }
        const auto covers = [&](int dim) {
            return dim < 0 || std::count(member.follows.begin(), member.follows.end(), dim);
        };
        if (reads.size() != 1 || !covers(dims.x) || !covers(dims.y)) {
            return Decision::forbid("a block of " + out.func + " reads " + name +
                                    " in several ways, or the same points as other blocks");
        }
    }
    return Decision::allow();
}

std::vector<double> box_at_block(const StageGraph &graph, const Group &group, const Member &member, const Tile &tile) {
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

StencilWork stencil_work(const StageGraph &graph, const Group &group, const Tile &tile) {
    const Vertex output = group.outputs[0];
    const double points = graph[output].points();
    const TiledDims &dims = tile.dims;
    const size_t rank = graph[output].dims.size();
    const std::vector<double> thread = thread_tile(rank, tile), block = block_tile(rank, tile), one;
    const double blocks = points / product(block);
    StencilWork work;
    // Points of each frame: of the output all, of a stage at the block what all blocks compute.
    std::map<Vertex, double> frames = {{output, points}};
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            double others = 1;
            for (const Use &use : reads_by_others(member)) {
                others = std::max(others, use.others);
            }
            const std::vector<double> box = box_at_block(graph, group, member, tile);
            // Threads walk it in whole rounds, and the last ones are not full.
            double rounds = others * product(box);
            for (size_t d = 0; d < box.size(); d++) {
                const double step = member.follows[d] < 0         ? 1
                                    : member.follows[d] == dims.x ? tile.lanes
                                    : member.follows[d] == dims.y ? (double)tile.threads / tile.lanes
                                                                  : 1;
                rounds *= std::ceil(box[d] / step) * step / box[d];
            }
            frames[member.stage] = blocks * rounds;
            work.overhead += blocks * rounds * kIndexAtBlock;
            work.loads += blocks * rounds;  // stores
            work.shared_bytes += others * product(box) * graph[member.stage].value_bytes;
        }
    }
    const auto times = [&](const Use &use) {
        return frames.at(use.frame) * evaluations_a_point(use, use.frame == output ? thread : one);
    };
    const auto keeps = [&](Vertex stage, const Use &use) {
        // Rows that are done leave the registers as a thread walks down.
        double values = use.others;
        for (size_t d = 0; d < use.follows.size(); d++) {
            const double span = (double)use.reach[d].span();
            values *= use.follows[d] == dims.x ? tile.vector + span : use.follows[d] >= 0 ? 1 + span : 1;
        }
        work.values_kept += values * words(graph[stage]);
    };
    for (const Member &member : group.members) {
        const bool at_block = member.placement == Placement::AtBlock;
        const Work &a_point = graph[member.stage].work;
        double &evaluations = work.evaluations[member.stage];
        evaluations = at_block ? frames.at(member.stage) : 0;
        work.instructions += evaluations * a_point.total();
        for (const Use &use : at_block ? reads_by_others(member) : member.uses) {
            (at_block ? work.loads : evaluations) += times(use);
            work.instructions += at_block ? 0
                                          : frames.at(use.frame) *
                                                instructions_a_point(use, use.frame == output ? thread : one, a_point);
            if (member.placement == Placement::AtThread) {
                keeps(member.stage, use);
            }
        }
    }
    double loaded = 0, distinct = 0;
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            work.loads += times(use);
            // Of what blocks read twice, the L2 gives the second.
            const double by_blocks = frames.at(use.frame) * (use.frame == output ? evaluations_a_point(use, block) : 1);
            loaded += by_blocks * graph[input.producer].value_bytes;
        }
        distinct += input.bytes;
    }
    work.halo = distinct > 0 ? std::max(1.0, loaded / distinct) : 1;
    return work;
}

}  // namespace fusion

#include "fusion/stencil_kernel.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

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

/// Instructions of finding the place of a point of a tile in shared memory, and of its guard.
constexpr double kIndexAtBlock = 10;

/// Microseconds that a block alone takes from one barrier to the next: a load from the L2, what follows it, a store. Not
/// measured.
constexpr double kPhase = 0.5;

double product(const std::vector<double> &extents) {
    return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
}

bool spans(const Use &use) {
    return has_span(use);
}

/// Lines of memory that the threads of a warp load together, over those of neighbours: of a stride they take every so many.
double lines_of(const StageGraph &graph, Vertex producer, const Use &use, int across) {
    const int row = contiguous_dim(graph[producer]);
    const Rate rate = row < 0 || row >= (int)use.follows.size() ? Rate() : rate_at(use, (size_t)row);
    return rate.loop >= 0 && rate.steps > rate.of ? (double)rate.steps / (double)rate.of * across : 1;
}

/// Both are of one box: f(x, c) and f(x, 3) are not.
bool is_beside(const Use &use, const Use &other) {
    bool is_one = use.frame == other.frame;
    for (size_t d = 0; d < use.follows.size() && is_one; d++) {
        is_one = move_together(rate_at(use, d), rate_at(other, d));
    }
    return is_one;
}

/// A thread keeps what its points need along strides. Else the compiler finds what rows share only where they move one by
/// one: of the address of row 2 * (y + 1) - 1 it does not see that it is that of 2 * y + 1 (PTX of local_laplacian, 2026-11-30:
/// 4 points below each other load 100 values of 55).
bool keeps_strides(const StageGraph &graph, const Group &group, int dim) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        bool moves = false;
        for (const Use &use : m.uses) {
            for (size_t d = 0; d < use.follows.size(); d++) {
                moves = moves || (rate_at(use, d).loop == dim && rate_at(use, d).steps > 1);
            }
        }
        return m.placement == Placement::AtThread && !graph[m.stage].has_updates && moves;
    });
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

StencilWork stencil_work(const StageGraph &graph, const Group &planned, const Tile &tile) {
    const std::optional<Group> chosen = with_choices(planned, tile);
    const Group &group = chosen ? *chosen : planned;
    const Vertex output = group.outputs[0];
    const double points = graph[output].points();
    const TiledDims &dims = tile.dims;
    const size_t rank = graph[output].dims.size();
    const std::vector<double> thread = thread_tile(rank, tile), block = block_tile(rank, tile), one;
    const double blocks = points / product(block);
    StencilWork work;
    // Points of each frame: of the output all, of a stage at the block what all blocks compute.
    std::map<Vertex, double> frames = {{output, points}};
    std::map<Vertex, std::vector<double>> boxes = {{output, block}};  // what a block walks of each
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            double others = 1;
            for (const Use &use : reads_by_others(member)) {
                others = std::max(others, use.others);
            }
            const std::vector<double> &box = boxes[member.stage] = box_of(member.sides, block);
            // Threads walk it in whole rounds, and the last ones are not full.
            double rounds = others * product(box);
            for (size_t d = 0; d < box.size(); d++) {
                const int dim = member.sides[d].loop;
                const double step = dim < 0         ? 1
                                    : dim == dims.x ? tile.lanes
                                    : dim == dims.y ? (double)tile.threads / tile.lanes
                                                    : 1;
                rounds *= std::ceil(box[d] / step) * step / box[d];
            }
            frames[member.stage] = blocks * rounds;
            work.overhead += blocks * rounds * kIndexAtBlock;
            work.loads += blocks * rounds;  // stores
            work.shared_bytes += others * product(box) * graph[member.stage].value_bytes;
            work.latency_us += kPhase;
        }
    }
    const bool is_kept_apart = keeps_strides(graph, group, dims.y);
    const auto shares = [&](const Use &use) {
        std::vector<double> points = use.frame == output ? thread : one;
        for (size_t d = 0; d < use.follows.size() && dims.y >= 0 && !points.empty() && !is_kept_apart; d++) {
            const Rate rate = rate_at(use, d);
            points[dims.y] = rate.loop == dims.y && rate.steps > 1 ? 1 : points[dims.y];
        }
        return points;
    };
    const auto times = [&](const Use &use) { return frames.at(use.frame) * evaluations_a_point(use, shares(use)); };
    const auto keeps = [&](Vertex stage, const Use &use) {
        // Rows that are done leave the registers as a thread walks down.
        double values = use.others;
        for (size_t d = 0; d < use.follows.size(); d++) {
            const Rate rate = rate_at(use, d);
            values *= rate.loop < 0 ? 1 : values_along(rate, rate.loop == dims.x ? tile.vector : 1);
        }
        work.values_kept += values * words(graph[stage]);
    };
    for (const Member &member : group.members) {
        const bool at_block = member.placement == Placement::AtBlock;
        const Stage &stage = graph[member.stage];
        double &evaluations = work.evaluations[member.stage], &flops = work.flops[member.stage];
        evaluations = at_block ? frames.at(member.stage) : 0;
        flops = evaluations * stage.work.total();
        work.instructions += flops;
        for (const Use &use : at_block ? reads_by_others(member) : member.uses) {
            const Work &a_point = chosen && use.is_chosen ? stage.chosen : stage.work;
            (at_block ? work.loads : evaluations) += times(use);
            flops += at_block ? 0 : times(use) * a_point.total();
            work.instructions += at_block ? 0 : frames.at(use.frame) * instructions_a_point(use, shares(use), a_point);
            if (member.placement == Placement::AtThread) {
                keeps(member.stage, use);
            }
        }
    }
    double loaded = 0, distinct = 0;
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            work.loads += times(use) * lines_of(graph, input.producer, use, use.frame == output ? tile.vector : 1);
            // Of what blocks read twice, the L2 gives the second.
            const std::vector<double> &box = boxes.at(use.frame);
            loaded += frames.at(use.frame) * points_a_point(use, box) * graph[input.producer].value_bytes;
        }
        distinct += input.bytes;
    }
    work.halo = distinct > 0 ? std::max(1.0, loaded / distinct) : 1;
    return work;
}

}  // namespace fusion

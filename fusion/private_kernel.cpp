#include "fusion/private_kernel.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/owned_tables.h"
#include "fusion/parallel_kernel.h"
#include "fusion/reduction_kernel.h"

namespace fusion {
namespace {

/// Bytes of local memory that a thread may have: a full multiprocessor's 2048 threads fill the L1 with half of them.
constexpr double kMostLocalBytes = 256;

/// Shared memory of a block that is left to the compiler.
constexpr double kReservedShared = 1024;

/// Microseconds of one step of a loop that reads back what it has written. In a thread's local memory: a histogram of 15 levels,
/// 256 steps in 178 us. In shared memory: a running sum of 255 in 11 us. H200, 2026-11-30.
constexpr double kLocalStep = 0.7, kSharedStep = 0.04;

/// Microseconds of an instruction of a thread that has nobody to hide behind: some four cycles, of which half overlap.
constexpr double kAlone = 0.0012;

/// Instructions of an atomic addition to shared memory.
constexpr double kAtomic = 16;

double points_of(const Stage &stage, const std::vector<int> &dims) {
    double points = 1;
    for (const int d : dims) {
        points *= (double)stage.dims[d].extent;
    }
    return points;
}

bool fits_a_thread(const StageGraph &graph, Vertex stage) {
    return !owned_dims(graph, stage).empty() && owned_bytes(graph, stage) <= kMostLocalBytes;
}

double shared_bytes(const StageGraph &graph, Vertex stage) {
    double bytes = owned_bytes(graph, stage);
    const std::vector<int> owned = owned_dims(graph, stage);
    for (const int d : graph[stage].memory_order) {
        const bool is_kept = std::isfinite(bytes) && !std::count(owned.begin(), owned.end(), d);
        bytes *= is_kept ? (double)kept_extent(graph, stage, d) / (double)graph[stage].most_extent[d] : 1;
    }
    return bytes;
}

bool fits_a_block(const StageGraph &graph, Vertex stage, const Device &device) {
    return shared_bytes(graph, stage) + kReservedShared <= device.shared_per_block;
}

/// Points of the loops that the threads of a block share.
double shared_points(const StageGraph &graph, Vertex update) {
    const SharedLoops shared = shared_loops(graph, update);
    double points = points_of(graph[update], shared.dims);
    for (const int r : shared.rvars) {
        points *= (double)std::max<int64_t>(graph[update].reduction[r].extent, 1);
    }
    return points;
}

/// Steps that a thread of the block walks of the loop that all share.
double turns_of(const StageGraph &graph, const Member &update, const Tile &tile) {
    const int64_t steps = graph[update.stage].reduction[shared_rvar(graph, update)].extent;
    return std::ceil((double)std::max<int64_t>(steps, 1) / tile.threads);
}

/// Instructions of all steps of an update to which the threads of the block add: what is the same for all steps of their loop,
/// the innermost one, is outside of it.
double scattering(const StageGraph &graph, const Member &update, const Tile &tile) {
    const Stage &stage = graph[update.stage];
    const size_t loop = stage.dims.size() + (size_t)shared_rvar(graph, update);
    double all = stage.work.shares.empty() ? stage.work.total() : 0;
    for (const Share &share : stage.work.shares) {
        all += share.instructions / (share.uses(loop) ? 1 : turns_of(graph, update, tile));
    }
    return update.evaluations * all;
}

PrivateWork private_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Vertex output = group.outputs[0];
    const double owners = std::max(1.0, points_of(graph[output], owned_dims(graph, output)));
    const double elements = graph[output].elements() / owners;
    const bool is_block = tile.reducing > 1;
    PrivateWork work;
    work.threads = is_block ? owners * tile.threads : owners;
    work.instructions = work.threads * kIndex;
    work.shared_bytes = is_block ? (int)std::min(1e9, shared_bytes(graph, output)) : 0;
    const bool together = is_block && is_walked_together(graph, output);
    const double evaluating = is_block && graph[output].scatters ? INFINITY : together ? owners * tile.threads : owners;
    work.latency_us = together ? device.memory_latency.value : 0;
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        const bool is_update = stage.func_id == graph[output].func_id && stage.update > 0;
        const bool is_shared = is_update && together && !shared_loops(graph, member.stage).empty();
        work.instructions +=
            is_block && stage.scatters ? scattering(graph, member, tile) : member.evaluations * stage.work.total();
        work.latency_us += is_shared ? 0 : member.evaluations * stage.work.total() / evaluating * kAlone;
        if (!is_update) {
            continue;
        }
        const double steps = stage.points() / owners;
        if (stage.scatters && is_block) {
            work.instructions += stage.points() * kAtomic;
            const double in_flight = turns_of(graph, member, tile) >= kWrittenOutSteps ? kWrittenOutSteps : 1;
            work.latency_us += std::ceil(steps / tile.threads / in_flight) * device.memory_latency;
        } else {
            // Threads of a warp that do not work wait as long as those that do.
            const double shared = is_shared ? shared_points(graph, member.stage) : 1;
            const double idle = std::ceil(shared / 32) * 32 / shared - 1;
            work.instructions += is_block ? steps * owners * stage.work.total() * idle : 0;
            const double step = is_block ? kSharedStep : stage.places == Places::Own ? 0 : kLocalStep;
            work.instructions += !is_block && stage.places == Places::Data ? 2 * stage.points() * kLineApart : 0;
            work.latency_us += steps / shared * std::ceil(shared / tile.threads) * step;
            work.latency_us += stage.reduction.empty() || is_shared ? 0 : device.memory_latency.value;
        }
    }
    work.latency_us += elements / (is_block ? tile.threads : 1) * (is_block ? 2 * kSharedStep : kSharedStep);
    return work;
}

}  // namespace

double owned_bytes(const StageGraph &graph, Vertex stage) {
    const Stage &s = graph[stage];
    const std::vector<int> owned = owned_dims(graph, stage);
    double bytes = s.value_bytes;
    for (int d = 0; d < (int)s.dims.size(); d++) {
        if (!std::count(owned.begin(), owned.end(), d)) {
            const bool is_bounded = d < (int)s.most_extent.size() && s.most_extent[d] > 0;
            bytes *= is_bounded ? (double)s.most_extent[d] : INFINITY;
        }
    }
    return bytes;
}

std::vector<Vertex> definitions_of(const StageGraph &graph, Vertex stage) {
    std::vector<Vertex> definitions;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        if (graph[v].func_id == graph[stage].func_id) {
            definitions.push_back(v);
        }
    }
    return definitions;
}

std::vector<int> owned_dims(const StageGraph &graph, Vertex stage) {
    std::vector<int> owned = graph[stage].memory_order;
    for (const Vertex v : definitions_of(graph, stage)) {
        const std::vector<int> &independent = graph[v].independent;
        std::erase_if(owned, [&](int d) { return !std::count(independent.begin(), independent.end(), d); });
    }
    return owned;
}

SharedLoops shared_loops(const StageGraph &graph, Vertex update) {
    const Stage &stage = graph[update];
    const std::vector<int> owned = owned_dims(graph, update);
    SharedLoops shared;
    for (const int d : stage.memory_order) {
        if (std::count(stage.independent.begin(), stage.independent.end(), d) &&
            !std::count(owned.begin(), owned.end(), d)) {
            shared.dims.push_back(d);
        }
    }
    if (shared.dims.empty()) {
        shared.rvars = stage.unordered;
    }
    return shared;
}

bool is_walked_together(const StageGraph &graph, Vertex stage) {
    const std::vector<Vertex> definitions = definitions_of(graph, stage);
    return std::any_of(definitions.begin(), definitions.end(), [&](Vertex v) {
        return graph[v].update > 0 && !graph[v].scatters && !shared_loops(graph, v).empty();
    });
}

int64_t kept_extent(const StageGraph &graph, Vertex stage, int dim) {
    const std::vector<int> owned = owned_dims(graph, stage);
    const int64_t most = graph[stage].most_extent[dim];
    const auto is_kept = [&](int d) { return !std::count(owned.begin(), owned.end(), d); };
    const std::vector<int> &order = graph[stage].memory_order;
    const auto row = std::find_if(order.begin(), order.end(), is_kept);
    if (!is_kept(dim) || row == order.end() || *row != dim || most % 2 == 1) {
        return is_kept(dim) ? most : 1;
    }
    // Threads that walk another dimension are a row apart.
    const std::vector<Vertex> definitions = definitions_of(graph, stage);
    const bool meets = std::any_of(definitions.begin(), definitions.end(), [&](Vertex v) {
        const std::vector<int> dims = graph[v].update > 0 ? shared_loops(graph, v).dims : std::vector<int>();
        return !dims.empty() && !std::count(dims.begin(), dims.end(), dim);
    });
    return most + (meets ? 1 : 0);
}

int lane_dim(const StageGraph &graph, Vertex stage) {
    const Stage &s = graph[stage];
    const std::vector<int> owned = owned_dims(graph, stage);
    int lane = -1;
    for (const int d : s.memory_order) {
        if (!std::count(owned.begin(), owned.end(), d) && (lane < 0 || s.dims[d].extent > s.dims[lane].extent)) {
            lane = d;
        }
    }
    return lane;
}

bool can_be_private(const StageGraph &graph, Vertex stage, const Device &device) {
    const Stage &s = graph[stage];
    const std::vector<Vertex> definitions = definitions_of(graph, stage);
    const bool is_free = std::all_of(definitions.begin(), definitions.end(), [&](Vertex v) {
        return graph[v].kept_apart.empty() && graph[v].gpu_refusal.empty();
    });
    return s.role == Role::Intermediate && s.has_updates && !s.is_extern && !s.scheduled_by_user && !s.unbounded &&
           is_free && lane_dim(graph, stage) >= 0 &&
           (fits_a_thread(graph, stage) || fits_a_block(graph, stage, device));
}

bool is_private(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        return m.stage != group.outputs[0] && graph[m.stage].func_id == out.func_id;
    });
}

PrivateWork owned_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    if (group.kind != Template::Private) {
        return parallel_work(graph, group, tile, device);
    }
    return has_table_tile(tile) ? table_work(graph, group, tile, device) : private_work(graph, group, tile, device);
}

std::vector<Tile> private_tiles(const StageGraph &graph, const Group &group, const Device &device) {
    const Vertex output = group.outputs[0];
    std::vector<Tile> tiles = table_tiles(graph, group, device);
    for (int threads = 32; fits_a_thread(graph, output) && threads <= 256; threads *= 2) {
        tiles.push_back({.threads = threads, .reducing = 1});
    }
    for (int threads = 32; fits_a_block(graph, output, device) && threads <= (int)device.threads_per_block;
         threads *= 2) {
        tiles.push_back({.threads = threads, .reducing = threads});
    }
    return tiles;
}

}  // namespace fusion

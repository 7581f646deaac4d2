#include "fusion/private_kernel.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/owned_tables.h"

namespace fusion {
namespace {

/// Bytes of local memory that a thread may have: a full multiprocessor's 2048 threads fill the L1 with half of them.
constexpr double kMostLocalBytes = 256;

/// Shared memory of a block that is left to the compiler.
constexpr double kReservedShared = 1024;

/// Microseconds of one step of a loop that reads back what it has written. In memory: of two variables, where the compiler
/// cannot tell one place from another (vert_log of max_filter: 12,900 steps in 4.8 ms); where it can, several steps are
/// written out together and what one leaves to the next stays in a register (blur of iir_blur: 2560 steps by eights in 0.175 ms); where data say (a
/// histogram a row: 1536 steps in 0.84 ms). In a thread's local
/// memory (a histogram of 15 levels: 256 steps in 178 us). In shared memory: a running sum of
/// 255 in 11 us. H200, 2026-11-30.
constexpr double kMemoryStep = 0.37, kWrittenOut = 0.56, kDataStep = 0.55, kLocalStep = 0.7, kSharedStep = 0.04;

/// Microseconds of an instruction of a thread that has nobody to hide behind: some four cycles, of which half overlap.
constexpr double kAlone = 0.0012;

/// Loads in flight where the template unrolls, and instructions of an atomic addition to shared memory.
constexpr double kUnrolled = 4, kAtomic = 16;

/// Instructions of the steps that are written out together: each branch holds them.
constexpr double kMostWrittenOut = 512;

/// Instructions of finding a thread's point.
constexpr double kIndex = 40;

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

bool fits_a_block(const StageGraph &graph, Vertex stage, const Device &device) {
    return owned_bytes(graph, stage) + kReservedShared <= device.shared_per_block;
}

PrivateWork private_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Vertex output = group.outputs[0];
    const double owners = std::max(1.0, points_of(graph[output], owned_dims(graph, output)));
    const double elements = graph[output].elements() / owners;
    const bool is_block = tile.reducing > 1;
    PrivateWork work;
    work.threads = is_block ? owners * tile.threads : owners;
    work.instructions = work.threads * kIndex;
    work.shared_bytes = is_block ? (int)std::min(1e9, owned_bytes(graph, output)) : 0;
    const bool shares = is_block && graph[output].scatters;
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        work.instructions += member.evaluations * stage.work.total();
        work.latency_us += shares ? 0 : member.evaluations * stage.work.total() / owners * kAlone;
        if (stage.func_id != graph[output].func_id || stage.update == 0) {
            continue;
        }
        const double steps = stage.points() / owners;
        if (stage.scatters && is_block) {
            work.instructions += stage.points() * kAtomic;
            work.latency_us += std::ceil(steps / tile.threads / kUnrolled) * device.memory_latency;
        } else {
            // One thread of a warp works: the others wait as long as it.
            work.instructions += is_block ? steps * owners * stage.work.total() * 31 : 0;
            const double step = is_block ? kSharedStep : stage.places == Places::Own ? 0 : kLocalStep;
            work.instructions += !is_block && stage.places == Places::Data ? 2 * stage.points() * kLineApart : 0;
            work.latency_us += steps * step + (stage.reduction.empty() ? 0 : device.memory_latency.value);
        }
    }
    work.latency_us += elements / (is_block ? tile.threads : 1) * (is_block ? 2 * kSharedStep : kSharedStep);
    return work;
}

PrivateWork parallel_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Stage &stage = graph[group.outputs[0]];
    PrivateWork work;
    work.launches = launches_around(stage, tile);
    work.threads = 1;
    for (const int loop : stage.loops_at_once(tile.around)) {
        work.threads *= std::max(1.0, (double)stage.loop(loop).extent);
    }
    const double steps = std::max(1.0, stage.points() / work.threads / work.launches);
    for (const Member &member : group.members) {
        work.instructions += member.evaluations * graph[member.stage].work.total();
    }
    work.instructions += work.threads * work.launches * kIndex;
    const double step = stage.places == Places::Data ? kDataStep
                        : stage.reduction.size() > 1 ? kMemoryStep
                                                     : kWrittenOut / tile.per_thread;
    work.latency_us = work.launches * ((steps - 1) * step + device.memory_latency);
    // A block that is not full takes as long as one that is.
    work.threads = std::ceil(work.threads / tile.threads) * tile.threads;
    return work;
}

}  // namespace

double launches_around(const Stage &stage, const Tile &tile) {
    double launches = 1;
    for (size_t r = stage.reduction.size() - tile.around; r < stage.reduction.size(); r++) {
        launches *= std::max(1.0, (double)stage.reduction[r].extent);
    }
    return launches;
}

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

std::vector<Tile> parallel_tiles(const StageGraph &graph, const Group &group) {
    const Stage &stage = graph[group.outputs[0]];
    std::vector<Tile> tiles = {{.per_thread = 1}};
    for (int around = 1; around < (int)stage.side_by_side.size(); around++) {
        if (!stage.side_by_side[around].empty()) {
            tiles.push_back({.per_thread = 1, .around = around});
        }
    }
    for (const int steps : {kWrittenOutSteps, 2 * kWrittenOutSteps, 4 * kWrittenOutSteps}) {
        double instructions = 0;
        for (const Member &member : group.members) {
            instructions +=
                steps * member.evaluations / std::max(1.0, stage.points()) * graph[member.stage].work.total();
        }
        if (stage.reduction.size() == 1 && stage.reduction[0].extent >= steps && instructions <= kMostWrittenOut) {
            tiles.push_back({.per_thread = steps});
        }
    }
    return tiles;
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

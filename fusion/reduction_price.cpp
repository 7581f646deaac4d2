#include "fusion/reduction_price.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/footprint.h"
#include "fusion/reduction_kernel.h"

namespace fusion {
namespace {

/// Instructions a thread: finding its row and column, and a reduction's exchange through shared memory with its barriers.
/// softmax 131072 x 1024: 256 threads a row 288 us, 128 threads 256 us (the copy's speed); H200, 2026-11-29.
constexpr double kIndex = 40, kExchange = 80;

/// Time of a reduction's exchange in one block, and of one step of a pass over a row that the L1 holds (same source).
constexpr double kExchangeLatency = 0.6, kCachedStep = 0.05;

/// Blocks of 1024 threads that walk single elements: 0.62x the copy where 512 had 0.94x (rows of 16384, same source).
constexpr int kMostScalarThreads = 512;

/// Elements of 4 bytes in a sector, the least that memory moves.
constexpr double kSector = 8;

double product(const std::vector<Extent> &extents) {
    double points = 1;
    for (const Extent &extent : extents) {
        points *= (double)extent.extent;
    }
    return points;
}

/// Steps of a thread that shares `points` with `threads` others, `vector` neighbours of `lane` at a time.
double steps(double points, double lane, int threads, int vector) {
    return std::ceil(lane / (threads * vector)) * (points / std::max(1.0, lane));
}

double column_points(const Stage &out, const ReductionShape &shape) {
    double points = 1;
    for (const int dim : shape.columns) {
        points *= (double)out.dims[dim].extent;
    }
    return points;
}

/// Some reduction of the kernel needs the value of another: its parts cannot be reduced before that is complete.
bool reduces_in_steps(const StageGraph &graph, const std::vector<Member> &reductions, const Group &group) {
    std::set<Vertex> members, kinds;
    for (const Member &member : group.members) {
        members.insert(member.stage);
    }
    for (const Member &reduction : reductions) {
        kinds.insert(reduction.stage);
    }
    for (const Vertex from : kinds) {
        std::set<Vertex> reached = {from};
        for (const Vertex at : reached) {  // consumers have higher numbers
            if (at != from && kinds.count(at)) {
                return true;
            }
            for (const Vertex consumer : consumers_of(graph, at)) {
                if (members.count(consumer)) {
                    reached.insert(consumer);
                }
            }
        }
    }
    return false;
}

bool reads_words(const StageGraph &graph, const Group &group) {
    return std::all_of(group.inputs.begin(), group.inputs.end(), [&](const Input &input) {
        const Stage &producer = graph[input.producer];
        return !input.streams || (producer.element_bytes.size() == 1 && producer.value_bytes == 4);
    });
}

}  // namespace

double steps_in_flight(int vector) {
    return vector > 1 ? 2 : 4;
}

BlockWork block_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Stage &out = graph[group.outputs[0]];
    const ReductionShape shape = reduction_shape(graph, group);
    const std::vector<Member> reductions = reductions_of(graph, group);
    const int points_a_block = tile.threads / tile.reducing;
    BlockWork work;
    double kept = 1;
    for (size_t i = 0; i < shape.kept.size(); i++) {
        const double extent = (double)out.dims[shape.kept[i]].extent;
        work.rows *= extent;
        kept *= i == 0 ? std::ceil(extent / points_a_block) : extent;
    }
    work.blocks = kept * tile.chunks;
    double walked = 0, useful = 0, first = 0;
    for (const Member &reduction : reductions) {
        const Stage &stage = graph[reduction.stage];
        const double points = product(stage.reduction) / tile.chunks;
        const bool on_lanes = reduces_along_lanes(graph, reduction);
        const int shared = shared_rvar(graph, reduction), cut = chunked_rvar(graph, reduction);
        const double lane = (double)stage.reduction[shared].extent / (cut == shared ? tile.chunks : 1);
        const double here = steps(points, lane, tile.reducing, on_lanes ? tile.vector : 1);
        walked += here * tile.reducing * (on_lanes ? tile.vector : 1);
        useful += points;
        work.latency_us += std::ceil(here / steps_in_flight(tile.vector)) * (first == 0 ? device.memory_latency.value : kCachedStep);
        first = here;
        const double neighbours = on_lanes ? tile.reducing * tile.vector : points_a_block;
        work.uncoalesced = std::max(work.uncoalesced, kSector / std::min(kSector, neighbours));
        // Partial results of each thread, then of each sixteenth, and the value.
        work.shared_bytes += (int)(tile.threads + 33 * points_a_block) * stage.value_bytes;
        work.partial_bytes += tile.chunks > 1 ? 2 * stage.elements() * tile.chunks * stage.value_bytes : 0;
    }
    if (!shape.columns.empty()) {
        const double points = column_points(out, shape) / tile.chunks;
        const bool on_lanes = shape.columns[0] == contiguous_dim(out);
        const double lane = on_lanes ? (double)out.dims[shape.columns[0]].extent / tile.chunks : points;
        const double here = steps(points, lane, tile.reducing, on_lanes ? tile.vector : 1);
        walked += here * tile.reducing * (on_lanes ? tile.vector : 1);
        useful += points;
        work.latency_us += std::ceil(here / steps_in_flight(tile.vector)) * kCachedStep;
    }
    work.padding = std::max(1.0, walked / std::max(1.0, useful));
    if (tile.reducing == 1) {
        work.shared_bytes = 0;
        work.overhead = kIndex;
    } else {
        work.overhead = kIndex + kExchange * (double)reductions.size();
        work.latency_us += kExchangeLatency * (double)reductions.size();
    }
    for (const Input &input : group.inputs) {
        work.walked_bytes += input.passes > 1.5 ? input.bytes / work.blocks : 0;
    }
    work.partial_launches = tile.chunks > 1 ? (int)reductions.size() : 0;
    return work;
}

std::vector<Tile> reduction_tiles(const StageGraph &graph, const Group &group, const Device &device,
                                  const Limits &limits) {
    const std::vector<Member> reductions = reductions_of(graph, group);
    const Stage &first = graph[reductions[0].stage];
    const bool on_lanes = std::all_of(reductions.begin(), reductions.end(),
                                      [&](const Member &m) { return reduces_along_lanes(graph, m); });
    bool whole_vectors = on_lanes && reads_words(graph, group);
    double longest = 1, shortest_cut = 1e18;
    for (const Member &reduction : reductions) {
        const Stage &stage = graph[reduction.stage];
        longest = std::max(longest, product(stage.reduction));
        shortest_cut = std::min(shortest_cut, (double)stage.reduction[chunked_rvar(graph, reduction)].extent);
        whole_vectors = whole_vectors && stage.reduction[shared_rvar(graph, reduction)].extent % limits.vector == 0;
    }
    const bool is_alone = reductions.size() == 1 && reductions[0].stage == group.outputs[0];
    const bool can_split = !reduces_in_steps(graph, reductions, group) && first.update > 0;
    std::vector<Tile> tiles;
    if (is_alone) {
        tiles.push_back({.vector = 1, .threads = 256, .reducing = 1});
    }
    for (int reducing = 8; reducing <= (int)device.threads_per_block; reducing *= 2) {
        for (int points = 1; points * reducing <= (int)device.threads_per_block; points *= 2) {
            for (const int vector : {1, whole_vectors ? limits.vector : 1}) {
                const Tile tile{.vector = vector, .threads = points * reducing, .reducing = reducing};
                if (tile.threads < 32 || (vector == 1 && on_lanes && tile.threads > kMostScalarThreads)) {
                    continue;
                }
                tiles.push_back(tile);
                const double blocks = block_work(graph, group, tile, device).blocks;
                const double enough = 16 * device.multiprocessors;
                for (int chunks = 2; can_split && blocks * chunks <= enough; chunks *= 2) {
                    if (longest / chunks >= 4.0 * reducing * vector && chunks <= shortest_cut) {
                        Tile split = tile;
                        split.chunks = chunks;
                        tiles.push_back(split);
                    }
                }
            }
        }
    }
    return tiles;
}

}  // namespace fusion

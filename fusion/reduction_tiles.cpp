#include "fusion/reduction_tiles.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/contraction_kernel.h"
#include "fusion/footprint.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_price.h"
#include "fusion/reduction_walks.h"

namespace fusion {
namespace {

/// Blocks of 1024 threads that walk single elements: 0.62x the copy where 512 had 0.94x (rows of 16384, same source).
constexpr int kMostScalarThreads = 512;

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

/// A vector of wider elements is several accesses.
bool reads_words(const StageGraph &graph, const Group &group) {
    return std::all_of(group.inputs.begin(), group.inputs.end(), [&](const Input &input) {
        const std::vector<int> &bytes = graph[input.producer].element_bytes;
        return !input.streams || std::all_of(bytes.begin(), bytes.end(), [](int b) { return b <= 4; });
    });
}

/// Halide 21's CUDA compiler aborts the process on a guarded vector of 64-bit values, and stores some others wrongly.
bool keeps_words(const StageGraph &graph, const Group &group, const std::vector<Member> &reductions) {
    const auto has_wide = [&](Vertex v) {
        const std::vector<int> &bytes = graph[v].element_bytes;
        return std::any_of(bytes.begin(), bytes.end(), [](int b) { return b > 4; });
    };
    return !has_wide(group.outputs[0]) && std::none_of(reductions.begin(), reductions.end(), [&](const Member &m) {
        return has_wide(m.stage) || graph[m.stage].no_guards;
    });
}

/// Blocks that such a tile cuts a reduction in: fewer than asked for where each folds whole rounds of what is written out.
int parts_of(const StageGraph &graph, const Group &group, const std::vector<Member> &reductions, const Tile &tile) {
    int64_t parts = 2;
    for (const Member &reduction : reductions) {
        const int64_t chunk = reduction_chunk(graph, group, reduction, tile);
        const int64_t extent = graph[reduction.stage].reduction[chunked_rvar(graph, reduction)].extent;
        parts = std::max(parts, (extent + chunk - 1) / chunk);
    }
    return (int)parts;
}

}  // namespace

std::vector<Tile> reduction_tiles(const StageGraph &graph, const Group &group, const Device &device,
                                  const Limits &limits) {
    const std::vector<Member> reductions = reductions_of(graph, group);
    if (reductions.empty()) {
        return {Tile{}};  // slices that nothing reduces: can_reduce_in_block() refuses
    }
    const int most = std::min(limits.vector, kWordVector);
    const Stage &first = graph[reductions[0].stage];
    const bool has_slices = !slices_of(graph, group).empty();
    const bool on_lanes = std::all_of(reductions.begin(), reductions.end(), [&](const Member &m) {
        return reduces_along_lanes(graph, m) || reduces_slices(graph, group, m);
    });
    bool whole_vectors = on_lanes && reads_words(graph, group) && keeps_words(graph, group, reductions);
    double longest = 1, shortest_cut = 1e18;
    for (const Member &reduction : reductions) {
        const Stage &stage = graph[reduction.stage];
        longest = std::max(longest, steps_of(stage));
        shortest_cut = std::min(shortest_cut, (double)stage.reduction[chunked_rvar(graph, reduction)].extent);
        whole_vectors = whole_vectors && stage.reduction[shared_rvar(graph, reduction)].extent % most == 0;
    }
    const ReductionShape shape = reduction_shape(graph, group);
    const int64_t column = shape.columns.empty() ? 0 : graph[group.outputs[0]].dims[shape.columns[0]].extent;
    whole_vectors = whole_vectors && column % most == 0 && (column == 0 || !graph[group.outputs[0]].no_vectors);
    const bool is_alone = reductions.size() == 1 && reductions[0].stage == group.outputs[0];
    const bool can_split = !has_slices && !reduces_in_steps(graph, reductions, group) && first.update > 0;
    std::vector<Tile> tiles;
    if (is_alone) {
        tiles.push_back({.vector = 1, .threads = 256, .reducing = 1});
    }
    for (const Tile &tile : contraction_tiles(graph, group, limits)) {
        tiles.push_back(tile);
    }
    if (!first.reassociable) {
        return tiles;
    }
    for (int reducing = 8; reducing <= (int)device.threads_per_block; reducing *= 2) {
        for (int points = 1; points * reducing <= (int)device.threads_per_block; points *= 2) {
            for (const int vector : {1, whole_vectors ? most : 1}) {
                const Tile tile{.vector = vector, .threads = points * reducing, .reducing = reducing};
                // With wide loads there are threads for all slices at once.
                const bool takes_turns = vector > 1 && turns_of_slices(graph, group, tile) > 1;
                if (tile.threads < 32 || takes_turns ||
                    (vector == 1 && on_lanes && tile.threads > kMostScalarThreads)) {
                    continue;
                }
                tiles.push_back(tile);
                const double blocks = block_work(graph, group, tile, device).blocks;
                const double enough = 16 * device.multiprocessors;
                for (const int turns : {2, 4}) {
                    Tile longer = tile;
                    longer.per_thread = turns;
                    const bool walks_on = turns == 2 && column >= 8.0 * reducing * vector;
                    const bool reads_ahead = turns == 2 && !on_lanes && is_alone && longest >= 16.0 * reducing;
                    if (vector > 1 ? walks_on || vectors_held(graph, group, longer) > turns : reads_ahead) {
                        tiles.push_back(longer);
                    }
                }
                const double most_chunks = std::min(shortest_cut, std::floor(longest / (4.0 * reducing * vector)));
                int last = 1;
                for (const int a_multiprocessor : {1, 2, 3, 4, 6, 8, 12, 16}) {
                    const double fills = std::floor(a_multiprocessor * device.multiprocessors / blocks);
                    const int chunks = (int)std::min(fills, most_chunks);
                    if (!can_split || chunks <= last) {
                        continue;
                    }
                    last = chunks;
                    for (int turns = 1; turns <= (on_lanes ? 1 : 2); turns++) {
                        Tile split = tile;
                        split.per_thread = turns;
                        split.chunks = chunks;
                        split.chunks = parts_of(graph, group, reductions, split);
                        tiles.push_back(split);
                    }
                }
                for (int bands = 2; blocks * bands <= enough && column >= 4.0 * bands * reducing * vector; bands *= 2) {
                    Tile shared = tile;
                    shared.bands = bands;
                    tiles.push_back(shared);
                }
            }
        }
    }
    return tiles;
}

}  // namespace fusion

#include "fusion/reduction_tiles.h"

#include <algorithm>
#include <set>

#include "fusion/contraction_kernel.h"
#include "fusion/footprint.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_price.h"

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

bool reads_words(const StageGraph &graph, const Group &group) {
    return std::all_of(group.inputs.begin(), group.inputs.end(), [&](const Input &input) {
        const std::vector<int> &bytes = graph[input.producer].element_bytes;
        return !input.streams || std::all_of(bytes.begin(), bytes.end(), [](int b) { return b == 4; });
    });
}

/// Halide 21's CUDA compiler aborts the process on a guarded vector of 64-bit values.
bool keeps_words(const StageGraph &graph, const Group &group, const std::vector<Member> &reductions) {
    const auto has_wide = [&](Vertex v) {
        const std::vector<int> &bytes = graph[v].element_bytes;
        return std::any_of(bytes.begin(), bytes.end(), [](int b) { return b > 4; });
    };
    return !has_wide(group.outputs[0]) &&
           std::none_of(reductions.begin(), reductions.end(), [&](const Member &m) { return has_wide(m.stage); });
}

}  // namespace

std::vector<Tile> reduction_tiles(const StageGraph &graph, const Group &group, const Device &device,
                                  const Limits &limits) {
    const std::vector<Member> reductions = reductions_of(graph, group);
    if (reductions.empty()) {
        return {Tile{}};  // slices that nothing reduces: can_reduce_in_block() refuses
    }
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
        whole_vectors = whole_vectors && stage.reduction[shared_rvar(graph, reduction)].extent % limits.vector == 0;
    }
    const ReductionShape shape = reduction_shape(graph, group);
    const int64_t column = shape.columns.empty() ? 0 : graph[group.outputs[0]].dims[shape.columns[0]].extent;
    whole_vectors = whole_vectors && column % limits.vector == 0;
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
            for (const int vector : {1, whole_vectors ? limits.vector : 1}) {
                const Tile tile{.vector = vector, .threads = points * reducing, .reducing = reducing};
                if (tile.threads < 32 || (vector == 1 && on_lanes && tile.threads > kMostScalarThreads)) {
                    continue;
                }
                tiles.push_back(tile);
                const double blocks = block_work(graph, group, tile, device).blocks;
                const double enough = 16 * device.multiprocessors;
                if (vector > 1 && column >= 8.0 * reducing * vector) {
                    Tile longer = tile;
                    longer.per_thread = 2;
                    tiles.push_back(longer);
                }
                for (int chunks = 2; can_split && blocks * chunks <= enough; chunks *= 2) {
                    if (longest / chunks >= 4.0 * reducing * vector && chunks <= shortest_cut) {
                        Tile split = tile;
                        split.chunks = chunks;
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

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "fusion/folded_kernel.h"
#include "fusion/reduction_kernel.h"
#include "fusion/room.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// Instructions of finding the place of a point in shared memory, and of its guard; and where a thread's points are written out
/// (PTX of nl_means, 2026-11-30: 3).
constexpr double kIndexAtBlock = 10, kIndexUnrolled = 3;

/// Microseconds that a block alone takes between two barriers: a load from the L2 or the L1, the sum of a window, a store. Not
/// measured.
constexpr double kPhase = 0.15;

/// Sizes that are tried: width of a tile, threads of a block, and points of a thread.
const std::vector<int> kWidths = {32, 64}, kThreads = {128, 256, 512}, kPoints = {1, 2, 4, 8};

double product(const std::vector<double> &extents) {
    return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
}

/// Points that the threads of a block walk in whole rounds, of which the last ones are not full.
double in_rounds(const StageGraph &graph, const Group &group, const Member &step, const Tile &tile) {
    const std::vector<double> box = box_of_step(graph, group, step, tile);
    const double rows = rows_of_step(graph, group, step, tile);
    double turns = 1;
    for (size_t d = 0; d < box.size(); d++) {
        turns *= step.follows[d] == tile.dims.y ? std::ceil(box[d] / rows) : box[d];
    }
    return std::ceil(turns / tile.threads) * tile.threads * rows;
}

}  // namespace

StencilWork folded_work(const StageGraph &graph, const Group &group, const Tile &tile) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    const std::vector<double> block = block_tile(out.dims.size(), tile);
    double blocks = 1;
    for (size_t d = 0; d < block.size(); d++) {
        blocks *= std::ceil((double)out.dims[d].extent / block[d]);
    }
    const std::vector<Member> folds = reductions_of(graph, group);
    const double steps = steps_of(graph[folds[0].stage]);
    StencilWork work;
    std::map<Vertex, double> frames = {{output, blocks * product(block)}};  // points, by frame
    std::map<Vertex, std::vector<double>> threads;                          // of a frame: points that a thread unrolls
    threads[output] = thread_tile(out.dims.size(), tile);
    double phases = 0;
    for (const Member &member : group.members) {
        const bool is_fold = is_reduction(graph[member.stage]);
        if (!is_of_step(graph, member) && !is_fold) {
            continue;
        }
        const std::vector<double> box = box_of_step(graph, group, member, tile);
        work.shared_bytes += product(box) * graph[member.stage].value_bytes;
        phases++;
        double &points = frames[member.stage];
        if (is_fold) {
            points = blocks * steps * product(box);
            work.overhead += points * kIndexUnrolled;
            work.loads += 2 * points;  // what it has folded so far
            threads[member.stage].clear();
            for (int d = 0; d < (int)box.size(); d++) {
                threads[member.stage].push_back(dim_of_output(group, member, d) == tile.dims.z ? tile.slices : 1);
            }
        } else {
            const double rows = rows_of_step(graph, group, member, tile);
            points = blocks * steps * in_rounds(graph, group, member, tile);
            work.overhead += points / rows * kIndexAtBlock;
            for (const int dim : member.follows) {
                threads[member.stage].push_back(dim == tile.dims.y ? rows : 1);
            }
            work.loads += points;  // stores
        }
    }
    const auto times = [&](const Use &use) {
        return frames.at(use.frame) * evaluations_a_point(use, threads[use.frame]);
    };
    for (const Member &member : group.members) {
        const bool at_block = is_of_step(graph, member) || is_reduction(graph[member.stage]);
        double &evaluations = work.evaluations[member.stage];
        evaluations = at_block ? frames.at(member.stage) : 0;
        for (const Use &use : at_block ? reads_by_others(member) : member.uses) {
            (at_block ? work.loads : evaluations) += times(use);
        }
        work.instructions += evaluations * graph[member.stage].work.total();
    }
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            work.loads += times(use);
        }
    }
    // Steps move by a few points: what they read again is in the L1.
    work.latency_us = steps * phases * kPhase;
    return work;
}

std::vector<Tile> folded_tiles(const StageGraph &graph, const Group &group, const Device &device) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    const TiledDims dims = folded_dims(graph, group);
    const int64_t width = out.dims[dims.x].extent, height = dims.y < 0 ? 1 : out.dims[dims.y].extent;
    const int slices = dims.z < 0 ? 1 : (int)out.dims[dims.z].extent;
    std::vector<Tile> tiles;
    for (const int threads : kThreads) {
        for (const int lanes : dims.y < 0 ? std::vector<int>{threads} : kWidths) {
            for (const int down : dims.y < 0 ? std::vector<int>{1} : kPoints) {
                const Tile tile{.per_thread = down, .threads = threads, .lanes = lanes, .slices = slices, .dims = dims};
                const int64_t rows = (int64_t)threads / lanes * down;
                // Where nothing shows that there is room, the branch with guards runs: rows of single points.
                const bool is_shown = down == 1 || (has_room(graph, output, dims.x, lanes) &&
                                                    (dims.y < 0 || has_room(graph, output, dims.y, rows)));
                const bool fits = lanes <= width && rows <= height && is_shown &&
                                  folded_work(graph, group, tile).shared_bytes <= device.shared_per_block;
                if (tiles.empty() || fits) {
                    tiles.push_back(tile);
                }
            }
        }
    }
    return tiles;
}

}  // namespace fusion

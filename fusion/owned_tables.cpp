#include "fusion/owned_tables.h"

#include <algorithm>
#include <cmath>

namespace fusion {
namespace {

/// Microseconds of a step that adds to a place in shared memory: a load, an addition and a store one after the other, some 60
/// cycles.
constexpr double kTableStep = 0.04;

/// Microseconds that a load takes longer for each further line of a warp: a cycle of the L1.
constexpr double kLine = 0.0006;

/// Instructions of the addition to a place, and of writing an element out.
constexpr double kAddition = 10, kWriteOut = 6;

/// Channels that a thread has at most, and that a row of threads has.
constexpr int64_t kMostSlices = 4, kMostLanes = 64;

/// Sizes that are tried.
const std::vector<int64_t> kLanes = {8, 16, 32}, kRows = {1, 2, 4, 8, 16, 32};
constexpr int64_t kMostThreads = 256;

/// Threads of a block: a warp, or part of one where that has no room.
const std::vector<int64_t> kLeastThreads = {32, 16, 8};

/// Nothing that is read moves with the dimension one by one, and a third at least of what a step computes is the same along it
/// (beside the loads, which all are).
bool is_channel(const StageGraph &graph, Vertex update, int dim) {
    for (auto [e, end] = in_edges(update, graph); e != end; ++e) {
        const Read &read = graph[*e];
        const auto moves = [&](const std::vector<int> &loops) {
            return std::count(loops.begin(), loops.end(), dim) > 0;
        };
        if (read.kind != ReadKind::InPlace && (moves(read.follows) || moves(read.runs))) {
            return false;
        }
    }
    const Stage &stage = graph[update];
    double same = 0, other = 0;
    for (const Share &share : stage.work.shares) {
        bool is_of_step = false;
        for (size_t r = 0; r < stage.reduction.size(); r++) {
            is_of_step |= share.uses(stage.dims.size() + r);
        }
        (share.uses((size_t)dim) ? other : same) += is_of_step ? share.instructions : 0;
    }
    return 2 * same > other;
}

/// Owners that a block has along a dimension.
double owners_along(const Tile &tile, int dim) {
    return dim == tile.dims.x   ? tile.lanes
           : dim == tile.dims.y ? (double)tile.threads / tile.lanes
           : dim == tile.dims.z ? tile.slices
                                : 1;
}

/// What is read along dimension `dim` of a stage moves one by one with a loop of the kernel's output, by whatever is between.
bool moves_with(const StageGraph &graph, const Group &group, Vertex stage, int dim, int loop) {
    for (auto [e, end] = out_edges(stage, graph); e != end; ++e) {
        const Vertex reader = target(*e, graph);
        const bool is_member = std::any_of(group.members.begin(), group.members.end(),
                                           [&](const Member &member) { return member.stage == reader; });
        const Read &read = graph[*e];
        if (!is_member || read.kind == ReadKind::InPlace) {
            continue;
        }
        const int runs = (read.runs.empty() ? read.follows : read.runs)[dim];
        if (reader == group.outputs[0] ? runs != loop : runs < 0 || !moves_with(graph, group, reader, runs, loop)) {
            return false;
        }
    }
    return true;
}

}  // namespace

std::vector<int> channel_dims(const StageGraph &graph, Vertex stage) {
    std::vector<int> channels = owned_dims(graph, stage);
    std::erase_if(channels, [&](int dim) { return !is_channel(graph, stage, dim); });
    return channels;
}

namespace {

/// Of blocks that have so many threads at least.
std::vector<Tile> tiles_of(const StageGraph &graph, const Group &group, const Device &device, int64_t least_threads) {
    const Vertex output = group.outputs[0];
    const Stage &update = graph[output];
    const std::vector<int> owned = owned_dims(graph, output), channels = channel_dims(graph, output);
    if (update.places != Places::Data || update.reduction.empty() || definitions_of(graph, output).size() != 2 ||
        owned.size() != update.independent.size()) {
        return {};
    }
    const auto extent = [&](int dim) { return update.dims[dim].extent; };
    TiledDims dims;
    for (const int dim : channels) {
        dims.z = dims.z < 0 && extent(dim) > 1 && extent(dim) <= kMostSlices ? dim : dims.z;
    }
    const double bytes = owned_bytes(graph, output);
    const int steps = update.reduction[0].extent >= kWrittenOutSteps ? kWrittenOutSteps : 1;
    std::vector<Tile> tiles;
    for (const int x : owned) {
        const bool is_row_of_channels = std::count(channels.begin(), channels.end(), x) > 0;
        if (x == dims.z || extent(x) < kLanes[0] || (is_row_of_channels && extent(x) > kMostLanes)) {
            continue;
        }
        dims.x = x;
        dims.y = -1;
        for (const int y : owned) {
            dims.y = dims.y < 0 && y != x && y != dims.z && extent(y) > 1 ? y : dims.y;
        }
        for (const int64_t lanes : is_row_of_channels ? std::vector<int64_t>{extent(x)} : kLanes) {
            for (const int64_t rows : kRows) {
                const Tile tile{.per_thread = steps,
                                .threads = (int)(lanes * rows),
                                .lanes = (int)lanes,
                                .slices = dims.z < 0 ? 1 : (int)extent(dims.z),
                                .dims = dims};
                const bool fits =
                    tile.threads * tile.slices * bytes <= std::min<double>(kMostTableBytes, device.shared_per_block);
                const bool has_rows = rows == 1 || (dims.y >= 0 && rows <= extent(dims.y));
                if (fits && has_rows && tile.threads >= least_threads && tile.threads <= kMostThreads) {
                    tiles.push_back(tile);
                }
            }
        }
    }
    return tiles;
}

}  // namespace

std::vector<Tile> table_tiles(const StageGraph &graph, const Group &group, const Device &device) {
    std::vector<Tile> tiles;
    for (size_t i = 0; i < kLeastThreads.size() && tiles.empty(); i++) {
        tiles = tiles_of(graph, group, device, kLeastThreads[i]);
    }
    return tiles;
}

PrivateWork table_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    double owners = 1, blocks = 1;
    for (const int dim : owned_dims(graph, output)) {
        owners *= (double)out.dims[dim].extent;
        blocks *= std::ceil((double)out.dims[dim].extent / owners_along(tile, dim));
    }
    PrivateWork work;
    work.threads = blocks * tile.threads;
    work.shared_bytes = (int)(tile.threads * tile.slices * owned_bytes(graph, output));
    const double padding = work.threads * tile.slices / owners, elements = out.elements() / owners,
                 steps = out.points() / owners;
    work.instructions = work.threads * kIndex + padding * (out.points() * kAddition + out.elements() * kWriteOut);
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        double a_point = stage.work.total();
        if (stage.func_id != out.func_id) {
            a_point /= tile.slices;
        } else if (stage.update > 0 && tile.dims.z >= 0) {
            for (const Share &share : stage.work.shares) {
                a_point -= share.uses(tile.dims.z) ? 0 : share.instructions * (1 - 1.0 / tile.slices);
            }
        }
        work.instructions += padding * member.evaluations * a_point;
    }
    const std::vector<int> channels = channel_dims(graph, output);
    const bool is_apart = !std::count(channels.begin(), channels.end(), tile.dims.x);
    double more_lines = 0;
    for (const Input &input : group.inputs) {
        const std::vector<int> &order = graph[input.producer].memory_order;
        // Lines that a warp reads: one a row of threads where these read neighbouring elements.
        const bool is_near = !order.empty() && moves_with(graph, group, input.producer, order[0], tile.dims.x);
        const double lines = !is_apart ? 1 : is_near ? std::ceil(32.0 / tile.lanes) : 32;
        more_lines += is_near ? lines - 1 : 0;
        for (const Use &use : input.uses) {
            work.instructions += padding * out.points() * use.calls / tile.slices * kLineApart * (lines - 1) / 31;
        }
    }
    work.latency_us = steps * (kTableStep + more_lines * kLine) +
                      std::ceil(steps / tile.per_thread) * device.memory_latency +
                      2 * elements * tile.slices * kTableStep / 4;
    return work;
}

}  // namespace fusion

#include "fusion/reduction_walks.h"

#include <algorithm>

#include "fusion/footprint.h"

namespace fusion {
namespace {

/// Loads in flight of a thread whose neighbours hold other columns (64 columns of 1,000,000: two 73.0 us, eight 65.2; H200,
/// 2026-12-01).
constexpr int kColumnsWrittenOut = 8;

}  // namespace

int steps_written_out(int vector, int turns, bool on_lanes) {
    return (vector > 1 ? 2 : on_lanes ? kElementsWrittenOut : kColumnsWrittenOut) * turns;
}

int64_t reduction_chunk(const StageGraph &graph, const Group &group, const Member &reduction, const Tile &tile) {
    const int cut = chunked_rvar(graph, reduction);
    const int64_t extent = graph[reduction.stage].reduction[cut].extent,
                  chunk = (extent + tile.chunks - 1) / tile.chunks;
    if (cut != shared_rvar(graph, reduction)) {
        return chunk;
    }
    const bool on_lanes = shares_lanes(graph, group);
    const int vector = on_lanes && reduces_along_lanes(graph, reduction) ? tile.vector : 1;
    const int64_t a_round = (int64_t)tile.reducing * vector;
    const int64_t rounds = a_round * steps_written_out(vector, tile.per_thread, on_lanes);
    const int64_t whole = chunk >= rounds ? rounds : a_round;
    return (chunk + whole - 1) / whole * whole;
}

int slice_lanes(const StageGraph &graph, const Member &slice, const Tile &tile) {
    const int64_t slices = graph[slice.stage].dims[slice_dim(slice)].extent;
    return slices % ((int64_t)tile.reducing * tile.vector) == 0 ? tile.vector : 1;
}

int turns_of_slices(const StageGraph &graph, const Group &group, const Tile &tile) {
    int64_t turns = 1;
    for (const Member &slice : slices_of(graph, group)) {
        const int64_t at_once = (int64_t)tile.reducing * slice_lanes(graph, slice, tile);
        turns = std::max(turns, (graph[slice.stage].dims[slice_dim(slice)].extent + at_once - 1) / at_once);
    }
    return (int)turns;
}

int vectors_held(const StageGraph &graph, const Group &group, const Tile &tile) {
    if (tile.vector == 1 || tile.chunks > 1 || tile.bands > 1 || !slices_of(graph, group).empty()) {
        return 0;
    }
    int64_t most = 0;
    bool is_whole = true;
    const auto walk = [&](int64_t extent) {
        const int64_t a_step = (int64_t)tile.reducing * tile.vector;
        most = std::max(most, extent / a_step);
        is_whole = is_whole && extent % a_step == 0;
    };
    for (const Member &reduction : reductions_of(graph, group)) {
        is_whole = is_whole && reduces_along_lanes(graph, reduction) && graph[reduction.stage].reduction.size() == 1;
        walk(graph[reduction.stage].reduction[shared_rvar(graph, reduction)].extent);
    }
    const ReductionShape shape = reduction_shape(graph, group);
    const Stage &out = graph[group.outputs[0]];
    if (!shape.columns.empty()) {
        is_whole = is_whole && shape.columns.size() == 1 && shape.columns[0] == contiguous_dim(out);
        walk(out.dims[shape.columns[0]].extent);
    }
    return is_whole && most <= steps_written_out(tile.vector, tile.per_thread, true) + 1 ? (int)most : 0;
}

}  // namespace fusion

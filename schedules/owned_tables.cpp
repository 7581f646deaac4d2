/// Tables of neighbouring owners in the shared memory of a block (owned_tables.h): its threads set theirs, add to them and
/// write them out.
#include "fusion/owned_tables.h"

#include <algorithm>

#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

const Loop kColumns = made("fusion_columns"), kBands = made("fusion_bands"), kColumn = made("fusion_column"),
           kRow = made("fusion_row"), kDeep = made("fusion_deep"), kSlice = made("fusion_slice");

/// The tile of owners, in tiles of its size: one where the block has it, as many as there are where it is stored. Returns the
/// loops over tiles and over the owned dimensions that the tile does not cover.
std::vector<Loop> walk_owners(const Emitter &emit, const Tile &tile, const std::vector<int> &owned,
                              std::vector<Loop> serial) {
    const TiledDims &dims = tile.dims;
    std::vector<Loop> outer = {kColumns}, threads = {kColumn};
    emit(Verb::Split, {arg(dims.x), kColumns, kColumn}, tile.lanes, TailStrategy::GuardWithIf);
    if (dims.y >= 0) {
        emit(Verb::Split, {arg(dims.y), kBands, kRow}, tile.threads / tile.lanes, TailStrategy::GuardWithIf);
        outer.push_back(kBands);
        threads.push_back(kRow);
    }
    if (dims.z >= 0) {
        emit(Verb::Split, {arg(dims.z), kSlice, kDeep}, tile.slices, TailStrategy::GuardWithIf);
        outer.push_back(kSlice);
        serial.insert(serial.begin(), kDeep);
    }
    for (const int dim : owned) {
        if (dim != dims.x && dim != dims.y && dim != dims.z) {
            outer.push_back(arg(dim));
        }
    }
    std::vector<Loop> order = serial;
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), outer.begin(), outer.end());
    emit(Verb::Reorder, order);
    if (dims.z >= 0) {
        emit(Verb::Unroll, {kDeep});
    }
    emit(Verb::GpuThreads, threads);
    return outer;
}

/// Blocks of the loops over tiles, where the pipeline allocates what they write: no three of them as one.
double blocks_across(const Stage &stage, const Tile &tile, const std::vector<int> &owned) {
    double across = 1;
    for (const int dim : owned) {
        across *= dim == tile.dims.x || dim == tile.dims.y ? 1 : (double)stage.dims[dim].extent;
    }
    return across;
}

}  // namespace

Schedule tables_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Vertex output = group.outputs[0];
    const Stage &update = view.graph[output];
    const Tile &tile = group.tile;
    const std::vector<int> owned = owned_dims(view.graph, output);
    std::vector<Loop> table;
    for (const int dim : update.memory_order) {
        if (!std::count(owned.begin(), owned.end(), dim)) {
            table.push_back(arg(dim));
        }
    }
    const int stored = made_id(view, group, output, kMostMade - 1);
    schedule.push_back({.func_id = stored, .verb = Verb::Wrap, .other = update.func_id});
    const Emitter emit(schedule, stored, 0), kept(schedule, update.func_id, 0),
        adds(schedule, update.func_id, update.update);
    emit(Verb::ComputeRoot);
    const std::vector<Loop> tiles = walk_owners(emit, tile, owned, table);
    const std::vector<Loop> blocks = emit.fuse_for_grid(tiles, "fusion_tile", blocks_across(update, tile, owned));
    emit(Verb::GpuBlocks, blocks);

    kept.with(Verb::ComputeAt, stored, {blocks[0]});
    walk_owners(kept, tile, owned, table);
    // Neighbouring threads have neighbouring places, wherever they are in their tables.
    std::vector<Loop> storage = {arg(tile.dims.x)};
    if (tile.dims.y >= 0) {
        storage.push_back(arg(tile.dims.y));
    }
    storage.insert(storage.end(), table.begin(), table.end());
    for (const int dim : owned) {
        if (dim != tile.dims.x && dim != tile.dims.y) {
            storage.push_back(arg(dim));
        }
    }
    kept(Verb::ReorderStorage, storage);
    for (int d = 0; d < (int)update.dims.size(); d++) {
        const bool is_owned = std::count(owned.begin(), owned.end(), d) > 0;
        const int64_t of_tile = d == tile.dims.x   ? tile.lanes
                                : d == tile.dims.y ? tile.threads / tile.lanes
                                : d == tile.dims.z ? tile.slices
                                                   : 1;
        kept(Verb::BoundStorage, {arg(d)}, is_owned ? of_tile : update.most_extent[d]);
    }

    adds.unroll_steps(update, tile.per_thread);
    std::vector<Loop> steps;
    if (tile.per_thread > 1) {
        steps = {made_reduction("fusion_unrolled_r"), made_reduction("fusion_turn_r")};
    } else {
        steps = {rvar(0)};
    }
    for (int r = 1; r < (int)update.reduction.size(); r++) {
        steps.push_back(rvar(r));
    }
    walk_owners(adds, tile, owned, steps);
    return schedule;
}

}  // namespace fusion

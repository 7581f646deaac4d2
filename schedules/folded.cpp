/// Folds of which each step needs stencils of its own (folded_kernel.h): a block has a tile of points. It walks the RDom one
/// step after the other; of each step its threads compute the stencils in shared memory, then fold them into the tile, which
/// stays in shared memory too. Several folds over the same RDom share the loops over it, and with them the stencils.
///
/// Branches:
///   tiles    the region has room for a tile: the last one is moved inwards, and no point needs a guard
///   general  any size: tiles of a point a thread, guarded
#include "fusion/folded_kernel.h"

#include <algorithm>
#include <optional>

#include "fusion/reduction_kernel.h"
#include "fusion/room.h"
#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

const Loop kTile = made("fusion_tile"), kColumns = made("fusion_columns"), kBands = made("fusion_bands"),
           kThread = made("fusion_thread"), kColumn = made("fusion_column"), kRow = made("fusion_row"),
           kDown = made("fusion_down"), kPoint = made("fusion_point"), kTurn = made("fusion_turn"),
           kDeep = made("fusion_deep"), kSlice = made("fusion_slice");

/// Neighbouring threads take the points of `x` and `y` together, in rounds. Returns the loops of a thread.
std::vector<Loop> over_threads(const Emitter &emit, const Loop &x, const std::optional<Loop> &y, int threads) {
    if (y) {
        emit(Verb::Fuse, {x, *y, kPoint});
    }
    emit(Verb::Split, {y ? kPoint : x, kTurn, kThread}, threads, TailStrategy::GuardWithIf);
    return {kTurn, kThread};
}

/// The loops over the tiles of what leaves the kernel. `deep`: of the dimension whose points a thread has all of.
void walk(const Emitter &emit, const Stage &out, const Tile &tile, TailStrategy tail, TailStrategy deep) {
    const TiledDims &dims = tile.dims;
    std::vector<Loop> order, tiles = {kColumns}, rest;
    std::optional<Loop> row;
    emit(Verb::Split, {arg(dims.x), kColumns, kColumn}, tile.lanes, tail);
    if (dims.y >= 0) {
        row = kRow;
        emit(Verb::Split, {arg(dims.y), kBands, kRow}, (int64_t)tile.threads * tile.per_thread / tile.lanes, tail);
        tiles.push_back(kBands);
    }
    for (const int dim : out.memory_order) {
        if (dim == dims.z) {  // also by one: both branches' kernels have one name, and what ptxas says of it is found
            emit(Verb::Split, {arg(dim), kSlice, kDeep}, tile.slices, deep);
            order.push_back(kDeep);
            rest.push_back(kSlice);
        } else if (dim != dims.x && dim != dims.y) {
            rest.push_back(arg(dim));
        }
    }
    const std::vector<Loop> points = over_threads(emit, kColumn, row, tile.threads);
    order.insert(order.end(), points.begin(), points.end());
    order.insert(order.end(), tiles.begin(), tiles.end());
    order.insert(order.end(), rest.begin(), rest.end());
    emit(Verb::Reorder, order);
    if (dims.z >= 0) {
        emit(Verb::Unroll, {kDeep});
    }
    emit(Verb::Unroll, {kTurn});
    std::vector<Loop> blocks = {emit.fuse_all(tiles, kTile.name)};
    if (!rest.empty()) {
        blocks.push_back(emit.fuse_all(rest, "fusion_slices"));
    }
    emit(Verb::GpuBlocks, blocks);
    emit(Verb::GpuThreads, {kThread});
}

/// Which dimension of a stage is which of the tile's; -1: none.
TiledDims dims_in(const StageGraph &graph, const Group &group, const Member &member) {
    const auto of = [&](int dim) {
        for (int d = 0; dim >= 0 && d < (int)graph[member.stage].dims.size(); d++) {
            const bool is_it =
                is_of_step(graph, member) ? member.follows[d] == dim : dim_of_output(group, member, d) == dim;
            if (is_it) {
                return d;
            }
        }
        return -1;
    };
    const TiledDims &dims = group.tile.dims;
    return {of(dims.x), of(dims.y), of(dims.z)};
}

/// The threads of the block walk what it keeps, `box` points, each `rows` below each other; `steps`: loops around them.
void walk_in_block(const Emitter &emit, const Stage &stage, const TiledDims &dims, const Tile &tile,
                   const std::vector<double> &box, int rows, const std::vector<Loop> &steps) {
    std::vector<Loop> order, unrolled, outer = {made("fusion_columns")};
    if (dims.z >= 0 && tile.slices > 1) {
        // Not of the whole dimension: in the general branch it has one point.
        emit(Verb::Split, {arg(dims.z), kSlice, kDeep}, tile.slices, TailStrategy::GuardWithIf);
        order = {kDeep, kSlice};
        unrolled.push_back(kDeep);
    }
    for (const int dim : stage.memory_order) {
        if (dim != dims.x && dim != dims.y && (dim != dims.z || tile.slices == 1)) {
            order.push_back(arg(dim));
        }
    }
    // One box each way: of constant size, so that a point's place is found by constants and Halide can bound it.
    emit(Verb::Split, {arg(dims.x), outer[0], kColumn}, (int64_t)box[dims.x], TailStrategy::GuardWithIf);
    std::optional<Loop> row;
    if (dims.y >= 0) {
        outer.push_back(made("fusion_bands"));
        row = kRow;
        emit(Verb::Split, {arg(dims.y), outer[1], kRow}, (int64_t)box[dims.y], TailStrategy::GuardWithIf);
    }
    if (rows > 1) {
        emit(Verb::Split, {kRow, kRow, kDown}, rows);
        order.push_back(kDown);
        unrolled.push_back(kDown);
    }
    const std::vector<Loop> points = over_threads(emit, kColumn, row, tile.threads);
    if (!steps.empty()) {
        const Loop all = made("fusion_turns");
        emit(Verb::Split, {kTurn, all, kTurn}, tile.per_thread);
        order.insert(order.end(), {kTurn, all, kThread});
        unrolled.push_back(kTurn);
    } else {
        order.insert(order.end(), points.begin(), points.end());
    }
    order.insert(order.end(), outer.begin(), outer.end());
    order.insert(order.end(), steps.begin(), steps.end());
    emit(Verb::Reorder, order);
    for (const Loop &loop : unrolled) {
        emit(Verb::Unroll, {loop});
    }
    emit(Verb::GpuThreads, {kThread});
}

/// The least extents of the output, by dimension, that have room for a block's tile.
std::map<int, int64_t> room_for(const Tile &tile, bool with_slices) {
    std::map<int, int64_t> room = {{tile.dims.x, tile.lanes}};
    if (tile.dims.y >= 0) {
        room[tile.dims.y] = (int64_t)tile.threads / tile.lanes * tile.per_thread;
    }
    if (with_slices) {
        room[tile.dims.z] = tile.slices;
    }
    return room;
}

}  // namespace

Schedule folded_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const StageGraph &graph = view.graph;
    const Vertex output = group.outputs[0];
    const Stage &out = graph[output];
    const Tile &tile = group.tile;
    int stored = out.func_id;
    if (is_reduction(out)) {
        stored = made_id(view, group, output, kMostMade - 1);
        schedule.push_back({.func_id = stored, .verb = Verb::Wrap, .other = out.func_id});
    }
    const Emitter emit(schedule, stored, 0);
    if (out.role == Role::Intermediate) {
        emit(Verb::ComputeRoot);
    }
    // Where nothing of the caller's shows how many channels there are at the estimates, each is guarded.
    const bool has_slices = tile.slices > 1 && has_room(graph, output, tile.dims.z, tile.slices);
    const auto has_all = has_slices ? size_condition(view, output, room_for(tile, true)) : std::nullopt;
    if (const auto has_room = has_all ? has_all : size_condition(view, output, room_for(tile, false))) {
        walk(emit.under(*has_room, 0), out, tile, TailStrategy::ShiftInwards,
             has_all ? TailStrategy::ShiftInwards : TailStrategy::GuardWithIf);
    }
    Tile narrow = tile;
    narrow.per_thread = narrow.slices = 1;
    walk(emit, out, narrow, TailStrategy::GuardWithIf, TailStrategy::GuardWithIf);

    const std::vector<Member> folds = reductions_of(graph, group);
    const Stage &first = graph[folds[0].stage];
    const Loop tile_loop = tile.dims.y < 0 ? kColumns : kTile;
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        const bool is_fold = is_reduction(stage);
        const Emitter kept(schedule, stage.func_id, 0);
        if (!is_fold && !is_of_step(graph, member)) {
            continue;
        }
        const TiledDims dims = dims_in(graph, group, member);
        const std::vector<double> box = box_of_step(graph, group, member, tile);
        is_fold ? kept.with(Verb::ComputeAt, stored, {tile_loop})
                : kept.with(Verb::ComputeAt, first.func_id, {rvar(0)});
        walk_in_block(kept, stage, dims, tile, box, is_fold ? 1 : rows_of_step(graph, group, member, tile), {});
        if (is_fold) {
            std::vector<Loop> steps;
            for (int r = 0; r < (int)stage.reduction.size(); r++) {
                steps.push_back(rvar(r));
            }
            const Emitter folding(schedule, stage.func_id, stage.update);
            walk_in_block(folding, stage, dims, tile, box, 1, steps);
            if (member.stage != folds[0].stage) {
                folding.with(Verb::ComputeWith, first.func_id, {rvar(0)});
            }
        }
        for (size_t d = 0; d < box.size(); d++) {
            // True by construction; without it the size under a guard is known at run time only.
            kept(Verb::BoundStorage, {arg((int)d)}, (int64_t)box[d]);
        }
    }
    return schedule;
}

}  // namespace fusion

/// Tiles of points: a thread computes several, unrolled, and keeps what they share in registers; a block what its threads
/// share, in shared memory.
///
/// Branches:
///   tiles    the region has room for a tile: the last one is moved inwards, and no point needs a guard
///   general  any size: a point a thread, guarded
/// So that all that is kept has a constant size in both: a guard between points would make it vary.
#include <algorithm>

#include "fusion/choices.h"
#include "fusion/room.h"
#include "fusion/stencil_kernel.h"
#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

const Loop kTile = made("fusion_tile"), kColumns = made("fusion_columns"), kBands = made("fusion_bands"),
           kLane = made("fusion_thread"), kLine = made("fusion_line"), kAcross = made("fusion_across"),
           kDown = made("fusion_down"), kDeep = made("fusion_deep"), kSlice = made("fusion_slice");

/// Cuts a dimension in `each` pieces of `points`: loops over them, over a thread's points where these are several, and over
/// the rest. A loop over one point would hide that a thread needs a constant number.
struct Cut {
    Loop outer, threads, points;
};

void cut(const Emitter &emit, const Loop &dim, const Cut &loops, int64_t each, int points, TailStrategy tail,
         std::vector<Loop> &unrolled) {
    emit(Verb::Split, {dim, loops.outer, loops.threads}, each * points, tail);
    if (points > 1) {
        emit(Verb::Split, {loops.threads, loops.threads, loops.points}, points);
        unrolled.push_back(loops.points);
    }
}

void walk(const Emitter &emit, const Stage &out, const Tile &tile, TailStrategy tail) {
    const TiledDims &dims = tile.dims;
    std::vector<Loop> order, threads = {kLane}, tiles = {kColumns}, rest;
    cut(emit, arg(dims.x), {kColumns, kLane, kAcross}, tile.lanes, tile.vector, tail, order);
    if (dims.y >= 0) {
        cut(emit, arg(dims.y), {kBands, kLine, kDown}, tile.threads / tile.lanes, tile.per_thread, tail, order);
        threads.push_back(kLine);
        tiles.push_back(kBands);
    }
    for (const int dim : out.memory_order) {
        if (dim == dims.z && tile.slices > 1) {
            emit(Verb::Split, {arg(dim), kSlice, kDeep}, tile.slices, tail);
            order.push_back(kDeep);
            rest.push_back(kSlice);
        } else if (dim != dims.x && dim != dims.y) {
            rest.push_back(arg(dim));
        }
    }
    const std::vector<Loop> unrolled = order;
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), tiles.begin(), tiles.end());
    order.insert(order.end(), rest.begin(), rest.end());
    if (order.size() > 1) {
        emit(Verb::Reorder, order);
    }
    for (const Loop &loop : unrolled) {
        emit(Verb::Unroll, {loop});
    }
    // In one loop: a grid can have many blocks in its first dimension only.
    std::vector<Loop> blocks = {emit.fuse_all(tiles, kTile.name)};
    if (!rest.empty()) {
        blocks.push_back(emit.fuse_all(rest, "fusion_slices"));
    }
    emit(Verb::GpuBlocks, blocks);
    emit(Verb::GpuThreads, threads);
}

void keep_at_block(const Emitter &emit, const PipelineView &view, const Group &group, const Member &member) {
    const Stage &stage = view.graph[member.stage];
    const TiledDims &dims = group.tile.dims;
    const int x = side_along(member.sides, dims.x), y = side_along(member.sides, dims.y);
    const Loop turns = made("fusion_turns"), lane = made("fusion_thread"), lines = made("fusion_lines"),
               line = made("fusion_line");
    std::vector<Loop> order, threads = {lane};
    for (const int dim : stage.memory_order) {
        if (dim != x && dim != y) {
            order.push_back(arg(dim));
        }
    }
    emit.with(Verb::ComputeAt, view.graph[group.outputs[0]].func_id, {y < 0 ? kColumns : kTile});
    emit(Verb::Split, {arg(x), turns, lane}, group.tile.lanes, TailStrategy::GuardWithIf);
    order.push_back(turns);
    if (y >= 0) {
        emit(Verb::Split, {arg(y), lines, line}, group.tile.threads / group.tile.lanes, TailStrategy::GuardWithIf);
        order.push_back(lines);
        threads.push_back(line);
    }
    order.insert(order.end(), threads.begin(), threads.end());
    emit(Verb::Reorder, order);
    emit(Verb::GpuThreads, threads);
    const size_t rank = view.graph[group.outputs[0]].dims.size();
    const std::vector<double> box = box_of(member.sides, block_tile(rank, group.tile));
    for (size_t d = 0; d < box.size(); d++) {
        if (member.sides[d].loop >= 0) {
            // True by construction; without it the size under a guard or a clamp is known at run time only.
            emit(Verb::BoundStorage, {arg((int)d)}, (int64_t)box[d]);
        }
    }
}

/// The least extents of the output, by dimension, that have room for a block's tile.
std::map<int, int64_t> room_for(const Tile &tile, size_t rank) {
    std::map<int, int64_t> room;
    const std::vector<double> block = block_tile(rank, tile);
    for (const int dim : {tile.dims.x, tile.dims.y, tile.slices > 1 ? tile.dims.z : -1}) {
        if (dim >= 0) {
            room[dim] = (int64_t)block[dim];
        }
    }
    return room;
}

/// What must hold of the caller's buffers for tiles to run.
std::optional<Condition> tile_condition(const PipelineView &view, const Group &group, const Tile &tile) {
    const Vertex output = group.outputs[0];
    const int z = tile.dims.z;
    std::map<int, int64_t> room = room_for(tile, view.graph[output].dims.size());
    const bool is_pinned =
        tile.slices > 1 && (chooses_along(view.graph, group, z) || !has_room(view.graph, output, z, tile.slices));
    if (is_pinned) {
        room.erase(z);
    }
    auto facts = size_condition(view, output, room);
    if (facts && is_pinned) {
        const Condition as_estimated = estimate_condition(view, output, z);
        facts->insert(facts->end(), as_estimated.begin(), as_estimated.end());
    }
    const bool knows = facts && knows_choices(group, tile);
    for (int d = 0; knows && d < (int)group.known.size(); d++) {
        if (group.known[d].points > 0 && !group.known[d].is_all) {
            const Condition begins = phase_condition(view, output, d, group.known[d].points);
            facts->insert(facts->end(), begins.begin(), begins.end());
        }
    }
    return facts;
}

}  // namespace

Schedule stencil_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Vertex output = group.outputs[0];
    const Stage &out = view.graph[output];
    const Emitter emit(schedule, out.func_id, out.update);
    if (out.role == Role::Intermediate) {
        emit(Verb::ComputeRoot);
    }
    // Where nothing of the caller's shows how many channels there are (all are read by number), each has its own threads.
    Tile flat = group.tile;
    flat.slices = 1;
    for (const Tile &tile : {group.tile, flat}) {
        if (const auto has_room = tile_condition(view, group, tile)) {
            walk(emit.under(*has_room, 0), out, tile, TailStrategy::ShiftInwards);
            break;
        }
    }
    Tile narrow = group.tile;
    narrow.vector = narrow.per_thread = narrow.slices = 1;
    walk(emit, out, narrow, TailStrategy::GuardWithIf);
    for (const Member &member : group.members) {
        const Stage &stage = view.graph[member.stage];
        const Emitter kept(schedule, stage.func_id, 0);
        if (member.stage == output || stage.has_updates) {
            continue;
        }
        if (member.placement == Placement::AtBlock) {
            keep_at_block(kept, view, group, member);
        } else if (member.placement == Placement::AtThread) {
            kept.with(Verb::ComputeAt, out.func_id, {kLane});
            kept(Verb::StoreInRegister);
            for (const Loop &loop : loops_in_memory_order(stage)) {
                kept(Verb::Unroll, {loop});
            }
        }
    }
    return schedule;
}

}  // namespace fusion

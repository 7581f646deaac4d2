/// A tile of the transposed producer in shared memory: threads load it along its own rows and store along the output's.
///
/// On an H200 (2026-11-29, 8192 x 8192): tiles of 64 x 64 with rows padded by one word 0.95x the copy bandwidth, 32 x 32
/// 0.87x, without the padding (bank conflicts) 0.40x, without shared memory 0.48x at best.
#include <algorithm>

#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {

namespace {

struct TileOf {
    Vertex stage;
    int func_id;  ///< the stage's own Func, or the one that stages a stored buffer
    std::vector<int> follows;
};

/// Stages kept at the block, and stored buffers through a Func of their own (made by the schedule's first directives).
std::vector<TileOf> tiles_of(const PipelineView &view, const Group &group, Schedule &schedule) {
    std::vector<TileOf> tiles;
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            tiles.push_back({member.stage, view.graph[member.stage].func_id, member.follows});
        }
    }
    for (const Staged &staged : group.staged) {
        const int id = made_id(view, group, staged.producer, 0);
        Directive wrap{.func_id = id, .verb = Verb::Wrap, .other = view.graph[staged.producer].func_id};
        for (const Vertex caller : staged.callers) {
            wrap.callers.push_back(view.graph[caller].func_id);
        }
        schedule.push_back(wrap);
        tiles.push_back({staged.producer, id, staged.follows});
    }
    return tiles;
}

}  // namespace

using Halide::TailStrategy;

Schedule transpose_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Stage &out = view.graph[group.outputs[0]];
    const Emitter emit(schedule, out.func_id, out.update);
    if (out.role == Role::Intermediate) {
        emit(Verb::ComputeRoot);
    }
    const int rows = group.tile.threads / kTransposeTile;
    // The tile spans the output's contiguous dimension and the one that the staged stage's contiguous one follows.
    const int along = out.memory_order[0];
    const std::vector<TileOf> tiles = tiles_of(view, group, schedule);
    const int across = tiles[0].follows[view.graph[tiles[0].stage].memory_order[0]];
    const Loop turn = made("fusion_turn"), lane = made("fusion_thread");
    Loop block;
    const auto walk = [&](const Emitter &branch, TailStrategy tail) {
        const Loop column = made("fusion_column"), row = made("fusion_row"), columns = made("fusion_columns"),
                   bands = made("fusion_bands");
        branch(Verb::Split, {arg(along), columns, column}, kTransposeTile, tail);
        branch(Verb::Split, {arg(across), bands, row}, kTransposeTile, tail);
        branch(Verb::Split, {row, turn, lane}, rows);
        std::vector<Loop> order = {turn, column, lane, columns, bands};
        std::vector<Loop> outer = {columns, bands};
        for (const int dim : out.memory_order) {
            if (dim != along && dim != across) {
                order.push_back(arg(dim));
                outer.push_back(arg(dim));
            }
        }
        branch(Verb::Reorder, order);
        branch(Verb::Unroll, {turn});
        block = branch.fuse_all(outer, "fusion_tile");
        branch(Verb::GpuBlocks, {block});
        branch(Verb::GpuThreads, {column, lane});
    };
    // With room for a tile the last one is moved inwards, and no point needs a guard.
    if (const auto has_room =
            size_condition(view, group.outputs[0], {{along, kTransposeTile}, {across, kTransposeTile}})) {
        walk(emit.under(*has_room, 0), TailStrategy::ShiftInwards);
    }
    walk(emit, TailStrategy::GuardWithIf);
    for (const TileOf &tile : tiles) {
        const Stage &stage = view.graph[tile.stage];
        const Emitter staged(schedule, tile.func_id, 0);
        staged.with(Verb::ComputeAt, out.func_id, {block});
        // Threads along the producer's contiguous dimension, and down the one that the output calls contiguous.
        const Loop inner = arg(stage.memory_order[0]);
        const Loop down = arg((int)(std::find(tile.follows.begin(), tile.follows.end(), along) - tile.follows.begin()));
        const Loop turns = made("fusion_turns"), column = made("fusion_column"), again = made("fusion_again");
        staged(Verb::Split, {down, turn, lane}, rows, TailStrategy::GuardWithIf);
        // Where several readers ask for unlike regions the tile is smaller by a number known at run time.
        staged(Verb::Split, {turn, turns, turn}, kTransposeTile / rows, TailStrategy::GuardWithIf);
        // Nor is there always a constant that Halide finds to bound its width: so many threads, and no more.
        staged(Verb::Split, {inner, again, column}, kTransposeTile, TailStrategy::GuardWithIf);
        staged(Verb::Reorder, {turn, turns, column, lane, again});
        staged(Verb::Unroll, {turn});
        staged(Verb::GpuThreads, {column, lane});
        staged(Verb::AlignStorage, {inner}, kTransposeTile + 1);
        // True by construction; without it the size of a guarded tile is known at run time only.
        staged(Verb::BoundStorage, {inner}, kTransposeTile);
        staged(Verb::BoundStorage, {down}, kTransposeTile);
    }
    return schedule;
}

}  // namespace fusion

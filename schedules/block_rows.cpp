#include "schedules/block_rows.h"

#include "fusion/reduction_kernel.h"
#include "fusion/reduction_walks.h"
#include "schedules/block_reduce.h"
#include "schedules/layout.h"

namespace fusion {

using Halide::TailStrategy;

Loop split_single(const Emitter &emit, const Loop &row) {
    const Loop single = made("fusion_single");
    emit(Verb::Split, {row, row, single}, 1, TailStrategy::GuardWithIf);
    return single;
}

AnchorLoops walk(const Emitter &emit, const Anchor &anchor, const Tile &tile, TailStrategy tail) {
    std::vector<Loop> inner, threads, outer;
    const int points = tile.threads / tile.reducing;
    Loop row;
    if (!anchor.kept.empty()) {
        row = made("fusion_row");
        emit(Verb::Split, {arg(anchor.kept[0]), made("fusion_band"), row}, points, tail);
        outer.push_back(made("fusion_band"));
        for (size_t i = 1; i < anchor.kept.size(); i++) {
            outer.push_back(arg(anchor.kept[i]));
        }
    }
    if (anchor.chunk_dim >= 0) {
        outer.push_back(arg(anchor.chunk_dim));
    }
    if (!anchor.columns.empty()) {
        Loop column = arg(anchor.columns[0]);
        int64_t extent = anchor.column_extent;
        if (anchor.column_chunk > 0) {
            emit(Verb::Split, {column, made("fusion_chunk"), made("fusion_column")}, anchor.column_chunk,
                 TailStrategy::GuardWithIf);
            column = made("fusion_column");
            extent = anchor.column_chunk;
            outer.push_back(made("fusion_chunk"));
        }
        const int vector = anchor.columns_on_lanes && anchor.shares_lanes ? tile.vector : 1;
        if (vector > 1) {
            emit(Verb::Split, {column, made("fusion_vector"), made("fusion_lane")}, vector, TailStrategy::GuardWithIf);
            inner.push_back(made("fusion_lane"));
            column = made("fusion_vector");
        }
        emit.split_over_threads(column, made("fusion_turn"), made("fusion_share"), tile.reducing, anchor.by_width);
        const int64_t steps = (extent + tile.reducing * vector - 1) / (tile.reducing * vector);
        const int unrolled = unrolled_steps(steps, steps_written_out(vector, tile.per_thread, anchor.columns_on_lanes));
        if (unrolled > 1) {
            emit(Verb::Split, {made("fusion_turn"), made("fusion_turn"), made("fusion_unrolled")}, unrolled,
                 TailStrategy::GuardWithIf);
            inner.push_back(made("fusion_unrolled"));
        }
        inner.push_back(made("fusion_turn"));
        for (size_t i = 1; i < anchor.columns.size(); i++) {
            inner.push_back(arg(anchor.columns[i]));
        }
        threads.push_back(made("fusion_share"));
        if (unrolled > 1) {
            emit(Verb::Unroll, {made("fusion_unrolled")});
        }
        if (vector > 1) {
            emit(Verb::Vectorize, {made("fusion_lane")});
        }
    }
    if (!anchor.kept.empty()) {
        if (anchor.columns.empty() && anchor.shares_lanes && points > tile.reducing) {
            threads.push_back(split_single(emit, row));
        }
        threads.insert(anchor.shares_lanes ? threads.end() : threads.begin(), row);
    }
    if (threads.empty() && !outer.empty()) {
        threads.push_back(made("fusion_single"));
        emit(Verb::Split, {outer[0], made("fusion_band"), threads[0]}, 1, TailStrategy::GuardWithIf);
        outer[0] = made("fusion_band");
    }
    std::vector<Loop> order = inner;
    order.insert(order.end(), threads.begin(), threads.end());
    order.insert(order.end(), outer.begin(), outer.end());
    if (order.size() > 1) {
        emit(Verb::Reorder, order);
    }
    // Splits of the loop around all come last: Halide reorders nothing after them.
    if (threads.empty()) {
        threads.push_back(made("fusion_single"));
        emit(Verb::Split, {outermost(), outermost(), threads[0]}, 1);
    }
    if (outer.empty()) {
        outer.push_back(made("fusion_tile"));
        emit(Verb::Split, {outermost(), outermost(), outer[0]}, 1);
    }
    const std::vector<Loop> blocks = emit.fuse_for_grid(outer, "fusion_tile", anchor.across);
    emit(Verb::GpuBlocks, blocks);
    emit(Verb::GpuThreads, threads);
    return {blocks[0], threads[0]};
}

AnchorLoops anchor_loops(const Anchor &anchor, const Tile &tile) {
    Schedule unused;
    return walk(Emitter(unused, anchor.func_id, anchor.update), anchor, tile, TailStrategy::GuardWithIf);
}

AnchorLoops walk_branches(Schedule &schedule, const PipelineView &view, const Group &group, const Anchor &anchor) {
    const Emitter general(schedule, anchor.func_id, anchor.update);
    std::vector<std::optional<Condition>> conditions;
    // Halide simplifies branches apart, and crashes where one of them loses a Func with updates (unneeded_reads.h).
    if (view.graph[group.outputs[0]].kept_apart.empty()) {
        const int64_t threads = anchor.by_width ? kLeastRowThreads : group.tile.reducing;
        conditions.push_back(row_condition(view, group));
        if (anchor.by_width) {
            conditions.push_back(whole_vectors_condition(view, group, wide_row(*anchor.by_width)));
        }
        conditions.push_back(whole_vectors_condition(view, group, threads * group.tile.vector));
    }
    int branch = 0;
    for (const auto &condition : conditions) {
        if (condition) {
            walk(general.under(*condition, branch), anchor, group.tile, TailStrategy::GuardWithIf);
            branch++;
        }
    }
    Tile guarded = group.tile;
    guarded.vector = view.graph[group.outputs[0]].no_guards ? 1 : guarded.vector;
    return walk(general, anchor, guarded, TailStrategy::GuardWithIf);
}

}  // namespace fusion

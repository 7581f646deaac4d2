/// A block reduces together: rows (or columns) of the output over blocks, the reductions that they need in shared memory,
/// and then what reads them, from rows that are still in the cache.
///
/// On an H200 (2026-11-29, softmax, 0.5 GiB): walking the row again from the L1 ran at the copy's speed for rows of 256 to
/// 8192 (0.98 to 1.0x), and a row staged in shared memory was slower in most cases (0.88 to 0.99x), so nothing is staged.
#include <algorithm>

#include "fusion/contraction_kernel.h"
#include "fusion/footprint.h"
#include "fusion/halide/reassociate.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_walks.h"
#include "schedules/block_reduce.h"
#include "schedules/block_rows.h"
#include "schedules/block_slices.h"
#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// Of the loops over blocks beyond the second: dimensions that the blocks keep, and chunks.
double points_across(const Stage &stage, const std::vector<int> &kept, int chunks) {
    double points = kept.size() >= 2 ? chunks : 1;
    for (size_t i = 2; i < kept.size(); i++) {
        points *= (double)stage.dims[kept[i]].extent;
    }
    return points;
}

/// Emits the reductions of one kernel below its anchor.
class Reductions {
public:
    Reductions(Schedule &schedule, const PipelineView &view, const Group &group)
        : schedule(schedule), view(view), group(group) {}

    /// Parts of the reduction over blocks of their own, each stored; what is left of the update folds them.
    void split_over_blocks(const Member &member) {
        const Stage &stage = view.graph[member.stage];
        const int cut = chunked_rvar(view.graph, member), shared = shared_rvar(view.graph, member);
        const int64_t chunk = reduction_chunk(view.graph, group, member, group.tile);
        const int parts = id(member, kMadeByReduction), stored = id(member, kMadeByReduction + 1);
        const Loop chunk_r = made_reduction("fusion_chunk_r"), within = made_reduction("fusion_within_r");
        Emitter(schedule, stage.func_id, 1)(Verb::Split, {rvar(cut), chunk_r, within}, chunk,
                                            TailStrategy::GuardWithIf);
        schedule.push_back({.func_id = parts,
                            .update = 1,
                            .verb = Verb::RFactor,
                            .loops = {chunk_r, made("fusion_part")},
                            .other = stage.func_id});
        schedule.push_back({.func_id = stored, .verb = Verb::Wrap, .other = parts});
        Emitter(schedule, stored, 0)(Verb::ComputeRoot);
        Anchor anchor;
        anchor.func_id = stored;
        anchor.kept = kept_of(stage);
        anchor.chunk_dim = (int)stage.dims.size();
        anchor.across = points_across(stage, anchor.kept, group.tile.chunks);
        anchor.shares_lanes = shares_lanes(view.graph, group);
        const AnchorLoops loops = walk_branches(schedule, view, group, anchor);
        // Of the parts' own RDom, in which `within` stands where the variable was.
        const Loop over = cut == shared ? within : rvar(shared);
        const int64_t extent = cut == shared ? chunk : stage.reduction[shared].extent;
        BlockReduction reduction = described(member, parts, over, extent, group.tile.vector, 0);
        reduction.parts = {made("fusion_part")};
        reduce_in_block(schedule, reduction, {stored, loops.block});
        Emitter(schedule, parts, 0).with(Verb::ComputeAt, stored, {loops.registers});
    }

    /// The reduction in the block of the anchor, up to the last fold of the update itself.
    void reduce(const Member &member, const BlockAnchor &anchor) {
        const Stage &stage = view.graph[member.stage];
        const int rv = shared_rvar(view.graph, member);
        if (group.tile.chunks > 1) {
            // Where the parts lie next to each other only their number matters.
            reduce_in_block(schedule,
                            described(member, stage.func_id, made_reduction("fusion_chunk_r"), group.tile.chunks, 1,
                                      kMadeByReduction + 2),
                            anchor);
            return;
        }
        reduce_in_block(schedule,
                        described(member, stage.func_id, rvar(rv), stage.reduction[rv].extent, group.tile.vector, 0),
                        anchor);
    }

    /// The value in shared memory, for what the block computes from it.
    void keep(const Member &member, const BlockAnchor &anchor) {
        const Stage &stage = view.graph[member.stage];
        const int wrapper = id(member, kMostMade - 1);
        const std::vector<int> kept = kept_of(stage);
        schedule.push_back({.func_id = wrapper, .verb = Verb::Wrap, .other = stage.func_id});
        const Emitter emit(schedule, wrapper, 0);
        emit.with(Verb::ComputeAt, anchor.func_id, {anchor.block});
        const int points = group.tile.threads / group.tile.reducing;
        std::vector<Loop> threads = {made("fusion_single")};
        if (kept.empty()) {
            emit(Verb::Split, {outermost(), outermost(), threads[0]}, 1);
        } else {
            bound_kept(emit, kept, points);
            const Loop row = kept_threads(emit, kept, points, walks_points())[0];
            threads = {row};
            if (shares_lanes(view.graph, group) && points > group.tile.reducing) {
                threads = {made("fusion_single"), made("fusion_row")};
                emit(Verb::Split, {row, threads[1], threads[0]}, 1, TailStrategy::GuardWithIf);
            }
        }
        emit(Verb::GpuThreads, threads);
        Emitter(schedule, stage.func_id, 0).with(Verb::ComputeAt, wrapper, {threads[0]});
    }

    /// The slices of a row that the block holds.
    void keep_slices(const Member &member, const BlockAnchor &anchor) {
        const Stage &stage = view.graph[member.stage];
        fold_slices(schedule,
                    {.func_id = stage.func_id,
                     .wrapper = id(member, kMostMade - 1),
                     .dim = slice_dim(member),
                     .most = stage.most_extent[slice_dim(member)],
                     .lanes = slice_lanes(view.graph, member, group.tile),
                     .kept = kept_of(stage),
                     .on_lanes = shares_lanes(view.graph, group),
                     .threads = group.tile.reducing,
                     .points = group.tile.threads / group.tile.reducing,
                     .walks_points = walks_points()},
                    anchor);
    }

    bool walks_points() const { return !has_plain_region(view.graph, group.outputs[0]); }

    int id(const Member &member, int which) const { return made_id(view, group, member.stage, which); }

    /// Dimensions of a reduction (of a slice but for that of the slices), that of which a block holds several points first: the
    /// output's own order.
    std::vector<int> kept_of(const Stage &stage) const {
        const ReductionShape shape = reduction_shape(view.graph, group);
        std::vector<int> kept;
        for (const int dim : shape.kept) {
            const Member *member = nullptr;
            for (const Member &m : group.members) {
                member = view.graph[m.stage].func_id == stage.func_id && !m.follows.empty() ? &m : member;
            }
            const auto &follows = member ? member->follows : shape.kept;
            const int own = member ? (int)(std::find(follows.begin(), follows.end(), dim) - follows.begin()) : dim;
            kept.push_back(own);
        }
        return kept;
    }

    /// Columns of the output that blocks of their own compute.
    int64_t columns_a_piece(int64_t extent) const {
        const int64_t vector = group.tile.vector, chunks = (int64_t)group.tile.chunks * group.tile.bands;
        const int64_t even = (extent + chunks - 1) / chunks;
        return (even + vector - 1) / vector * vector;
    }

private:
    Schedule &schedule;
    const PipelineView &view;
    const Group &group;

    BlockReduction described(const Member &member, int func_id, const Loop &over, int64_t extent, int vector,
                             int first_made) const {
        const std::vector<int> kept = kept_of(view.graph[member.stage]);
        const bool on_lanes = shares_lanes(view.graph, group);
        const bool walks_lanes = reduces_along_lanes(view.graph, member);
        return {.func_id = func_id,
                .over = over,
                .extent = extent,
                .first_made = id(member, first_made),
                .kept = kept,
                .on_lanes = on_lanes,
                .vector = on_lanes && walks_lanes ? vector : 1,
                .written_out = steps_written_out(on_lanes && walks_lanes ? vector : 1, group.tile.per_thread, on_lanes),
                .threads = group.tile.reducing,
                .points = group.tile.threads / group.tile.reducing,
                .walks_points = walks_points(),
                .by_width = row_threads(view, group)};
    }
};

/// A thread a point, which reduces alone: from its own registers to memory.
Schedule a_thread_a_point(const PipelineView &view, const Group &group) {
    const Stage &stage = view.graph[group.outputs[0]];
    if (stage.role == Role::Output) {
        return parallel_schedule(view, group);
    }
    Schedule schedule;
    const int stored = made_id(view, group, group.outputs[0], kMostMade - 1);
    schedule.push_back({.func_id = stored, .verb = Verb::Wrap, .other = stage.func_id});
    const Emitter emit(schedule, stored, 0);
    emit(Verb::ComputeRoot);
    Loop thread = made("fusion_thread");
    if (stage.dims.empty()) {
        thread = walk(emit, Anchor(), group.tile, TailStrategy::GuardWithIf).registers;
    } else {
        const std::vector<Loop> loops = loops_in_memory_order(stage);
        emit(Verb::Reorder, loops);
        emit.points_over_threads(stage, loops, group.tile.threads);
    }
    Emitter(schedule, stage.func_id, 0).with(Verb::ComputeAt, stored, {thread});
    return schedule;
}

}  // namespace

Schedule reduction_schedule(const PipelineView &view, const Group &planned_group, const ApiTraits &api) {
    Group group = planned_group;
    group.tile.vector = api.guarded_vectors ? group.tile.vector : 1;
    if (is_contraction(group.tile)) {
        return contraction_schedule(view, group);
    }
    if (group.tile.reducing == 1) {
        return a_thread_a_point(view, group);
    }
    Schedule schedule;
    Reductions reductions(schedule, view, group);
    const std::vector<Member> members = reductions_of(view.graph, group);
    for (const Member &member : members) {
        const int func_id = view.graph[member.stage].func_id;
        if (has_data_in_predicate(view.sources[func_id].function.update(0))) {
            schedule.push_back({.func_id = func_id, .update = 1, .verb = Verb::IdentityWhere});
        }
    }
    const Vertex output = group.outputs[0];
    const Stage &out = view.graph[output];
    const ReductionShape shape = reduction_shape(view.graph, group);
    const bool is_alone = is_reduction(out), is_wrapped = is_alone && out.role == Role::Intermediate;
    if (group.tile.chunks > 1) {
        for (const Member &member : members) {
            reductions.split_over_blocks(member);
        }
    }
    Anchor anchor;
    anchor.func_id = out.func_id;
    anchor.update = out.update;
    anchor.kept = shape.kept;
    anchor.columns = shape.columns;
    anchor.shares_lanes = shares_lanes(view.graph, group);
    anchor.by_width = row_threads(view, group);
    if (is_wrapped) {
        anchor.func_id = made_id(view, group, output, kMostMade - 1);
        anchor.update = 0;
        schedule.push_back({.func_id = anchor.func_id, .verb = Verb::Wrap, .other = out.func_id});
    }
    if (!shape.columns.empty()) {
        anchor.columns_on_lanes = shape.columns[0] == contiguous_dim(out);
        anchor.column_extent = out.dims[shape.columns[0]].extent;
        anchor.column_chunk =
            group.tile.chunks > 1 || group.tile.bands > 1 ? reductions.columns_a_piece(anchor.column_extent) : 0;
    }
    if (out.role == Role::Intermediate) {
        Emitter(schedule, anchor.func_id, 0)(Verb::ComputeRoot);
        anchor.across = points_across(out, shape.kept, group.tile.bands);
    }
    // An update is factored before its loops are walked: what is left of it folds what the block found.
    const AnchorLoops planned = anchor_loops(anchor, group.tile);
    if (is_alone && !is_wrapped) {
        reductions.reduce(members.back(), {anchor.func_id, planned.block});
    }
    walk_branches(schedule, view, group, anchor);
    const BlockAnchor block{anchor.func_id, planned.block};
    for (const Member &slice : slices_of(view.graph, group)) {
        reductions.keep_slices(slice, block);
    }
    for (const Member &member : members) {
        if (member.stage != output) {
            reductions.reduce(member, block);
            reductions.keep(member, block);
        } else if (is_wrapped) {
            reductions.reduce(member, block);
            Emitter(schedule, out.func_id, 0).with(Verb::ComputeAt, anchor.func_id, {planned.registers});
        }
    }
    return schedule;
}

}  // namespace fusion

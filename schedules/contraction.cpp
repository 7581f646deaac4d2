/// Reductions of which a thread computes a tile of points (contraction_kernel.h): `vector` neighbours and `per_thread` rows in
/// registers, folded together.
///
/// Branches:
///   vectors  whole aligned vectors, and room for a thread's rows: the loads are wide
///   tiles    room for a tile: the last one is moved inwards, and no point needs a guard
///   general  any size: a point a thread
#include "fusion/contraction_kernel.h"

#include <algorithm>

#include "fusion/footprint.h"
#include "fusion/reduction_kernel.h"
#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// Steps of the reduction whose loads are in flight at once: four of mat_mul 1024 took 0.169 ms, one 0.406 ms (H200,
/// 2026-11-30).
constexpr int kUnrolledSteps = 4;

const Loop kLane = made("fusion_thread"), kLine = made("fusion_line");

void walk(const Emitter &emit, const Stage &out, const Tile &tile, TailStrategy along, TailStrategy down,
          double across) {
    const Loop neighbour = made("fusion_lane"), row = made("fusion_row"), columns = made("fusion_columns"),
               bands = made("fusion_bands");
    std::vector<Loop> order, outer = {columns, bands};
    Loop x = arg(tile.dims.x), y = arg(tile.dims.y);
    if (tile.vector > 1) {
        emit(Verb::Split, {x, made("fusion_vector"), neighbour}, tile.vector, along);
        x = made("fusion_vector");
        order.push_back(neighbour);
    }
    if (tile.per_thread > 1) {
        emit(Verb::Split, {y, made("fusion_rows"), row}, tile.per_thread, down);
        y = made("fusion_rows");
        order.push_back(row);
    }
    emit(Verb::Split, {x, columns, kLane}, tile.lanes, TailStrategy::GuardWithIf);
    emit(Verb::Split, {y, bands, kLine}, tile.threads / tile.lanes, TailStrategy::GuardWithIf);
    order.insert(order.end(), {kLane, kLine, columns, bands});
    for (const int dim : out.memory_order) {
        if (dim != tile.dims.x && dim != tile.dims.y) {
            outer.push_back(arg(dim));
            order.push_back(arg(dim));
        }
    }
    emit(Verb::Reorder, order);
    if (tile.per_thread > 1) {
        emit(Verb::Unroll, {row});
    }
    if (tile.vector > 1) {
        emit(Verb::Vectorize, {neighbour});
    }
    emit(Verb::GpuBlocks, emit.fuse_for_grid(outer, "fusion_tile", across));
    emit(Verb::GpuThreads, {kLane, kLine});
}

/// The kernel with those inputs as streaming whose rows run along the tile's vectors.
Group along_vectors(const PipelineView &view, const Group &group, const Member &reduction) {
    Group along = group;
    const int x = dim_of_reduction(group, reduction, group.tile.dims.x);
    for (Input &input : along.inputs) {
        input.streams = false;
        for (auto [e, end] = out_edges(input.producer, view.graph); e != end; ++e) {
            const int row = contiguous_dim(view.graph[input.producer]);
            const int loop = row < 0 ? -1 : view.graph[*e].follows[row];
            input.streams |= target(*e, view.graph) == reduction.stage && loop == x;
            input.streams |= target(*e, view.graph) == group.outputs[0] && loop == group.tile.dims.x;
        }
    }
    return along;
}

/// The reduction's own loops: the tile innermost, so that a step loads what it shares.
void fold(Schedule &schedule, const PipelineView &view, const Group &group, const Member &member, int anchor) {
    const Stage &stage = view.graph[member.stage];
    const Tile &tile = group.tile;
    const int x = dim_of_reduction(group, member, tile.dims.x), y = dim_of_reduction(group, member, tile.dims.y);
    Emitter(schedule, stage.func_id, 0).with(Verb::ComputeAt, anchor, {kLane});
    for (const int update : {0, 1}) {
        const Emitter emit(schedule, stage.func_id, update);
        std::vector<Loop> order;
        Loop column = arg(x);
        if (tile.vector > 1) {
            // Not of the whole dimension: in the general branch it has one point.
            emit(Verb::Split, {column, column, made("fusion_lane")}, tile.vector, TailStrategy::GuardWithIf);
            order.push_back(made("fusion_lane"));
        }
        order.push_back(column);
        order.push_back(arg(y));
        std::vector<Loop> unrolled = {column, arg(y)};
        const int longest = update == 1 ? shared_rvar(view.graph, member) : -1;
        const std::vector<int> windows = windows_of(view.graph, member.stage, y);
        std::vector<Loop> steps, turns;
        for (int r = 0; update == 1 && r < (int)stage.reduction.size(); r++) {
            const int extent = (int)stage.reduction[r].extent;
            const bool is_window = std::count(windows.begin(), windows.end(), r) > 0;
            if (is_window || (r == longest && extent >= 2 * kUnrolledSteps)) {
                const std::string number = is_window ? std::to_string(r) : "";
                const Loop turn = made_reduction("fusion_turn_r" + number),
                           step = made_reduction("fusion_unrolled_r" + number);
                emit(Verb::Split, {rvar(r), turn, step}, is_window ? extent : kUnrolledSteps,
                     TailStrategy::GuardWithIf);
                steps.insert(is_window ? steps.end() : steps.begin(), step);
                turns.insert(is_window ? turns.end() : turns.begin(), turn);
                unrolled.push_back(step);
            } else {
                turns.push_back(rvar(r));
            }
        }
        order.insert(order.end(), steps.begin(), steps.end());
        order.insert(order.end(), turns.begin(), turns.end());
        for (int d = 0; d < (int)stage.dims.size(); d++) {
            if (d != x && d != y) {
                order.push_back(arg(d));
            }
        }
        emit(Verb::Reorder, order);
        for (const Loop &loop : unrolled) {
            emit(Verb::Unroll, {loop});
        }
        if (tile.vector > 1) {
            emit(Verb::Vectorize, {made("fusion_lane")});
        }
    }
}

}  // namespace

Schedule contraction_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Vertex output = group.outputs[0];
    const Stage &out = view.graph[output];
    const Tile &tile = group.tile;
    const Member member = reductions_of(view.graph, group)[0];
    const bool is_wrapped = member.stage == output;
    const int anchor = is_wrapped ? made_id(view, group, output, kMostMade - 1) : out.func_id;
    if (is_wrapped) {
        schedule.push_back({.func_id = anchor, .verb = Verb::Wrap, .other = out.func_id});
    }
    const Emitter emit(schedule, anchor, 0);
    double across = 0;
    if (out.role == Role::Intermediate) {
        emit(Verb::ComputeRoot);
        across = 1;
        for (const int dim : out.memory_order) {
            across *= dim == tile.dims.x || dim == tile.dims.y ? 1 : (double)out.dims[dim].extent;
        }
    }
    int branch = 0;
    const auto rows = size_condition(view, output, {{tile.dims.y, tile.per_thread}});
    const auto vectors =
        layout_condition(view, along_vectors(view, group, member), {.vector = tile.vector, .whole_vectors = true});
    if (rows && vectors && tile.vector > 1) {
        Condition both = *vectors;
        // Of a sum over several loops Halide forgets that the minimum cancels: it must be a multiple too.
        both.push_back({.kind = Fact::MultipleOf,
                        .left = {BufferField::Min, external_buffers(view, output)[0], tile.dims.x},
                        .value = tile.vector});
        both.insert(both.end(), rows->begin(), rows->end());
        walk(emit.under(both, branch++), out, tile, TailStrategy::RoundUp, TailStrategy::ShiftInwards, across);
    }
    if (const auto has_room =
            size_condition(view, output, {{tile.dims.x, tile.vector}, {tile.dims.y, tile.per_thread}})) {
        walk(emit.under(*has_room, branch++), out, tile, TailStrategy::ShiftInwards, TailStrategy::ShiftInwards,
             across);
    }
    Tile narrow = tile;
    narrow.vector = narrow.per_thread = 1;
    walk(emit, out, narrow, TailStrategy::GuardWithIf, TailStrategy::GuardWithIf, across);
    fold(schedule, view, group, member, anchor);
    return schedule;
}

}  // namespace fusion

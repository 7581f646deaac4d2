/// All definitions of a Func in one kernel: the owner of a point along the independent dimensions, a thread or a block, keeps
/// what belongs to it in memory of its own until it is complete, and then writes it out.
#include <algorithm>

#include "fusion/halide/reassociate.h"
#include "fusion/owned_tables.h"
#include "fusion/private_kernel.h"
#include "fusion/reduction_kernel.h"
#include "schedules/block_reduce.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// Threads of the block add to what it keeps, each its share of the RDom.
void scatter(Schedule &schedule, const PipelineView &view, const Group &group, const Member &member) {
    const int threads = group.tile.threads;
    const Stage &stage = view.graph[member.stage];
    if (has_data_in_predicate(view.sources[stage.func_id].function.update(stage.update - 1))) {
        schedule.push_back({.func_id = stage.func_id, .update = stage.update, .verb = Verb::IdentityWhere});
    }
    const int place = made_id(view, group, member.stage, 0);
    schedule.push_back({.func_id = place, .update = stage.update, .verb = Verb::ScatterPlace, .other = stage.func_id});
    const Emitter emit(schedule, stage.func_id, stage.update);
    const Loop turn = made_reduction("fusion_turn_r"), thread = made_reduction("fusion_thread_r");
    const int shared = shared_rvar(view.graph, member);
    std::vector<Loop> order;
    // As many or none: of two to four PoCL 3.1 makes loops that do not end (2026-12-01).
    const bool is_long = stage.reduction[shared].extent >= (int64_t)threads * kWrittenOutSteps;
    const int unrolled = is_long ? kWrittenOutSteps : 1;
    // One guard for both: the second split comes out even.
    emit(Verb::Split, {rvar(shared), turn, thread}, threads * unrolled, TailStrategy::GuardWithIf);
    if (unrolled > 1) {
        order.push_back(made_reduction("fusion_unrolled_r"));
        emit(Verb::Split, {thread, order[0], thread}, threads, TailStrategy::GuardWithIf);
    }
    order.push_back(turn);
    for (int r = 0; r < (int)stage.reduction.size(); r++) {
        if (r != shared) {
            order.push_back(rvar(r));
        }
    }
    order.push_back(thread);
    for (const int dim : stage.independent) {
        order.push_back(arg(dim));
    }
    emit(Verb::Reorder, order);
    if (unrolled > 1) {
        emit(Verb::Unroll, {order[0]});
    }
    emit(Verb::Atomic);
    emit(Verb::GpuThreads, {thread});
    const Emitter at(schedule, place, 0);
    at.with(Verb::ComputeAt, stage.func_id, {order[0]});
    at(Verb::StoreInRegister);
}

/// One thread of the block, in the order that the user wrote.
void update_alone(Schedule &schedule, const Stage &stage) {
    const Emitter emit(schedule, stage.func_id, stage.update);
    emit.unroll_steps(stage, kWrittenOutSteps);
    const Loop single = made("fusion_single");
    emit(Verb::Split, {outermost(), outermost(), single}, 1);
    emit(Verb::GpuThreads, {single});
}

/// Threads of the block walk the loops of an update that have no order, each all steps of the others.
void update_together(Schedule &schedule, const StageGraph &graph, Vertex update, int threads) {
    const Stage &stage = graph[update];
    const SharedLoops shared = shared_loops(graph, update);
    if (shared.empty()) {
        update_alone(schedule, stage);
        return;
    }
    const Emitter emit(schedule, stage.func_id, stage.update);
    const bool are_rvars = shared.dims.empty();
    const auto is_shared = [&](int r) { return are_rvars && std::count(shared.rvars.begin(), shared.rvars.end(), r); };
    std::vector<Loop> order, together;
    if (!stage.reduction.empty() && !is_shared(0) && emit.unroll_steps(stage, kWrittenOutSteps)) {
        order = {made_reduction("fusion_unrolled_r"), made_reduction("fusion_turn_r")};
    }
    for (int r = 0; r < (int)stage.reduction.size(); r++) {
        if (is_shared(r)) {
            together.push_back(rvar(r));
        } else if (r > 0 || order.empty()) {
            order.push_back(rvar(r));
        }
    }
    for (const int d : shared.dims) {
        together.push_back(arg(d));
    }
    order.insert(order.end(), together.begin(), together.end());
    emit(Verb::Reorder, order);
    const auto loop = [&](const std::string &name) { return are_rvars ? made_reduction(name + "_r") : made(name); };
    Loop all = together[0];
    for (size_t i = 1; i < together.size(); i++) {
        const Loop fused = loop("fusion_shared" + std::to_string(i));
        emit(Verb::Fuse, {all, together[i], fused});
        all = fused;
    }
    const Loop round = loop("fusion_round"), thread = loop("fusion_thread");
    emit(Verb::Split, {all, round, thread}, threads, TailStrategy::GuardWithIf);
    order.resize(order.size() - together.size());
    order.push_back(round);
    order.push_back(thread);
    emit(Verb::Reorder, order);
    emit(Verb::GpuThreads, {thread});
}

/// Neighbouring threads walk `lane`, or, where that is -1 or shorter than they are many, all that the block has as one row.
/// `elements`: of a block. Returns the loop of the blocks where `owned` is not empty.
Loop walk_block(const Emitter &emit, const Stage &stage, const std::vector<int> &owned, int lane, int threads,
                double elements) {
    const bool is_one_row = lane < 0 || stage.most_extent[lane] < threads;
    std::vector<Loop> order = {made("fusion_turn")}, blocks, kept;
    double across = stage.role == Role::Intermediate;
    for (const int dim : stage.memory_order) {
        const bool is_owned = std::count(owned.begin(), owned.end(), dim) > 0;
        if (!is_owned && (dim == lane || is_one_row)) {
            kept.push_back(arg(dim));
            continue;
        }
        (is_owned ? blocks : order).push_back(arg(dim));
        across *= is_owned && blocks.size() > 2 ? (double)stage.dims[dim].extent : 1;
    }
    emit(Verb::Split, {emit.fuse_all(kept, "fusion_kept"), made("fusion_turn"), made("fusion_thread")}, threads,
         TailStrategy::GuardWithIf);
    if ((is_one_row ? elements : (double)stage.most_extent[lane]) >= (double)threads * kWrittenOutSteps) {
        // Loads in flight.
        emit(Verb::Split, {made("fusion_turn"), made("fusion_turn"), made("fusion_unrolled")}, kWrittenOutSteps,
             TailStrategy::GuardWithIf);
        emit(Verb::Unroll, {made("fusion_unrolled")});
        order.insert(order.begin(), made("fusion_unrolled"));
    }
    order.push_back(made("fusion_thread"));
    order.insert(order.end(), blocks.begin(), blocks.end());
    emit(Verb::Reorder, order);
    emit(Verb::GpuThreads, {made("fusion_thread")});
    if (blocks.empty()) {
        return made("fusion_thread");
    }
    blocks = emit.fuse_for_grid(blocks, "fusion_tile", across);
    emit(Verb::GpuBlocks, blocks);
    return blocks[0];
}

/// The loops over what a thread owns, written out, so that its places are numbers and it can keep them in registers.
void write_out(const Emitter &emit, const Stage &stage, const std::vector<int> &dims) {
    for (const int dim : dims) {
        const Loop all = made("fusion_all" + std::to_string(dim));
        emit(Verb::Split, {arg(dim), arg(dim), all}, stage.most_extent[dim], TailStrategy::GuardWithIf);
        emit(Verb::Unroll, {all});
    }
}

/// The steps of an update that say where it writes.
void write_out_steps(Schedule &schedule, const PipelineView &view, Vertex update) {
    const Stage &stage = view.graph[update];
    const Halide::Internal::Function &f = view.sources[stage.func_id].function;
    if (stage.update > 0) {
        for (const int r : rvars_of_places(f, f.update(stage.update - 1))) {
            Emitter(schedule, stage.func_id, stage.update)(Verb::Unroll, {rvar(r)});
        }
    }
}

bool has_numbers_for_places(const StageGraph &graph, Vertex output) {
    const std::vector<Vertex> definitions = definitions_of(graph, output);
    return std::all_of(definitions.begin(), definitions.end(),
                       [&](Vertex v) { return graph[v].places == Places::Own; });
}

}  // namespace

Schedule private_schedule(const PipelineView &view, const Group &group) {
    Schedule schedule;
    const Vertex output = group.outputs[0];
    const Stage &stage = view.graph[output];
    const std::vector<int> owned = owned_dims(view.graph, output);
    const int stored = made_id(view, group, output, kMostMade - 1);
    const double elements = owned_bytes(view.graph, output) / stage.value_bytes;
    const int lane = is_walked_together(view.graph, output) ? -1 : lane_dim(view.graph, output);
    schedule.push_back({.func_id = stored, .verb = Verb::Wrap, .other = stage.func_id});
    const Emitter emit(schedule, stored, 0), kept(schedule, stage.func_id, 0);
    emit(Verb::ComputeRoot);
    const bool in_block = group.tile.reducing > 1;
    Loop owner = made("fusion_thread");
    if (in_block) {
        owner = walk_block(emit, stage, owned, lane, group.tile.threads, elements);
        if (owned.empty()) {
            owner = made("fusion_tile");
            emit(Verb::Split, {outermost(), outermost(), owner}, 1);
            emit(Verb::GpuBlocks, {owner});
        }
    } else {
        std::vector<Loop> order, threads;
        std::vector<int> kept_dims;
        for (const int dim : stage.memory_order) {
            const bool is_owned = std::count(owned.begin(), owned.end(), dim) > 0;
            (is_owned ? threads : order).push_back(arg(dim));
            if (!is_owned) {
                kept_dims.push_back(dim);
            }
        }
        order.insert(order.end(), threads.begin(), threads.end());
        emit(Verb::Reorder, order);
        emit.points_over_threads(stage, threads, group.tile.threads);
        if (has_numbers_for_places(view.graph, output)) {
            write_out(emit, stage, kept_dims);
            write_out(kept, stage, kept_dims);
            for (const Vertex v : definitions_of(view.graph, output)) {
                write_out_steps(schedule, view, v);
            }
        }
    }
    kept.with(Verb::ComputeAt, stored, {owner});
    for (int d = 0; d < (int)stage.dims.size(); d++) {
        const bool is_owned = std::count(owned.begin(), owned.end(), d) > 0;
        kept(Verb::BoundStorage, {arg(d)},
             in_block   ? kept_extent(view.graph, output, d)
             : is_owned ? 1
                        : stage.most_extent[d]);
    }
    for (const Member &member : group.members) {
        const Stage &definition = view.graph[member.stage];
        if (!in_block || definition.func_id != stage.func_id) {
            continue;
        }
        if (definition.update == 0) {
            walk_block(kept, definition, {}, lane, group.tile.threads, elements);
        } else if (definition.scatters) {
            scatter(schedule, view, group, member);
        } else {
            update_together(schedule, view.graph, member.stage, group.tile.threads);
        }
    }
    return schedule;
}

}  // namespace fusion

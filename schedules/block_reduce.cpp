#include "schedules/block_reduce.h"

#include <algorithm>

#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// A block's value of each of `count` threads: `whole` folded by the thread in registers, the result in shared memory.
/// Returns the loop of the wrapper at which registers live.
Loop keep_for_block(Schedule &schedule, int whole, int wrapper, const Loop &thread, int count,
                    const BlockReduction &reduction, const BlockAnchor &anchor) {
    schedule.push_back({.func_id = wrapper, .verb = Verb::Wrap, .other = whole});
    const Emitter emit(schedule, wrapper, 0);
    emit.with(Verb::ComputeAt, anchor.func_id, {anchor.block});
    bound_kept(emit, reduction.kept, reduction.points);
    // Where rows are too short for all threads, Halide forgets that there are no more of them.
    emit(Verb::BoundStorage, {thread}, count);
    for (const Loop &part : reduction.parts) {
        emit(Verb::BoundStorage, {part}, 1);
    }
    std::vector<Loop> threads = {thread};
    const std::vector<Loop> kept = kept_threads(emit, reduction.kept, reduction.points, reduction.walks_points);
    if (!kept.empty()) {
        threads.insert(reduction.on_lanes ? threads.end() : threads.begin(), kept[0]);
    }
    if (threads.size() > 1) {
        std::vector<Loop> order = threads;
        order.insert(order.end(), kept.begin() + 1, kept.end());
        emit(Verb::Reorder, order);
    }
    emit(Verb::GpuThreads, threads);
    Emitter(schedule, whole, 0).with(Verb::ComputeAt, wrapper, {threads[0]});
    return threads[0];
}

}  // namespace

int unrolled_steps(int64_t steps, int most) {
    if (steps <= most + 1) {
        return (int)std::max<int64_t>(steps, 1);
    }
    for (int unrolled = most; unrolled > 1; unrolled--) {
        if (steps % unrolled == 0) {
            return unrolled;
        }
    }
    return 2;
}

void bound_kept(const Emitter &emit, const std::vector<int> &kept, int points) {
    for (size_t i = 0; i < kept.size(); i++) {
        emit(Verb::BoundStorage, {arg(kept[i])}, i == 0 ? points : 1);
    }
}

std::vector<Loop> kept_threads(const Emitter &emit, const std::vector<int> &kept, int points, bool walks_points) {
    if (kept.empty()) {
        return {};
    }
    if (!walks_points || points == 1) {
        return {arg(kept[0])};
    }
    const Loop row = made("fusion_row"), again = made("fusion_again");
    emit(Verb::Split, {arg(kept[0]), again, row}, points, TailStrategy::GuardWithIf);
    return {row, again};
}

void reduce_in_block(Schedule &schedule, const BlockReduction &reduction, const BlockAnchor &anchor) {
    const int f = reduction.func_id, vectors = reduction.first_made, shares = vectors + 1, kept_shares = vectors + 2,
              sums = vectors + 3, kept_sums = vectors + 4;
    const Emitter whole(schedule, f, 1);
    const Loop turn = made_reduction("fusion_turn_r"), thread_r = made_reduction("fusion_thread_r"),
               lane_r = made_reduction("fusion_lane_r");
    const Loop thread = made("fusion_share"), lane = made("fusion_lane");
    Loop over = reduction.over;
    if (reduction.vector > 1) {
        whole(Verb::Split, {over, made_reduction("fusion_vector_r"), lane_r}, reduction.vector,
              TailStrategy::GuardWithIf);
        over = made_reduction("fusion_vector_r");
    }
    whole.split_over_threads(over, turn, thread_r, reduction.threads, reduction.by_width);
    const int folding = reduction.vector > 1 ? vectors : shares;
    const auto factor = [&](int made, const std::vector<Loop> &loops) {
        schedule.push_back({.func_id = made, .update = 1, .verb = Verb::RFactor, .loops = loops, .other = f});
        // Of fewer threads than the constant a share of no element would be skipped under a condition that Halide hoists
        // out of all branches, and then no branch keeps a row in registers.
        if (made == folding && reduction.by_width) {
            whole(Verb::FoldAll);
        }
    };
    if (reduction.vector > 1) {
        factor(vectors, {thread_r, thread, lane_r, lane});
    }
    factor(shares, {thread_r, thread});
    const Loop registers = keep_for_block(schedule, shares, kept_shares, thread, reduction.threads, reduction, anchor);
    if (reduction.vector > 1) {
        const Emitter start(schedule, vectors, 0), fold(schedule, vectors, 1);
        start.with(Verb::ComputeAt, kept_shares, {registers});
        start(Verb::Vectorize, {lane});
        fold(Verb::Vectorize, {lane});
        Emitter(schedule, shares, 1)(Verb::Unroll, {lane_r});
    }
    const int64_t steps =
        (reduction.extent + reduction.threads * reduction.vector - 1) / (reduction.threads * reduction.vector);
    const int unrolled = unrolled_steps(steps, reduction.written_out);
    if (unrolled > 1) {
        const Emitter fold(schedule, folding, 1);
        fold(Verb::Split, {turn, turn, made_reduction("fusion_unrolled_r")}, unrolled, TailStrategy::GuardWithIf);
        fold(Verb::Unroll, {made_reduction("fusion_unrolled_r")});
    }
    const int folders = reduction.threads >= 512 ? 32 : 16;
    if (reduction.threads <= folders) {
        whole(Verb::Unroll, {thread_r});
        return;
    }
    const Loop group_r = made_reduction("fusion_group_r"), folder_r = made_reduction("fusion_folder_r"),
               folder = made("fusion_folder");
    whole(Verb::Split, {thread_r, group_r, folder_r}, folders, TailStrategy::GuardWithIf);
    factor(sums, {folder_r, folder});
    keep_for_block(schedule, sums, kept_sums, folder, folders, reduction, anchor);
    const Emitter fold(schedule, sums, 1);
    if (reduction.by_width) {
        int branch = 0;
        for (const Condition &known : known_threads(*reduction.by_width)) {
            fold.under(known, branch++)(Verb::Unroll, {group_r});
        }
    } else {
        fold(Verb::Unroll, {group_r});
    }
    whole(Verb::Unroll, {folder_r});
}

}  // namespace fusion

#include "schedules/block_slices.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// Steps of a slice written out: so many loads in flight.
constexpr int kSliceSteps = 8;

}  // namespace

void fold_slices(Schedule &schedule, const BlockSlices &slices, const BlockAnchor &anchor) {
    const int func_id = slices.func_id, lanes = slices.lanes;
    schedule.push_back({.func_id = slices.wrapper, .verb = Verb::Wrap, .other = func_id});
    const Emitter emit(schedule, slices.wrapper, 0), start(schedule, func_id, 0), fold(schedule, func_id, 1);
    emit.with(Verb::ComputeAt, anchor.func_id, {anchor.block});
    bound_kept(emit, slices.kept, slices.points);
    emit(Verb::BoundStorage, {arg(slices.dim)}, slices.most);
    const Loop vector = made("fusion_vector"), lane = made("fusion_lane"), turn = made("fusion_turn"),
               share = made("fusion_share");
    if (lanes > 1) {
        emit(Verb::Split, {arg(slices.dim), vector, lane}, lanes, TailStrategy::GuardWithIf);
    }
    emit(Verb::Split, {lanes > 1 ? vector : arg(slices.dim), turn, share}, slices.threads, TailStrategy::GuardWithIf);
    const std::vector<Loop> rows = kept_threads(emit, slices.kept, slices.points, slices.walks_points);
    std::vector<Loop> threads = {share}, order;
    if (!rows.empty()) {
        threads.insert(slices.on_lanes ? threads.end() : threads.begin(), rows[0]);
    }
    if (lanes > 1) {
        order.push_back(lane);
    }
    order.push_back(turn);
    order.insert(order.end(), threads.begin(), threads.end());
    if (!rows.empty()) {
        order.insert(order.end(), rows.begin() + 1, rows.end());
    }
    emit(Verb::Reorder, order);
    emit(Verb::GpuThreads, threads);
    start.with(Verb::ComputeAt, slices.wrapper, {turn});
    const Loop step = made_reduction("fusion_turn_r"), unrolled = made_reduction("fusion_unrolled_r");
    fold(Verb::Split, {rvar(0), step, unrolled}, kSliceSteps, TailStrategy::GuardWithIf);
    fold(Verb::Unroll, {unrolled});
    if (lanes > 1) {
        emit(Verb::Vectorize, {lane});
        start(Verb::Split, {arg(slices.dim), vector, lane}, lanes, TailStrategy::GuardWithIf);
        start(Verb::Vectorize, {lane});
        fold(Verb::Split, {arg(slices.dim), vector, lane}, lanes, TailStrategy::GuardWithIf);
        fold(Verb::Reorder, {lane, unrolled, step});
        fold(Verb::Vectorize, {lane});
    }
}

}  // namespace fusion

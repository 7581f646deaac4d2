#include "fusion/reduction_price.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/contraction_kernel.h"
#include "fusion/footprint.h"
#include "fusion/price.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_walks.h"

namespace fusion {
namespace {

/// Instructions a thread: finding its row and column, and a reduction's exchange through shared memory with its barriers.
/// softmax 131072 x 1024: 256 threads a row 288 us, 128 threads 256 us (the copy's speed); H200, 2026-11-29.
constexpr double kIndex = 40, kExchange = 80;

/// Time of a reduction's exchange in one block (same source).
constexpr double kExchangeLatency = 0.6;

/// Elements of 4 bytes in a sector, the least that memory moves.
constexpr double kSector = 8;

/// Elements of 4 bytes in a line, and what each further line that a warp touches costs (column_mean 65536 x 1024: 8
/// neighbours 88.7 us, 32 neighbours 65.8 us, which is 0.97x the copy; same source).
constexpr double kLine = 32, kPartOfALine = 0.12;

/// What the L1 keeps of the rows that blocks walk again, and the L2: softmax, rows of 1024 to 16384, with up to 64 KB of rows
/// a multiprocessor ran at 0.98 to 1.0x the copy's speed, with 128 KB at 0.75 to 0.97x with vectors and at 0.94 to 1.0x with
/// single elements, with 192 KB and more at 0.6x (H200, 2026-11-29).
/// Beyond that what is read again comes from the L2 by degrees, then from memory: rows of 16384 to 65536, one further pass
/// by 1024 threads a row, 128, 192, 256 KB a multiprocessor +0.015 to 0.026, +0.07, +0.089 ms for 0.5 GiB; 35 MB resident +0.089
/// to 0.108, 69 MB +0.13, which is the speed of memory (H200, 2026-11-30, plain CUDA).
constexpr double kL1ShareOfVectors = 0.45, kL1ShareOfElements = 0.5, kNothingInL1 = 0.85;
constexpr double kL2ShareOfRows = 0.7, kNothingInL2 = 1.4;

/// A multiprocessor with one block waits at each of its barriers (layernorm, rows of 8192: one block 424 us, two 384 us; same
/// source).
constexpr double kAlone = 1.12;

/// But for a long row whose walks are written out, in bytes that the block moves: softmax of 16384, 128 KB, 312 us (two blocks
/// 264), layernorm of 8192, 96 KB, 426 (375); layernorm of 16384, 192 KB, 378, softmax of 32768, 256 KB, 271 (H200, 2026-12-01).
constexpr double kAloneWithLongRow = 1.02, kHidesBarriers = 160 * 1024;

/// A thread that holds more than three vectors of a row which it writes again (rows of 4096: softmax two 261 us, four and eight
/// 265; l2_normalize 261, 265, 267; where nothing is written it gains: variance_rows 143 and 119; same source); and one whose
/// loads of all inputs are more values than there are registers (layernorm, eight vectors of two inputs 408 us, four 375).
constexpr int kFewVectors = 3, kMostLoaded = 40;
constexpr double kManyVectors = 1.04, kCrowded = 1.09;

/// A further slice of a thread begins with loads that nothing overlaps (variance_rows of 65536, 1024 slices four at a time: one,
/// two and four turns 127, 130, 142 us; same source).
constexpr double kFurtherTurn = 0.04;

/// Folding what the chunks found, microseconds a step of its thread (moments of 64 columns in 66 to 264 chunks; same source).
constexpr double kPartialStep = 0.2;

/// Single elements that a thread has in flight: how far ptxas moves the loads of an unrolled loop.
constexpr double kElementsInFlight = 8;

/// Walking single elements: more requests for the same bytes (rows of 256 to 4096: 256 to 266 us, with two vectors a thread
/// 256 to 260 us; same source; softmax of 16384 277 and 264, layernorm of 8192 385 and 375, 2026-12-01).
constexpr double kSingleElements = 1.05;

/// Instructions that a single element narrower than a word costs to load or store, beyond one: it moves so much less (softmax and
/// layernorm of 4096 float16: 0.325 and 0.535 ms, by vectors of four 0.260 and 0.373; H200, 2026-12-01).
double narrow_access(const Stage &stage) {
    double instructions = 0;
    for (const int bytes : stage.element_bytes) {
        instructions += (kLoad - 1) * std::max(0.0, 1 - bytes / 4.0);
    }
    return instructions;
}

/// What a cache loses of rows that fill `filled` of it.
double share_beyond(double filled, double all_fits, double nothing_fits) {
    return std::clamp((filled - all_fits) / (nothing_fits - all_fits), 0.0, 1.0);
}

/// Steps of a thread that shares `points` with `threads` others, `vector` neighbours of `lane` at a time.
double steps(double points, double lane, int threads, int vector) {
    return std::ceil(lane / (threads * vector)) * (points / std::max(1.0, lane));
}

double column_points(const Stage &out, const ReductionShape &shape) {
    double points = 1;
    for (const int dim : shape.columns) {
        points *= (double)out.dims[dim].extent;
    }
    return points;
}

}  // namespace

double steps_in_flight(const StageGraph &graph, const Group &group, const Tile &tile) {
    const bool selects = std::any_of(group.members.begin(), group.members.end(),
                                     [&](const Member &m) { return graph[m.stage].work.selected_loads > 0; });
    return tile.vector > 1                ? 2 * tile.per_thread
           : selects && tile.reducing > 1 ? 2
                                          : kElementsInFlight * tile.per_thread;
}

BlockWork block_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Stage &out = graph[group.outputs[0]];
    const ReductionShape shape = reduction_shape(graph, group);
    const std::vector<Member> reductions = reductions_of(graph, group);
    const int points_a_block = tile.threads / tile.reducing;
    BlockWork work;
    double kept = 1;
    for (size_t i = 0; i < shape.kept.size(); i++) {
        const double extent = (double)out.dims[shape.kept[i]].extent;
        work.rows *= extent;
        kept *= i == 0 ? std::ceil(extent / points_a_block) : extent;
    }
    work.blocks = kept * tile.chunks * tile.bands;
    double walked = 0, useful = 0, first = 0;
    const double in_flight = steps_in_flight(graph, group, tile);
    for (const Member &slice : slices_of(graph, group)) {
        const Stage &stage = graph[slice.stage];
        const double slices = (double)stage.dims[slice_dim(slice)].extent;
        const int lanes = slice_lanes(graph, slice, tile);
        first = std::ceil(slices / (tile.reducing * lanes)) * steps_of(stage);
        walked += first * tile.reducing * lanes;
        useful += slices * steps_of(stage);
        work.latency_us += std::ceil(first / kElementsInFlight) * device.memory_latency.value;
        work.shared_bytes += (int)(slices * points_a_block) * stage.value_bytes;
    }
    for (const Member &reduction : reductions) {
        const Stage &stage = graph[reduction.stage];
        const double points = steps_of(stage) / tile.chunks;
        const bool on_lanes = reduces_along_lanes(graph, reduction);
        const int shared = shared_rvar(graph, reduction), cut = chunked_rvar(graph, reduction);
        const double lane = (double)stage.reduction[shared].extent / (cut == shared ? tile.chunks : 1);
        const double here = steps(points, lane, tile.reducing, on_lanes ? tile.vector : 1);
        walked += here * tile.reducing * (on_lanes ? tile.vector : 1);
        useful += points;
        work.latency_us += std::ceil(here / in_flight) * (first == 0 ? device.memory_latency.value : kCachedStep);
        first = here;
        const double neighbours = on_lanes ? tile.reducing * tile.vector : points_a_block;
        const double lines = on_lanes ? 1 : 1 + kPartOfALine * (kLine / std::min(kLine, neighbours) - 1);
        if (!reduces_slices(graph, group, reduction)) {
            work.uncoalesced = std::max({work.uncoalesced, lines, kSector / std::min(kSector, neighbours)});
        }
        // Partial results of each thread, then of each sixteenth, and the value.
        work.shared_bytes += (int)(tile.threads + 33 * points_a_block) * stage.value_bytes;
        work.partial_bytes += tile.chunks > 1 ? 2 * stage.elements() * tile.chunks * stage.value_bytes : 0;
    }
    if (!shape.columns.empty()) {
        const int pieces = tile.chunks * tile.bands;
        const double points = column_points(out, shape) / pieces;
        const bool on_lanes = shape.columns[0] == contiguous_dim(out);
        const double lane = on_lanes ? (double)out.dims[shape.columns[0]].extent / pieces : points;
        const double here = steps(points, lane, tile.reducing, on_lanes ? tile.vector : 1);
        walked += here * tile.reducing * (on_lanes ? tile.vector : 1);
        useful += points;
        work.latency_us += std::ceil(here / in_flight) * kCachedStep;
    }
    work.padding = std::max(1.0, walked / std::max(1.0, useful));
    if (tile.reducing == 1) {
        work.shared_bytes = 0;
        work.overhead = kIndex;
    } else {
        work.overhead = kIndex + kExchange * (double)reductions.size();
        work.latency_us += kExchangeLatency * (double)reductions.size();
    }
    if (tile.vector == 1 && shares_lanes(graph, group)) {
        for (const Input &input : group.inputs) {
            const Stage &read = graph[input.producer];
            work.access_instructions +=
                input.bytes / std::max(1, read.value_bytes) * input.passes * narrow_access(read);
        }
        work.access_instructions += shape.columns.empty() ? 0 : out.points() * narrow_access(out);
    }
    for (const Input &input : group.inputs) {
        work.walked_bytes += input.passes > 1.5 ? input.bytes / work.blocks : 0;
    }
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            work.band_instructions += (tile.bands - 1) * member.evaluations * graph[member.stage].work.total();
        }
    }
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            if (use.frame != group.outputs[0]) {
                work.band_bytes +=
                    (tile.bands - 1) * use.calls * graph[use.frame].points() * graph[input.producer].value_bytes;
            }
        }
    }
    work.partial_launches = tile.chunks > 1 ? (int)reductions.size() : 0;
    work.partial_us = work.partial_launches * kPartialStep * std::ceil((double)tile.chunks / tile.reducing);
    return work;
}

double again_us(const StageGraph &graph, const Group &group, const Tile &tile, const BlockWork &block, double full,
                const Device &device) {
    double again = 0, walked = 0;
    if (vectors_held(graph, group, tile) > 0) {
        return 0;
    }
    for (const Input &input : group.inputs) {
        again += input.bytes * (input.passes - 1);
        walked += input.passes > 1.5 ? input.bytes : 0;
    }
    const double resident = std::min(block.blocks, full / tile.threads);
    const double on_one = std::ceil(resident / device.multiprocessors) * block.walked_bytes;
    // Other blocks, of an earlier launch, made the first pass over what is in chunks.
    const bool is_same_block = tile.chunks == 1 && tile.bands == 1;
    const double beyond_l1 =
        share_beyond(on_one / device.l1, tile.vector > 1 ? kL1ShareOfVectors : kL1ShareOfElements, kNothingInL1);
    const double in_between = is_same_block ? resident * block.walked_bytes : walked;
    const double beyond_l2 = share_beyond(in_between / device.l2, kL2ShareOfRows, kNothingInL2);
    const double a_byte = (1 - beyond_l2) / device.l2_bandwidth + beyond_l2 / device.memory_bandwidth;
    return again * (is_same_block ? beyond_l1 : 1) * a_byte * 1e-3;
}

double last_wave(double waves, double in_flight_of_one, const Device &device) {
    const double whole = std::floor(waves), rest = waves - whole;
    if (whole < 1 || rest == 0) {
        return 1;
    }
    const double reachable = std::max(1.0, rest * in_flight_of_one / device.memory_latency / 1000);
    const double memory = std::min<double>(device.memory_bandwidth, in_flight_of_one / device.memory_latency / 1000);
    return (whole + rest * std::max(1.0, memory / reachable)) / waves;
}

double slower_walk(const StageGraph &graph, const Group &group, const Tile &tile, const Walk &walk,
                   const Device &device) {
    const int held = vectors_held(graph, group, tile);
    double slower = tile.vector > 1 ? 1 : kSingleElements;
    // A chunk has its barriers at the end, and in a single wave no other block waits for that.
    const bool waits = tile.chunks == 1 || walk.waves > 1;
    if (walk.full <= device.multiprocessors * tile.threads && waits) {
        slower *= held > 0 && walk.bytes_a_block >= kHidesBarriers ? kAloneWithLongRow : kAlone;
    }
    if (held > kFewVectors && !reduction_shape(graph, group).columns.empty()) {
        slower *= kManyVectors;
        double words = 0;
        for (const Input &input : group.inputs) {
            words += input.passes > 1.5 ? graph[input.producer].value_bytes / 4.0 : 0;
        }
        slower *= held * tile.vector * words > kMostLoaded ? kCrowded : 1;
    }
    return slower * (1 + kFurtherTurn * (turns_of_slices(graph, group, tile) - 1));
}

}  // namespace fusion

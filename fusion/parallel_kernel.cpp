#include "fusion/parallel_kernel.h"

#include <algorithm>
#include <cmath>

#include "fusion/footprint.h"

namespace fusion {
namespace {

/// Microseconds of one step of a loop that reads back from memory what it has written: of two variables, where the compiler
/// cannot tell one place from another (vert_log of max_filter: 12,900 steps in 4.8 ms); where it can, several steps are written
/// out together and what one leaves to the next stays in a register (blur of iir_blur: 2560 steps by eights in 0.175 ms); where
/// data say (a histogram a row: 1536 steps in 0.84 ms). H200, 2026-11-30.
constexpr double kMemoryStep = 0.37, kWrittenOut = 0.56, kDataStep = 0.55;

/// The same of steps of constant number by threads of several dimensions: Halide moves the two addresses out of the loop as
/// unlike values then, and each step reads back what the one before wrote (our own iir_blur, 2159 steps in 1.17 and 0.90 ms; of
/// two dimensions in all, or of a number known at run time only, it does not). H200, 2026-11-30.
constexpr double kApartStep = 0.48;

/// Microseconds that a multiprocessor takes for a load or store of one thread in a line of its own, whose L1 takes one a cycle
/// or so (the scan along rows of integral_image, 4095 steps of two accesses: 1.43 ms by blocks of 256 threads, 0.27 by blocks of
/// 32; H200, 2026-11-30).
constexpr double kLine = 0.00068;

/// Instructions of the steps that are written out together: each branch holds them.
constexpr double kMostWrittenOut = 512;

/// The compiler knows what a step reads from what the steps before it wrote.
bool is_told_apart(const Stage &stage) {
    for (int d = 0; d < (int)stage.most_extent.size() && stage.independent.size() > 1; d++) {
        if (!std::count(stage.independent.begin(), stage.independent.end(), d) && stage.most_extent[d] > 0) {
            return stage.places == Places::Own;
        }
    }
    return true;
}

/// Accesses of a step at which neighbouring threads are in lines of their own: to the Func itself, where its rows are what the
/// steps walk, and to what it reads so.
double lines_a_step(const StageGraph &graph, const Group &group, int around) {
    const Stage &stage = graph[group.outputs[0]];
    const std::vector<int> &loops = stage.loops_at_once(around);
    const bool is_along = loops.size() == stage.dims.size() ||
                          std::count(stage.independent.begin(), stage.independent.end(), contiguous_dim(stage)) > 0;
    if (loops.empty() || stage.memory_order.empty() || is_along) {
        return 0;
    }
    double lines = 2;  // what it was, and what it becomes
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            const bool is_own = graph[input.producer].func_id == stage.func_id;
            lines += is_own || input.is_coalesced ? 0 : use.calls;
        }
    }
    return lines;
}

}  // namespace

double launches_around(const Stage &stage, const Tile &tile) {
    double launches = 1;
    for (size_t r = stage.reduction.size() - tile.around; r < stage.reduction.size(); r++) {
        launches *= std::max(1.0, (double)stage.reduction[r].extent);
    }
    return launches;
}

PrivateWork parallel_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device) {
    const Stage &stage = graph[group.outputs[0]];
    PrivateWork work;
    work.launches = launches_around(stage, tile);
    work.threads = 1;
    for (const int loop : stage.loops_at_once(tile.around)) {
        work.threads *= (double)std::max<int64_t>(stage.loop(loop).extent, 1);
    }
    const double steps = std::max(1.0, stage.points() / work.threads / work.launches);
    for (const Member &member : group.members) {
        work.instructions += member.evaluations * graph[member.stage].work.total();
    }
    work.instructions += work.threads * work.launches * kIndex;
    const double step = stage.places == Places::Data ? kDataStep
                        : stage.reduction.size() > 1 ? kMemoryStep
                        : is_told_apart(stage)       ? kWrittenOut / tile.per_thread
                                                     : kApartStep;
    const double blocks = std::ceil(work.threads / tile.threads / device.multiprocessors);
    const double lines = tile.threads * blocks * lines_a_step(graph, group, tile.around) * kLine;
    work.latency_us = work.launches * ((steps - 1) * step + steps * lines + device.memory_latency);
    // A block that is not full takes as long as one that is.
    work.threads = std::ceil(work.threads / tile.threads) * tile.threads;
    return work;
}

std::vector<Tile> parallel_tiles(const StageGraph &graph, const Group &group) {
    const Stage &stage = graph[group.outputs[0]];
    std::vector<Tile> tiles = {{.per_thread = 1}};
    for (int around = 1; around < (int)stage.side_by_side.size(); around++) {
        if (!stage.side_by_side[around].empty()) {
            tiles.push_back({.per_thread = 1, .around = around});
        }
    }
    if (lines_a_step(graph, group, 0) > 0) {
        // On as many multiprocessors as there are: each takes one line at a time.
        tiles.push_back({.per_thread = 1, .threads = 32});
    }
    std::vector<Tile> widths = tiles;
    std::erase_if(widths, [](const Tile &tile) { return tile.around > 0; });
    for (const int steps : {kWrittenOutSteps, 2 * kWrittenOutSteps, 4 * kWrittenOutSteps}) {
        double instructions = 0;
        for (const Member &member : group.members) {
            instructions +=
                steps * member.evaluations / std::max(1.0, stage.points()) * graph[member.stage].work.total();
        }
        if (stage.reduction.size() == 1 && stage.reduction[0].extent >= steps && instructions <= kMostWrittenOut) {
            for (const Tile &width : widths) {
                tiles.push_back({.per_thread = steps, .threads = width.threads});
            }
        }
    }
    return tiles;
}

}  // namespace fusion

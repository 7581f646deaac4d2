#pragma once
/// What it costs that a block reads an input only after its reductions, between the stores of what it computes from them.
#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// Microseconds that the walk over the columns takes longer than its bytes do, where it is the first to read an input. Its
/// stores stand between its loads: a thread has one step in flight, or as many as are unrolled where no step is guarded.
/// (softmax 16,000,000 x 4: 131,072 threads read 256 MB in 470 us; 65536 x 2048, unguarded: 110,000 threads read 537 MB in
/// 307 us; H200, 2026-11-30.)
double late_reads_us(const StageGraph &graph, const Group &group, const Tile &tile, double resident,
                     const Device &device);

}  // namespace fusion

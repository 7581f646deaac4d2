#pragma once
/// Tiles of blocks that reduce, chosen again where ptxas says something else than the estimate.
#include <vector>

#include "fusion/halide/planning.h"

namespace fusion {

/// `measured` (by measure_registers under `caps`), or the same kernels with other tiles where those, measured too, are faster.
/// A tile is chosen by estimated registers, and a few of them decide how many blocks a multiprocessor holds: where a kernel
/// of blocks that reduce turns out dearer, the next best tile is compiled and measured, three times at most.
Planned with_measured_tiles(const Planned &measured, const Halide::Target &target, const std::vector<int> &caps);

}  // namespace fusion

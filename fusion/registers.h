#pragma once
/// How many registers a thread of a kernel needs, before a compiler has been asked.
#include "fusion/plan.h"

namespace fusion {

/// Registers a thread: addresses plus the values alive at the worst moment of computing `tile.vector` points.
/// `kept`: words that a thread of a stencil keeps for its points (stencil_kernel.h).
int estimate_registers(const StageGraph &graph, const Group &group, const Tile &tile, double kept);
int estimate_registers(const StageGraph &graph, const Group &group, const Tile &tile);

}  // namespace fusion

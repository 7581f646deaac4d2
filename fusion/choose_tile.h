#pragma once
/// Of the tiles that a kernel's template can execute, the one with the least time.
#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// Fills group.tile and group.price of a traced kernel.
void choose_tile(const StageGraph &graph, Group &group, const Device &device, const Limits &limits);

}  // namespace fusion

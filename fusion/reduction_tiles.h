#pragma once
/// How many threads share a reduction, and how blocks share a row: what there is to choose from.
#include <vector>

#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// Tiles that the template can execute; the price chooses.
std::vector<Tile> reduction_tiles(const StageGraph &graph, const Group &group, const Device &device,
                                  const Limits &limits);

}  // namespace fusion

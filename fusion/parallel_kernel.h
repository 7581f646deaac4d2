#pragma once
/// Kernels of a single definition that runs in memory in the order that the user wrote, a thread a point of its independent
/// dimensions: scans, tables, whatever no other template takes.
#include <vector>

#include "fusion/private_kernel.h"

namespace fusion {

PrivateWork parallel_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Tiles that the template can execute: `per_thread` steps of its loop are written out. The price chooses.
std::vector<Tile> parallel_tiles(const StageGraph &graph, const Group &group);

}  // namespace fusion

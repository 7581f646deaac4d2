#pragma once
/// Kernels of a single definition that runs in memory in the order that the user wrote, a thread a point of the loops whose
/// steps never meet: scans, tables, whatever no other template takes.
#include <vector>

#include "fusion/private_kernel.h"

namespace fusion {

PrivateWork parallel_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Launches, one after the other: one a step of the loops around them.
double launches_around(const Stage &stage, const Tile &tile);

/// Tiles that the template can execute: `per_thread` steps of its loop are written out, or the outermost loops of its RDom have
/// a launch a step, so that more of its steps run at once. The price chooses.
std::vector<Tile> parallel_tiles(const StageGraph &graph, const Group &group);

}  // namespace fusion

#pragma once
/// The tiles of a stencil kernel that are tried, and what is too long to write out.
#include <utility>
#include <vector>

#include "fusion/plan.h"

namespace fusion {

/// Evaluations of a stage that a thread writes out one by one, beyond which the compiler, not the GPU, is the bottleneck: of a
/// chain of three filters of 25 points each a point has 441 of the first, and Halide takes minutes and gigabytes.
inline constexpr double kMostWrittenOut = 512;

/// The inlined stage of which a thread writes out the most evaluations, before the compiler finds what its points share; and
/// how many.
std::pair<Vertex, double> most_written_out(const Group &group, const Tile &tile);

/// Tiles that the template can execute; the price chooses.
std::vector<Tile> stencil_tiles(const StageGraph &graph, const Group &group);

/// The output of the kernel is as large as some tile.
bool has_whole_tile(const StageGraph &graph, const Group &group);

}  // namespace fusion

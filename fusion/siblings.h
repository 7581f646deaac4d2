#pragma once
/// Horizontal fusion: independent stages of the same extents that share a launch.
#include <map>
#include <vector>

#include "fusion/kernels.h"

namespace fusion {

/// Joins launches, best benefit first, while the price falls: those that share an input (read once then), and those too
/// small to fill the GPU each. Returns what was decided, also the best join that was refused.
/// Limit: a stage that several of the joined read is computed for each. Kept at the thread it would need one place for
/// all, but outputs may be asked for in different regions, and Halide then puts it in global memory.
std::vector<Join> join_siblings(const StageGraph &graph, const Device &device, const Limits &limits,
                                Assignment &assignment, std::map<Vertex, Group> &kernels);

}  // namespace fusion

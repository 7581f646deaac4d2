#pragma once
/// Horizontal fusion: independent stages of the same extents that share a launch.
#include <map>
#include <vector>

#include "fusion/kernels.h"
#include "fusion/verdicts.h"

namespace fusion {

/// Joins launches, best benefit first, while the price falls: those that share an input (read once then), and those too
/// small to fill the GPU each. A stage read by several of the joined is kept at the thread where that is cheaper than
/// storing it or computing it again. Returns what was decided, also the best join that was refused.
std::vector<Join> join_siblings(const StageGraph &graph, const Device &device, int register_cap, Assignment &assignment,
                                std::map<Vertex, Group> &kernels, std::vector<Decided> &decided);

}  // namespace fusion

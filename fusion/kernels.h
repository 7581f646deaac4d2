#pragma once
/// The kernels that a set of placements gives.
#include <map>
#include <vector>

#include "fusion/plan.h"

namespace fusion {

/// Placements and which stages share a launch: all of a plan that is decided, from which the kernels follow.
struct Assignment {
    std::vector<Placement> placement;
    std::vector<Vertex> leader;  ///< by stored stage: the first stage of its launch, itself when alone
};

/// Everything stored, each stage a launch of its own; what cannot be stored is inlined, what runs on the host stays there.
Assignment all_stored(const StageGraph &graph);

/// A stage that is computed by loops of its own.
bool is_kernel(const StageGraph &graph, const Assignment &assignment, Vertex stage);

/// The stages of the launch that `leader` leads, ascending.
std::vector<Vertex> launch_of(const StageGraph &graph, const Assignment &assignment, Vertex leader);

/// Traces and prices one launch; buffers are staged in shared memory where that is cheaper.
Group make_kernel(const StageGraph &graph, const Assignment &assignment, const std::vector<Vertex> &outputs,
                  const Device &device, const Limits &limits);

/// All kernels by leader.
std::map<Vertex, Group> make_kernels(const StageGraph &graph, const Assignment &assignment, const Device &device,
                                     const Limits &limits);

/// Computes all definitions of a Func in one kernel, in memory of the owners of its points, where that is cheaper.
void keep_private(const StageGraph &graph, Assignment &assignment, std::map<Vertex, Group> &kernels,
                  const Device &device, const Limits &limits);

/// In an order in which each kernel finds what it reads in memory; ties by leader.
std::vector<Group> in_order_of_execution(std::map<Vertex, Group> kernels);

}  // namespace fusion

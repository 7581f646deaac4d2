#pragma once
/// Stages that follow the variables of an RDom: each step of a fold needs others of their points.
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// By stage: what moves with it into the kernel of the folds whose steps it belongs to: all stages that follow the RDom, and
/// the folds too where several read them. Ascending; empty: it belongs to none, something else reads them too, or threads
/// would share nothing.
std::vector<std::vector<Vertex>> stages_of_steps(const StageGraph &graph);

/// Of stages that move together: threads need it at offsets to their own points, or several folds or channels need it.
bool is_shared_in_step(const StageGraph &graph, const std::vector<Vertex> &stages, Vertex stage);

}  // namespace fusion

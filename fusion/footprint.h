#pragma once
/// What one kernel computes and which buffers it reads, from the placements alone.
#include <set>
#include <vector>

#include "fusion/plan.h"

namespace fusion {

/// Follows the reads of `outputs` through every stage that is not stored. Fills members (with how often each is
/// evaluated over the whole kernel for a thread computing one point) and inputs (distinct bytes, coalescing).
/// Evaluations multiply along call sites; reads of the same point through several paths are one evaluation.
/// Stored buffers in `staged` are read through a tile in shared memory.
Group trace_kernel(const StageGraph &graph, const std::vector<Placement> &placement, const std::vector<Vertex> &outputs,
                   const std::set<Vertex> &staged = {});

/// The tiles of a kernel can be loaded along their own rows and stored along the output's: one output, computed once, and
/// each tile follows every one of its dimensions, its contiguous one another than the output's.
bool is_transposed_tile(const StageGraph &graph, const Group &group);

/// The output dimension that neighbouring threads walk: the one with stride 1; -1 for a single value.
int contiguous_dim(const Stage &stage);

}  // namespace fusion

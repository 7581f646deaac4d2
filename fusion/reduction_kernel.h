#pragma once
/// Kernels in which a block reduces together: what its output, its reductions and their loops must look like.
#include <vector>

#include "fusion/decision.h"
#include "fusion/plan.h"

namespace fusion {

/// How the dimensions of the kernel's output are walked.
struct ReductionShape {
    std::vector<int> kept;     ///< each point of these has its own reductions; contiguous ones first
    std::vector<int> columns;  ///< walked by the threads of a block: the rows that were reduced
};

/// A reduction whose value threads keep in registers while they fold: alone, or, when its order is free, as a block.
bool is_reduction(const Stage &stage);

/// Points of the RDom.
double steps_of(const Stage &stage);

/// The members that a block reduces: kept in shared memory, and the output when it is a reduction; producers first.
std::vector<Member> reductions_of(const StageGraph &graph, const Group &group);

/// The members whose points the threads of a block fold one by one, each alone and in the order of its loop, for the block to
/// reduce: slices of a row.
std::vector<Member> slices_of(const StageGraph &graph, const Group &group);

/// The dimension of such a member that follows none of the output's: the slices of one row.
int slice_dim(const Member &member);

/// The reduction reads slices that its block holds, and no memory.
bool reduces_slices(const StageGraph &graph, const Group &group, const Member &reduction);

ReductionShape reduction_shape(const StageGraph &graph, const Group &group);

/// Whether one block can compute the kernel's reductions and what reads them. A refusal names the stage.
Decision can_reduce_in_block(const StageGraph &graph, const Group &group);

/// The variable of the RDom that the threads of a block share: the one that neighbours walk, else the longest.
int shared_rvar(const StageGraph &graph, const Member &reduction);

/// The variable that is cut in chunks for blocks of their own: the longest that the threads do not share, if there is one.
int chunked_rvar(const StageGraph &graph, const Member &reduction);

/// What is needed of the stage is what is needed of outputs: all that read it, and their readers, do so at their own points
/// or along reductions, not at offsets, strides or places that data tell.
bool has_plain_region(const StageGraph &graph, Vertex stage);

/// Neighbouring threads walk the reduction, and not the kept dimensions.
bool reduces_along_lanes(const StageGraph &graph, const Member &reduction);

/// Neighbouring threads of the kernel share a reduction and walk its row, rather than hold neighbouring kept points. One
/// answer for all loops of a block: its threads are as many as the most of them need in each direction.
bool shares_lanes(const StageGraph &graph, const Group &group);

}  // namespace fusion

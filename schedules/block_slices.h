#pragma once
/// Directives for the slices of a row that a block holds (rewrites/row_parts.h).
#include <vector>

#include "schedules/block_reduce.h"

namespace fusion {

/// A Func with one dimension more than the rows of a block: each point of it folds a slice of the row, in order.
struct BlockSlices {
    int func_id = 0;
    int wrapper = 0;   ///< an id that is free, for the Func that keeps them
    int dim = 0;       ///< the slices
    int64_t most = 0;  ///< of them
    int lanes = 1;     ///< neighbouring ones that a thread folds side by side, with wide loads
    std::vector<int> kept = {};
    bool on_lanes = true;
    int threads = 1;  ///< that share the slices of a row
    int points = 1;
    bool walks_points = false;
};

/// Each slice is folded by a thread in its registers, so many steps written out, and kept in shared memory.
void fold_slices(Schedule &schedule, const BlockSlices &slices, const BlockAnchor &anchor);

}  // namespace fusion

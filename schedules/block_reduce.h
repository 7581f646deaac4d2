#pragma once
/// Directives that let the threads of a block reduce together, from ordinary rfactors and wrappers.
#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/directive.h"
#include "schedules/templates.h"

namespace fusion {

/// The loop of a Func at which a block's values are computed.
struct BlockAnchor {
    int func_id = 0;
    Loop block;
};

/// What a block reduces: the first update of Func `func_id`, over its loop `over`, of `extent` steps at the estimates.
struct BlockReduction {
    int func_id = 0;
    Loop over;
    int64_t extent = 1;
    int first_made = 0;          ///< ids from here on are free for the Funcs made
    std::vector<int> kept = {};  ///< dimensions, that of which a block holds several points first
    bool on_lanes = true;        ///< neighbouring threads walk the reduction, else the kept dimension
    int vector = 1;
    int written_out = 1;           ///< as in steps_written_out()
    int threads = 1;               ///< that share one reduction
    int points = 1;                ///< of the kept dimension a block holds
    bool walks_points = false;     ///< as in kept_threads()
    std::vector<Loop> parts = {};  ///< dimensions made for blocks of their own: a block has one of each
    std::optional<RowThreads> by_width = std::nullopt;  ///< how many of `threads` there are; of one value, no Tuple
};

/// Ids that one call uses.
inline constexpr int kMadeByReduction = 5;

/// Every thread folds its share in registers, sixteen or thirty-two fold what the threads found, and what is left of the
/// update folds those: it must then be computed at a thread. Values pass through shared memory, one barrier each.
void reduce_in_block(Schedule &schedule, const BlockReduction &reduction, const BlockAnchor &anchor);

/// Bounds the storage of a block's values: `points` of the first kept dimension, one of the others. True by construction;
/// without it the size is known at run time only, under a guarded tail or fused loops.
void bound_kept(const Emitter &emit, const std::vector<int> &kept, int points);

/// The threads along the first kept dimension of a block's values: its loop, or, where the block walks its points, so many at
/// a time and the loop over those. Where the region is not plain (has_plain_region), Halide finds no constant bound for the
/// rows of a block and would launch as many threads as there may be rows. Not done elsewhere: it costs registers.
std::vector<Loop> kept_threads(const Emitter &emit, const std::vector<int> &kept, int points, bool walks_points);

/// How far a loop of `steps` is unrolled so that no step needs a guard: `most` (steps_written_out()) or the next smaller factor.
int unrolled_steps(int64_t steps, int most);

}  // namespace fusion

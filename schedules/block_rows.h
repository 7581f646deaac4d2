#pragma once
/// The loops of a kernel whose blocks reduce together: kept points over blocks and threads, columns over threads.
#include <vector>

#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/templates.h"

namespace fusion {

/// The stage whose loops are the blocks, of a Func with the dimensions of the output (and those of chunks).
struct Anchor {
    int func_id = 0;
    int update = 0;
    std::vector<int> kept;          ///< dimensions, the one that a block holds several of first
    std::vector<int> columns;       ///< dimensions, that of the lanes first where it is among them
    int64_t column_extent = 1;      ///< of columns[0]
    int64_t column_chunk = 0;       ///< columns[0] is cut in pieces of this for blocks of their own; 0: it is not
    int chunk_dim = -1;             ///< one more dimension over blocks
    double across = 0;              ///< points of the loops over blocks beyond the second, where the pipeline allocates
    bool columns_on_lanes = false;  ///< columns[0] is the contiguous dimension
    std::optional<RowThreads> by_width = std::nullopt;  ///< how many of the tile's threads share a row
    bool shares_lanes = true;  ///< as in reduction_kernel.h: neighbouring threads walk columns[0]
};

struct AnchorLoops {
    Loop block;
    Loop registers;  ///< the innermost thread loop
};

/// A loop of one step inside of `row`: for threads of which one row has one, where others have several.
Loop split_single(const Emitter &emit, const Loop &row);

/// Emits the loops of the anchor.
AnchorLoops walk(const Emitter &emit, const Anchor &anchor, const Tile &tile, Halide::TailStrategy tail);

/// The loops that walk() makes, known before it is called.
AnchorLoops anchor_loops(const Anchor &anchor, const Tile &tile);

/// The loops of the anchor: a branch for the sizes of the estimates, one for rows of whole vectors that keep all threads
/// busy, and the general one. Where the number of threads goes by the width, wide rows have one more, in which it is known.
AnchorLoops walk_branches(Schedule &schedule, const PipelineView &view, const Group &group, const Anchor &anchor);

}  // namespace fusion

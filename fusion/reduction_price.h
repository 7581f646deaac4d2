#pragma once
/// What a kernel of blocks that reduce together costs besides its bytes and its arithmetic.
#include <vector>

#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// Microseconds of one step of a loop over what the L1 holds (softmax 131072 x 1024, H200, 2026-11-29).
inline constexpr double kCachedStep = 0.05;

struct BlockWork {
    double rows = 1;  ///< points of the kept dimensions: each has its own reductions
    double blocks = 1;
    double padding = 1;        ///< points that the threads walk over the points there are
    double overhead = 0;       ///< instructions a thread besides the arithmetic of the stages
    double latency_us = 0;     ///< of one block, were it alone
    double partial_bytes = 0;  ///< of partial results, written and read again
    double band_bytes = 0;     ///< of what further blocks of the same rows read to reduce them again
    double band_instructions = 0;
    double uncoalesced = 1;   ///< bytes moved over bytes used
    double walked_bytes = 0;  ///< one block's share of the inputs that are read in several passes
    int shared_bytes = 0;
    int partial_launches = 0;
};

/// Steps of a walk along a row whose loads a thread has in flight at once: how far the template and ptxas unroll. Where
/// threads share a row, a single element that a select picks is loaded in a branch of its own, behind which ptxas moves
/// nothing (softmax_masked 4096 x 32768: 0.59x the copy, with vectors 0.985x; H200, 2026-11-30).
double steps_in_flight(const StageGraph &graph, const Group &group, const Tile &tile);

BlockWork block_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Microseconds of reading rows again in further passes: none where the L1 holds those of all resident blocks, else from the
/// L2 where that does, else from memory. `full`: threads resident when there are blocks enough.
double again_us(const Group &group, const Tile &tile, const BlockWork &block, double full, const Device &device);

/// Time of the first walk over its bytes at the memory's speed.
double slower_walk(const Tile &tile, double full, const Device &device);

}  // namespace fusion

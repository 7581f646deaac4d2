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
    double padding = 1;  ///< points that the threads walk over the points there are
    /// Of loads and stores of single elements beyond those counted with the arithmetic.
    double access_instructions = 0;
    double overhead = 0;       ///< instructions a thread besides the arithmetic of the stages
    double latency_us = 0;     ///< of one block, were it alone
    double partial_bytes = 0;  ///< of partial results, written and read again
    double band_bytes = 0;     ///< of what further blocks of the same rows read to reduce them again
    double band_instructions = 0;
    double uncoalesced = 1;   ///< bytes moved over bytes used
    double walked_bytes = 0;  ///< one block's share of the inputs that are read in several passes
    int shared_bytes = 0;
    int partial_launches = 0;
    double partial_us = 0;  ///< of these, besides the launches
};

/// Steps of a walk along a row whose loads a thread has in flight at once: how far the template and ptxas unroll. Where
/// threads share a row, a single element that a select picks is loaded in a branch of its own, behind which ptxas moves
/// nothing (softmax_masked 4096 x 32768: 0.59x the copy, with vectors 0.985x; H200, 2026-11-30).
double steps_in_flight(const StageGraph &graph, const Group &group, const Tile &tile);

BlockWork block_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Microseconds of reading rows again in further passes: none where the L1 holds those of all resident blocks, else from the
/// L2 where that does, else from memory. `full`: threads resident when there are blocks enough.
double again_us(const StageGraph &graph, const Group &group, const Tile &tile, const BlockWork &block, double full,
                const Device &device);

/// How much longer reading takes because the last blocks run alone: few of them cannot fill the memory system.
/// `in_flight_of_one`: bytes in flight of a whole wave. (64 columns of 1,000,000, moments in float64: 382 blocks in 1.45 waves
/// 78.4 us, 262 in one 69.4; H200, 2026-12-01.)
double last_wave(double waves, double in_flight_of_one, const Device &device);

/// What the first walk depends on.
struct Walk {
    double full = 0;  ///< threads resident when there are blocks enough
    double waves = 0;
    double bytes_a_block = 0;
};

/// Time of the first walk over its bytes at the memory's speed.
double slower_walk(const StageGraph &graph, const Group &group, const Tile &tile, const Walk &walk,
                   const Device &device);

}  // namespace fusion

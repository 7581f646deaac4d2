#pragma once
/// Instructions of a kernel whose threads compute a point each, or a vector of neighbours. Lanes share what does not move with
/// them, and call sites what their places have in common (use.h).
#include "fusion/plan.h"

namespace fusion {

/// Instructions of finding a place that is no box around a thread's point: a wide multiply-add and an addition (PTX of bgu's
/// slice: 428 for 304 loads, 2026-11-30).
inline constexpr double kPlace = 2;

/// Of a member over the whole kernel.
double instructions_of(const StageGraph &graph, const Group &group, const Member &member, const Tile &tile);

/// Of all members, a point of the output, without vectors.
double instructions_a_point(const StageGraph &graph, const Group &group);

/// Lanes of a vector load elsewhere than the vector lies, so that each loads alone.
bool runs_elsewhere(const StageGraph &graph, const Input &input, const Use &use);

/// Of the loads at other points than a thread's own, each by itself, beyond the first of each. Of vectors that are not where
/// they are in memory each lane loads alone, and a warp's loads of one lane lie as far apart as vectors are long (squares of
/// nl_means, 4 lanes: 0.89 ms where 0.24 was predicted; H200, 2026-11-30).
double instructions_elsewhere(const StageGraph &graph, const Group &group, const Tile &tile);

}  // namespace fusion

#pragma once
/// The box that a block keeps of a stage, by its sides: how each moves with a dimension of the kernel's output.
#include <vector>

#include "fusion/plan.h"

namespace fusion {

/// What others read of a member, not its own loops.
std::vector<Use> reads_by_others(const Member &member);

/// Fills the sides of all members at the block.
void find_sides(Group &group);

/// Points of a box with these sides, for a tile of the output: by its dimensions, 1 where a side moves with none.
std::vector<double> box_of(const std::vector<Rate> &sides, const std::vector<double> &tile);

/// The dimension whose side moves with `dim` of the output; -1: none.
int side_along(const std::vector<Rate> &sides, int dim);

}  // namespace fusion

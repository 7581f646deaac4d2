#pragma once
/// How many values a kernel holds at once.
#include "fusion/plan.h"

namespace fusion {

/// 32-bit words of one point of the stage.
int words(const Stage &stage);

/// Of one point of the kernel's outputs, in 32-bit words, at the worst moment.
int most_live_values(const StageGraph &graph, const Group &group);

}  // namespace fusion

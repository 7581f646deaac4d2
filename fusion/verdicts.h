#pragma once
/// One verdict an edge, from what the planner decided about each stage.
#include <string>
#include <vector>

#include "fusion/plan.h"

namespace fusion {

/// The last decision about one stage.
struct Decided {
    bool fused = false;
    std::string rule;  ///< empty: it was never a candidate
    std::string why;
    double apart_us = 0;
    double fused_us = 0;
    int step = 0;
};

/// Verdicts in edges_in_order. Reasons name stages, bytes and times.
std::vector<Verdict> make_verdicts(const StageGraph &graph, const Plan &plan, const std::vector<Decided> &decided);

}  // namespace fusion

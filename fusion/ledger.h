#pragma once
/// What a plan costs beside the same pipeline unfused: bytes, launches, instructions, time.
#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

struct Ledger {
    Price unfused;  ///< totals with every stage a kernel of its own
    Price planned;
    double compulsory_bytes = 0;  ///< each input read once, each output written once
};

/// `unfused` is the plan of Variant::Unfused of the same graph.
Ledger make_ledger(const StageGraph &graph, const Plan &plan, const Plan &unfused);

/// Bytes that any plan must move: inputs as far as they are needed, and outputs.
double compulsory_bytes(const StageGraph &graph);

}  // namespace fusion

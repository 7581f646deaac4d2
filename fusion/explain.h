#pragma once
/// A plan as a person, a script or a picture has it.
#include <string>

#include "fusion/device.h"
#include "fusion/ledger.h"
#include "fusion/plan.h"

namespace fusion {

/// Everything that an explanation speaks of.
struct Explained {
    std::string pipeline;
    const StageGraph &graph;
    const Device &device;
    const Plan &plan;
    const Ledger &ledger;
};

/// Kernels with their ledger, verdicts with both prices, totals.
std::string explain_text(const Explained &e);

/// One object, "schema": 1; fields as the README lists them. Numbers in bytes and microseconds.
std::string explain_json(const Explained &e);

/// Graphviz: stages as nodes, kernels as boxes around them.
std::string explain_dot(const Explained &e);

/// The rule table: id, kind, meaning.
std::string rules_text();

/// A kernel is called after what it stores.
std::string kernel_name(const StageGraph &graph, const Group &group);

/// Which of the four parts of a kernel's time is the largest: "launch", "read", "compute" or "write".
std::string dominant_part(const Price &price);

}  // namespace fusion

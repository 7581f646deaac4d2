#pragma once
/// Instructions and registers that evaluating expressions takes in one GPU thread.
#include <Halide.h>
#include <set>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// Instructions of evaluating all of `values` once; a subexpression shared between them counts once. Those that use none of
/// the variables in `walked` are invariant.
Work work_of(const std::vector<Halide::Expr> &values, const std::set<std::string> &walked);

/// The loops of a stage that a thread walks: those of a reduction, else that of the contiguous dimension.
std::set<std::string> walked_loops(const Stage &stage);

/// 32-bit values alive at the worst moment of evaluating `values`, loads included (Sethi and Ullman's numbering).
int live_values_of(const std::vector<Halide::Expr> &values);

}  // namespace fusion

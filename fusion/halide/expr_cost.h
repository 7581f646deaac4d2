#pragma once
/// Instructions and registers that evaluating expressions takes in one GPU thread.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// Instructions of evaluating all of `values` once; a subexpression shared between them counts once. `loops`: the names that
/// the bits of a Share stand for.
Work work_of(const std::vector<Halide::Expr> &values, const std::vector<std::string> &loops);

/// Names of a stage's dims, then of its reduction.
std::vector<std::string> loops_of(const Stage &stage);

/// 32-bit values alive at the worst moment of evaluating `values`, loads included (Sethi and Ullman's numbering).
int live_values_of(const std::vector<Halide::Expr> &values);

}  // namespace fusion

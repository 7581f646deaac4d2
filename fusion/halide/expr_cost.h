#pragma once
/// Instructions and registers that evaluating expressions takes in one GPU thread.
#include <Halide.h>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// Instructions of evaluating all of `values` once; a subexpression shared between them counts once.
Work work_of(const std::vector<Halide::Expr> &values);

/// 32-bit values alive at the worst moment of evaluating `values`, loads included (Sethi and Ullman's numbering).
int live_values_of(const std::vector<Halide::Expr> &values);

}  // namespace fusion

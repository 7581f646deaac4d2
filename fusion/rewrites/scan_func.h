#pragma once
/// Running sums and their like as a rewrite matches them: one dimension of a Func that an update walks step by step, each
/// value combined with the one before by an associative operator, or added to a constant part of it (a recursive filter).
#include <Halide.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fusion {

/// f(..., place(r), ...) = op(f(..., place(r) - step, ...), term(r)), or factor * f(...) + term(r), r over one variable of an RDom without conditions, the
/// term of the points before it untouched by the update.
struct ScanFunc {
    Halide::Internal::Function function;
    int update = 0;  ///< of the Func's updates, from 0
    int dim = 0;     ///< the one that is walked
    int step = 1;    ///< 1, or -1 where it is walked downwards
    Halide::Internal::ReductionVariable over;
    Halide::Expr first;                                                          ///< the place before the first step's
    Halide::Expr term;                                                           ///< in terms of `over`
    std::function<Halide::Expr(const Halide::Expr &, const Halide::Expr &)> op;  ///< of what came before and the term
    Halide::Expr factor;    ///< the same for all points; undefined: none
    Halide::Expr identity;  ///< of the operator; undefined: infinite, of which Halide makes no number everywhere
    bool adds_own = false;  ///< the term is the point's own value before the update, and nothing else
};

/// What `value`, found from `steps` steps alone, becomes after what came `before` them. At most so many steps.
Halide::Expr continued(const ScanFunc &scan, const Halide::Expr &before, const Halide::Expr &value,
                       const Halide::Expr &steps, int64_t most_steps);

/// The scans among the Funcs that `outputs` reach, producers first. Left out: outputs, Tuples, Funcs that their author has
/// scheduled, and all operators but sums, products, extremes and bitwise or logical and, or, xor.
std::vector<ScanFunc> scan_funcs(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

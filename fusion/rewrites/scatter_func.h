#pragma once
/// Histograms and their like as a rewrite matches them: a table whose update combines values with places that data say.
#include <Halide.h>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace fusion {

/// Numbers from `first` to `last`.
struct Numbers {
    int64_t first = 0, last = 0;
    int64_t count() const { return last - first + 1; }
};

/// f(place(r)) = op(f(place(r)), term(r)), r over an RDom: the Func's only update.
struct ScatterFunc {
    Halide::Internal::Function function;
    std::vector<Halide::Internal::ReductionVariable> over;
    Halide::Expr condition;           ///< of the RDom
    Halide::Expr init;                ///< in the args of the pure definition
    std::vector<Halide::Expr> place;  ///< by dimension
    /// By dimension: all that the update can write. Nothing: it keeps the variable.
    std::vector<std::optional<Numbers>> places;
    Halide::Expr term;           ///< in terms of `over`, and of the variables that are kept
    bool is_idempotent = false;  ///< the same term twice is as good as once
    Halide::Expr identity;       ///< of the operator; undefined: it is idempotent, and the identity infinite
    Halide::Expr start;          ///< of a part of the steps, to which others can be added
    bool is_atomic = false;      ///< threads may share a part's table, and any order gives the same digits
    Halide::Type of_part;        ///< what a part is kept in: sums of 8 and 16 bits in 32, which wrap around to the same
    std::function<Halide::Expr(const Halide::Expr &, const Halide::Expr &)> op;  ///< associative and commutative

    /// Entries of a table, of one point of the dimensions that are kept.
    double entries() const;
};

/// Those among the Funcs that `outputs` reach, producers first, of which numbers bound the places. Left out: outputs, Tuples,
/// Funcs that their author has scheduled, and operators that Halide does not prove associative and commutative.
std::vector<ScatterFunc> scatter_funcs(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

#pragma once
/// Reductions as the rewrites match them, and what they need to put another in place of one.
#include <Halide.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fusion {

/// A Func that folds one RDom without conditions, by one update of every point of it.
struct ReductionFunc {
    Halide::Internal::Function function;
    std::vector<Halide::Internal::ReductionVariable> over;
    std::vector<Halide::Expr> init, update;  ///< by Tuple element; update in the args of the pure definition
};

/// The Funcs that `outputs` reach, producers first, which others may take the place of. Left out: outputs, what extern stages
/// read or compute, and Funcs that their author has scheduled.
std::vector<Halide::Internal::Function> replaceable_funcs(const std::vector<Halide::Internal::Function> &outputs);

/// The reductions among the Funcs that `outputs` reach, producers first. Left out: outputs, Funcs that their author has
/// scheduled, and updates with conditions.
std::vector<ReductionFunc> reduction_funcs(const std::vector<Halide::Internal::Function> &outputs);

/// Calls `replace_one`, which replaces a reduction in what `outputs` reach and names it, until there is nothing to replace:
/// what it puts in can be read by the next. Returns the names. What it puts in must not match again.
std::vector<std::string>
replace_all(const std::vector<Halide::Internal::Function> &outputs,
            std::optional<std::string> (*replace_one)(const std::vector<Halide::Internal::Function> &outputs));

/// What a sum adds, a maximum compares: the operand of the update that is not the Func itself. Nothing when it is neither.
std::optional<Halide::Expr> summed_term(const ReductionFunc &reduction);
std::optional<Halide::Expr> largest_term(const ReductionFunc &reduction);

/// `e` with calls of pure Funcs replaced by their definitions; nothing where that grows out of hand.
std::optional<Halide::Expr> with_calls_inlined(const Halide::Expr &e,
                                               const std::vector<Halide::Internal::Function> &outputs);

/// The variables of the RDom of `other` and its args, in the terms of `one`: nothing unless both fold the same domain and
/// have as many args.
std::optional<std::map<std::string, Halide::Expr>> same_loops(const ReductionFunc &one, const ReductionFunc &other);

/// Whether `e` calls the Func or has the variable.
bool mentions(const Halide::Expr &e, const std::string &name);

/// The Func's args as variables.
std::vector<Halide::Var> args_of(const ReductionFunc &reduction);

/// The same of any Func.
std::vector<Halide::Expr> args_of(const Halide::Internal::Function &f);

/// The name of a Func as its author calls it, without Halide's suffix.
std::string plain_name(const std::string &name);

/// An RDom over the same points, with variables of its own, and these by the names of the old ones.
Halide::RDom fresh_domain(const ReductionFunc &reduction, std::map<std::string, Halide::Expr> &renamed);

/// The Tuple elements of the Func that others call.
std::set<int> elements_read(const std::vector<Halide::Internal::Function> &outputs, const std::string &name);

/// Calls of the Func in all that `outputs` reach become those of `replacement`, of the same args and Tuple elements.
void replace_calls(const std::vector<Halide::Internal::Function> &outputs, const std::string &name,
                   const Halide::Func &replacement);
/// The same in one expression.
Halide::Expr replace_calls(const Halide::Expr &e, const std::string &name, const Halide::Func &replacement);

}  // namespace fusion

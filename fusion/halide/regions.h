#pragma once
/// Which part of every stage a pipeline needs at the estimated sizes.
#include <Halide.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// One box of whole numbers a Func or buffer, by its Halide name; nullopt where the region has no constant bound.
using Regions = std::map<std::string, std::optional<std::vector<Extent>>>;

/// Walks `functions` (producers first) backwards from the outputs' estimates.
/// Throws UserError where an output or a parameter that a region depends on lacks its estimate.
Regions required_regions(const std::vector<Halide::Internal::Function> &functions,
                         const std::vector<Halide::Internal::Function> &outputs);

/// Names of the dimensions of `f` that its readers ask for without a constant bound, with commas between; of all where it
/// is the whole that is too large.
std::string unbounded_dims(const Halide::Internal::Function &f,
                           const std::vector<Halide::Internal::Function> &functions, const Regions &regions,
                           const Halide::Internal::FuncValueBounds &value_bounds);

/// What one definition, computed over `dims` and `reduction`, needs of each Func or buffer it reads.
Regions required_by(const std::vector<Halide::Expr> &exprs, const std::vector<Extent> &dims,
                    const std::vector<Extent> &reduction, const Halide::Internal::FuncValueBounds &value_bounds);

/// The value of an expression of parameters at their estimates. Throws UserError naming a parameter without one;
/// nullopt where the expression depends on anything else.
std::optional<int64_t> at_estimates(const Halide::Expr &e);

/// The dimensions of an RDom at the estimates.
std::vector<Extent> reduction_dims(const Halide::Internal::Definition &definition);

/// Every expression of a definition: values, left-hand indices and predicate.
std::vector<Halide::Expr> expressions_of(const Halide::Internal::Definition &definition);

/// The same, and a call of `f` where the definition writes: Halide makes room for that, whatever is read of it.
std::vector<Halide::Expr> expressions_and_place(const Halide::Internal::Function &f,
                                                const Halide::Internal::Definition &definition);

/// Value bounds of all functions, for indices that are computed by other Funcs.
Halide::Internal::FuncValueBounds value_bounds_of(const std::vector<Halide::Internal::Function> &functions);

}  // namespace fusion

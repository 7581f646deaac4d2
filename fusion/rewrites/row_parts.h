#pragma once
/// A row cut in slices that threads fold one by one, so that what folds in no order of its own (a running maximum with its sum,
/// a mean with its squares) is one pass over memory; ordinary reductions then fold the slices.
#include <optional>

#include "fusion/rewrites/reduction_func.h"

namespace fusion {

/// How the rows of a reduction are cut.
struct RowParts {
    int slices = 1;  ///< of a piece, each folded by a thread; their elements lie so many places apart
    int pieces = 1;  ///< of a row, each folded by a block; 1: a block has the whole row
};

/// For a reduction over one variable along which its reads run; nothing where that is not so or the rows are too short.
/// From the estimates; any other length is correct.
std::optional<RowParts> row_parts(const ReductionFunc &reduction,
                                  const std::vector<Halide::Internal::Function> &outputs);

/// The loop of a thread over its slice, and the element of the row at which a step is.
struct SlicedRow {
    /// `args`: slice, piece where there are several, and the reduction's own.
    SlicedRow(const ReductionFunc &reduction, const RowParts &parts, const std::vector<Halide::Var> &args);
    Halide::RDom steps;
    Halide::Expr is_inside;             ///< of the row: slices are not all of one length
    Halide::Expr at;                    ///< in the terms of the reduction's variable; always inside
    std::vector<Halide::Expr> samples;  ///< three elements of the slice, or of the row where it has fewer
    Halide::Expr count;                 ///< elements of the slice, at least 0
};

}  // namespace fusion

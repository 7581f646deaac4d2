#pragma once
/// How a table that an update fills where data say is cut.
#include <optional>
#include <vector>

#include "fusion/device.h"
#include "fusion/rewrites/scatter_func.h"

namespace fusion {

/// How the steps of a table are cut.
struct TableParts {
    int cut = 0;    ///< the variable of the RDom of which each part has a piece
    int parts = 1;  ///< pieces
    int along = 0;  ///< the variable of which neighbouring lanes have neighbouring steps
    int lanes = 1;  ///< parts of a piece; 1: the whole piece has one table, to which the threads of a block add
    bool operator==(const TableParts &) const = default;
};

/// As many as fill the device, fewer where a part would have few steps for what its table costs. From the estimates; any other
/// size is correct. Nothing where there are too few steps, or as many tables of other dimensions as would be made.
std::optional<TableParts> table_parts(const ScatterFunc &table, const Device &device,
                                      const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

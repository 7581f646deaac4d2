#pragma once
/// A histogram, or another table whose update combines values with places that data say, of parts of its steps: each part has a
/// table of its own, which a block or a thread keeps on chip, and a reduction combines them. Sums of floating-point values round
/// in another order.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/device.h"

namespace fusion {

/// Replaces the tables in what `outputs` reach (scatter_func.h) that have steps enough; returns the names.
/// Limit: a table that is an output itself stays as it is.
std::vector<std::string> use_tables_in_parts(const std::vector<Halide::Internal::Function> &outputs,
                                             const Device &device);

}  // namespace fusion

#pragma once
/// What the Func of a scan holds beside it, and which of its places anybody reads.
#include <optional>
#include <vector>

#include "fusion/rewrites/scan_func.h"

namespace fusion {

/// The value at the first place, where the update before the scan is that alone.
std::optional<Halide::Expr> first_value(const ScanFunc &scan);

/// The Func begins with an undefined value. A select that has such an arm leaves the other one out too.
bool is_partly_undefined(const ScanFunc &scan);

/// Places that the walk does not come to hold nothing that was ever computed.
bool is_undefined_elsewhere(const ScanFunc &scan);

/// However large inputs and outputs are, what is read of the dimension lies between the first place and the last.
bool is_all_walked(const ScanFunc &scan, const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

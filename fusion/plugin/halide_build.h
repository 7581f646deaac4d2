#pragma once
/// Which libHalide this plugin was built for, and which one loaded it.
#include <string>

namespace fusion {

/// Empty when they are the same; otherwise a message naming both, by version or path and build id.
std::string halide_mismatch();

}  // namespace fusion

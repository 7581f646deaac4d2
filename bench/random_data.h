#pragma once
/// Random values for inputs, and how far two results may lie apart.
#include <HalideRuntime.h>

#include <cstddef>
#include <string>
#include <vector>

namespace bench {

/// Size of a block of random values.
constexpr size_t kRandomBytes = size_t(64) << 20;

/// kRandomBytes of values, the same in every run: floats in [-1, 1); 8-bit integers and uint16 over their full range, wider
/// ones in [-512, 512) or [0, 65536), so that sums and products stay in range and a narrowing does not always saturate;
/// booleans 0 or 1. Made once a type, and kept.
const std::vector<std::byte> &random_values(halide_type_t type);

struct Difference {
    std::string text;      ///< where and by how much two results do not agree; "" if they do
    size_t differing = 0;  ///< values that are not within tolerance, those that are one apart as well
};

/// Floats: within 1e-4 of the value plus 1e-4 of the mean magnitude; NaN agrees with NaN only. Integers: one apart in at
/// most one of a thousand, since a kernel may round a float differently before it is narrowed. Of either, one in 1e6 may be
/// anything: two roundings can fall on the two sides of a comparison. So in a small result nothing is. `allowed`: so many more
/// may be, because they are known to depend on the rounding.
Difference difference(halide_type_t type, const std::byte *got, const std::byte *wanted, size_t elements,
                      size_t allowed = 0);

}  // namespace bench

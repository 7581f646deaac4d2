#pragma once
/// How a scan is cut.
#include <cstdint>
#include <optional>
#include <vector>

#include "fusion/rewrites/scan_func.h"

namespace fusion {

/// A chunk is `parts` times `places` elements; of one in a thread there is one part.
struct Chunks {
    int64_t places = 1, parts = 1;
    bool in_block = false;  ///< each thread scans a part in shared memory; else each has a chunk in its registers
    int64_t elements() const { return places * parts; }
};

/// Of a scan of `length` elements at the estimates, from which it is found; any other length is correct. Nothing where it is
/// too short.
std::optional<Chunks> chunks_of(const ScanFunc &scan, int64_t length,
                                const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

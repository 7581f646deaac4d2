#pragma once
/// A scan (a running sum, maximum, ...) in chunks: each is scanned by itself, all at once; what the chunks before one come to is
/// combined with its values where they are read. Sums of floating-point values round in another order.
///
/// Along the contiguous dimension a chunk belongs to a block: threads scan its parts in shared memory, then the ends of the
/// parts, then add these to what follows. Along any other a thread has a chunk in its registers.
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

/// Replaces the scans in what `outputs` reach that are long enough; returns the names. Left out: Tuples, outputs, steps other
/// than one, and operators that are not associative (scan_func.h).
std::vector<std::string> use_chunked_scans(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

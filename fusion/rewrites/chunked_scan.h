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
/// than one, RDoms of several variables or with conditions, Funcs scheduled by their author, and operators that are not
/// associative (scan_func.h).
/// Limits: of a recursive filter that fades, an infinity becomes no number once its power is nothing, where step by step it stays;
/// one whose factor is a parameter above 1 overflows early. A walk of no steps at run time asks for its term at the place before the first. How the chunks are combined goes by
/// the estimated length: of rows a thousand times as long each chunk folds all of the thousands before it.
std::vector<std::string> use_chunked_scans(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

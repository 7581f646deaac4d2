#pragma once
/// Reads of which nothing is left once their reader is simplified, such as f(x) - f(x).
#include <vector>

#include "fusion/graph.h"

namespace fusion {

struct UnneededRead {
    Vertex producer, reader;
};

/// Keeps both ends apart, and the reader without vectors, where a Func with updates lies behind: Halide 21 simplifies the
/// branches of a kernel apart, and crashes in bounds inference when one of them loses such a Func (seeds 92 and 457 of the mixed
/// fuzzer). The updates themselves are computed in memory, without a wrapper. Pure stages alone it leaves out without harm.
void keep_unneeded_apart(StageGraph &graph, const std::vector<UnneededRead> &reads);

}  // namespace fusion

#pragma once
/// How a definition reads each of its producers.
#include <Halide.h>
#include <map>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// The reads of `producer` in `exprs`, one Read a way of following the consumer's loops: f(x, y) + f(y, x) gives two,
/// f(x - 1, y) + f(x + 1, y) one. `dims` and `reduction` are the consumer's loop names. Regions are left empty.
std::map<std::string, std::vector<Read>> classify_reads(const std::vector<Halide::Expr> &exprs,
                                                        const std::vector<std::string> &dims,
                                                        const std::vector<std::string> &reduction);

}  // namespace fusion

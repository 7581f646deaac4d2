#pragma once
/// Which regions depend on the values of scalar parameters.
#include <set>
#include <string>
#include <vector>

#include "fusion/halide/walk.h"

namespace fusion {

/// Whether the parameters of these names decide how much of some input a caller has to bring. Not where a clamp keeps within
/// the input what they move. `nodes`: producers first.
bool decide_how_much_is_read(const std::vector<Reached::Node> &nodes, const std::set<std::string> &parameters);

}  // namespace fusion

#pragma once
/// What is needed to see why a random pipeline fails: its definitions and the plan.
#include <string>

#include "tests/pipelines/runner.h"

namespace fusion {

std::string describe(const Builder &builder, const Planned &planned);

}  // namespace fusion

#pragma once
/// How long a call takes that returns before its work is done.
#include <functional>

namespace fusion {

/// Milliseconds a call: the median of seven rounds of as many calls as fit in 50 ms, each round waited for by `wait`.
double time_calls(const std::function<void()> &call, const std::function<void()> &wait);

}  // namespace fusion

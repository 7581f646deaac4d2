#pragma once
/// Which few of many parts make a check fail.
#include <functional>
#include <vector>

namespace fusion {

/// Of `count` parts those that must be left out for the check to pass, found by halving: of one part at fault with
/// 2 log2(count) checks. `passes(without)`: whether it passes without these (ascending); it does without all.
std::vector<size_t> isolate_fault(size_t count, const std::function<bool(const std::vector<size_t> &without)> &passes);

}  // namespace fusion

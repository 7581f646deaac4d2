#pragma once
/// The two kinds of failure that are thrown. Deciding not to fuse is neither: that is a Decision (decision.h).
#include <stdexcept>
#include <string>

namespace fusion {

/// The user's mistake: names the Func or option, the value seen and the next step.
struct UserError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// A broken invariant of the planner itself.
struct InternalError : std::logic_error {
    using std::logic_error::logic_error;
};

}  // namespace fusion

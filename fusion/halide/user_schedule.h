#pragma once
/// What the user has scheduled already and the planner must leave alone.
#include <Halide.h>

namespace fusion {

/// A compute or store level, a touched stage, a split, a specialization, a wrapper or a bound.
/// Reads the raw level names, since loop levels are unlocked inside a plugin.
bool is_scheduled_by_user(const Halide::Internal::Function &f);

/// Not inlined: the user's schedule gives the Func loops of its own.
bool has_own_loops(const Halide::Internal::Function &f);

}  // namespace fusion

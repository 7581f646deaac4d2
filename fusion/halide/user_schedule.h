#pragma once
/// What the user has scheduled already and the planner must leave alone.
#include <Halide.h>

namespace fusion {

/// A compute or store level, a touched stage, a split, a specialization or a wrapper.
/// Reads the raw level names, since loop levels are unlocked inside a plugin.
bool is_scheduled_by_user(const Halide::Internal::Function &f);

/// The user fixed the region of a dimension. Of an output that is a promise of the caller's and says nothing of its loops; of
/// another Func it is computed, whatever its readers need.
bool is_bounded_by_user(const Halide::Internal::Function &f);

/// Not inlined: the user's schedule gives the Func loops of its own.
bool has_own_loops(const Halide::Internal::Function &f);

}  // namespace fusion

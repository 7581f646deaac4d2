#pragma once
/// Running what a bundle holds: without Halide, on any machine that has the driver.
#include <string>

#include "fusion/compare/bundle.h"

namespace fusion {

/// Seconds that a variant may run, where nobody says otherwise; the reference takes the longest.
inline constexpr double kRunSeconds = 120;

/// Runs each executable of the folder in a process of its own for at most `seconds`: the reference first, then the variants,
/// each compared with it and timed. Shows on stderr which one is running. A variant that fails, or that has no executable,
/// says so in its `error`; the others run all the same. Throws UserError where the folder is no bundle, or the reference fails.
Bundle run_bundle(const std::string &folder, double seconds);

/// The table, a line a variant, with the fused one as the measure.
std::string comparison_text(const Bundle &bundle);

/// Whether every variant of this project's own ran and was right; the others are not its business.
bool is_sound(const Bundle &bundle);

}  // namespace fusion

#pragma once
/// Variants of any generator side by side: its own schedule, this planner's, and those of Halide's autoschedulers.
#include <string>
#include <vector>

#include "fusion/cli/commands.h"
#include "fusion/compare/run_bundle.h"

namespace fusion {

/// What `compare` may spend on a variant.
struct CompareLimits {
    double planning_seconds = 120;  ///< the generator's process: planning and compiling
    int64_t bytes = int64_t(16) << 30;
    double run_seconds = kRunSeconds;
};

/// Names that `compare` knows, in the order of its table.
std::vector<std::string> compared_variants();

/// Compiles the variants for `target` into `folder`: an executable each, the reference's, and the program `run`. A variant
/// that cannot be made says why in its `error`. Throws UserError where the reference cannot be made, or the linker fails.
Bundle build_bundle(const Request &request, const std::vector<std::string> &variants, const std::string &target,
                    const CompareLimits &limits, const std::string &folder);

/// Builds a bundle in `folder` (a temporary one where it is empty) and, unless it was asked for, runs it and prints the table;
/// `json`: a file for the results as well. Returns 1 where a variant of this project's own failed or is wrong.
int compare_command(const Request &request, const std::vector<std::string> &variants, const CompareLimits &limits,
                    const std::string &folder, const std::string &json);

/// Runs what an earlier call has put into `folder`.
int run_bundle_command(const std::string &folder, const CompareLimits &limits, const std::string &json);

}  // namespace fusion

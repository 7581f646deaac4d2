#pragma once
/// Plans of pipelines whose sizes are parameters: one for the values that are expected, of a copy in which they are numbers
/// (rewrites/fixed_parameters.h), and one for all others; and the schedule that holds both.
#include <Halide.h>
#include <optional>
#include <vector>

#include "fusion/halide/planning.h"
#include "fusion/rewrites/fixed_parameters.h"

namespace fusion {

struct FixedCopy {
    std::vector<FixedParameter> parameters;
    std::vector<Halide::Internal::Function> outputs;
};

/// Nothing where no parameter decides a size, or the outputs could not choose.
std::optional<FixedCopy> fixed_copy(const std::vector<Halide::Internal::Function> &outputs, const Options &options);

/// The copy is predicted to be faster by enough, each with the rewrites that it has had.
bool pays_fixed(const FixedCopy &fixed, const std::vector<Halide::Internal::Function> &outputs,
                const Halide::Target &target, const Options &options);

/// Makes the outputs choose, and gives the plan at the estimates with the schedule of both. Leaves the outputs as they are and
/// gives nothing where Halide does not take that.
std::optional<Planned> plan_both(const FixedCopy &fixed, const std::vector<Halide::Internal::Function> &outputs,
                                 const Planned &at_estimates, const Planned &general, const Halide::Target &target,
                                 const Options &options);

}  // namespace fusion

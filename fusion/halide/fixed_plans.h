#pragma once
/// Plans of pipelines whose sizes are parameters: one for the values that are expected, of a copy in which they are numbers
/// (rewrites/fixed_parameters.h), and one for all others; and the schedule that holds both.
#include <Halide.h>
#include <functional>
#include <optional>
#include <vector>

#include "fusion/halide/choose_rewrites.h"
#include "fusion/halide/planning.h"
#include "fusion/rewrites/fixed_parameters.h"

namespace fusion {

struct FixedCopy {
    std::vector<FixedParameter> parameters;
    std::vector<Halide::Internal::Function> outputs;
};

/// Nothing where no parameter decides a size, or the outputs could not choose.
std::optional<FixedCopy> fixed_copy(const std::vector<Halide::Internal::Function> &outputs, const Options &options);

/// Plans one pipeline, in which the rewrites have been made.
using PlanOne = std::function<Planned(const std::vector<Halide::Internal::Function> &outputs, const Chosen &chosen,
                                      const Options &options)>;

/// Where the copy is predicted to be faster by enough, makes the outputs choose and gives the plan at the estimates, with the
/// schedule of both. Else, and where Halide does not take that, leaves the outputs as they are and gives nothing. `chosen`: the
/// rewrites that the pipeline has had.
std::optional<Planned> plan_fixed(const FixedCopy &fixed, const std::vector<Halide::Internal::Function> &outputs,
                                  const Chosen &chosen, const Halide::Target &target, const Options &options,
                                  const PlanOne &plan_one);

}  // namespace fusion

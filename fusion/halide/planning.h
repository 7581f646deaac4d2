#pragma once
/// The straight line from a Halide pipeline to a checked schedule.
#include <Halide.h>
#include <optional>
#include <string>

#include "fusion/explain.h"
#include "fusion/halide/read_pipeline.h"
#include "fusion/ledger.h"
#include "fusion/options.h"
#include "fusion/plan.h"
#include "schedules/directive.h"

namespace fusion {

struct Planned {
    std::string name;
    const Device *device;
    PipelineView view;
    Plan plan;
    Ledger ledger;
    Schedule schedule;
    std::optional<Plan> elsewhere =
        {};  ///< of the same pipeline, for other values of parameters that `plan` takes for numbers

    Explained explained() const { return {name, view.graph, *device, plan, ledger}; }
};

/// Reads, plans, prices and lowers; schedules nothing. Rewrites of reductions, where they are allowed and cheaper, are made in
/// the pipeline itself, which computes the same afterwards (options.rewrites). With options.verify a copy of the pipeline is lowered and looked at,
/// and a plan that Halide refuses or that holds memory the plan does not know gives way to unfused kernels.
/// Throws UserError: wrong target, missing estimates, a stage that cannot run on the GPU.
Planned plan_pipeline(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                      const Options &options, const std::string &name);

/// The outputs of a pipeline as Functions.
std::vector<Halide::Internal::Function> functions_of(const Halide::Pipeline &pipeline);

/// The schedule as C++ for a function (::Halide::Pipeline pipeline, ::Halide::Target target).
std::string schedule_source(const Planned &planned, const Halide::Pipeline &pipeline);

}  // namespace fusion

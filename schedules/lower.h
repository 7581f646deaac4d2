#pragma once
/// From a plan to the list of directives that carries it out.
#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/directive.h"

namespace fusion {

/// The same plan and target give the same list.
Schedule lower(const PipelineView &view, const Plan &plan, const Halide::Target &target);

}  // namespace fusion

#pragma once
/// Two schedules in one, for a pipeline whose outputs choose between two pipelines (rewrites/fixed_parameters.h).
#include "fusion/halide/read_pipeline.h"
#include "schedules/directive.h"

namespace fusion {

/// The graph of `first`; the sources of both, those of `first` first. Outputs of `first` are those of `second`, which choose.
PipelineView view_of_both(const PipelineView &first, const PipelineView &second);

/// What the schedules do with an output they do in a branch each: `first` in the one that is chosen.
Schedule schedule_of_both(Schedule first, const PipelineView &first_view, Schedule second,
                          const PipelineView &second_view);

}  // namespace fusion

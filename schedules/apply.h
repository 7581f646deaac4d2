#pragma once
/// Carrying a schedule out, and writing it down.
#include <map>
#include <string>

#include "fusion/halide/read_pipeline.h"
#include "schedules/directive.h"

namespace fusion {

/// Applies the schedule to the Funcs of `view`; returns the Funcs that it made, by func_id. Halide's own errors pass
/// through.
std::map<int, Halide::Func> apply_schedule(const Schedule &schedule, const PipelineView &view);

/// The body of a C++ function (::Halide::Pipeline pipeline, ::Halide::Target target) that does the same.
/// `func_index` is each Func's index for Pipeline::get_func, by func_id.
std::string to_cpp(const Schedule &schedule, const PipelineView &view, const std::map<int, int> &func_index);

}  // namespace fusion

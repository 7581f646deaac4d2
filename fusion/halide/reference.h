#pragma once
/// The answer that every schedule is compared with.
#include <Halide.h>

#include "fusion/halide/read_pipeline.h"

namespace fusion {

/// Every Func at compute_root, nothing else (Halide's default inlines everything, which takes minutes on deep chains).
/// Funcs that cannot be stored, because their region has no bound, stay inlined.
void schedule_reference(const PipelineView &view);

}  // namespace fusion

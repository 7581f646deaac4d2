#pragma once
/// Counting launches while a JIT-compiled pipeline runs.
#include <Halide.h>

namespace fusion {

/// Makes the pipeline report every launch it makes. Call before it is compiled.
void count_launches(Halide::Pipeline pipeline);

/// Launches since the last call, of all pipelines that count.
int take_launches();

}  // namespace fusion

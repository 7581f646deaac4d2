#pragma once
/// The lowered statement is looked at, not believed.
#include <Halide.h>
#include <set>
#include <string>

#include "fusion/decision.h"
#include "fusion/device.h"
#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/directive.h"

namespace fusion {

/// A copy of the pipeline with the schedule applied. Halide's own errors pass through.
Halide::Pipeline scheduled_copy(const Schedule &schedule, const PipelineView &view);

/// Halide's names of the Funcs that the plan stores in memory.
std::set<std::string> stored_by(const Plan &plan, const PipelineView &view);

/// Applies the schedule to a copy of the pipeline and lowers it. Forbids, with the reason, a schedule that Halide refuses,
/// memory that the plan does not know (Halide moves an allocation without a constant bound to global memory, silently),
/// instructions of the GPU on the host (LLVM would abort the process), kernels that are bound to fail, and launches above the device's limits or of a size
/// that no constant bounds.
Decision verify(const Schedule &schedule, const PipelineView &view, const Plan &plan, const Device &device,
                const Halide::Target &target);
/// The same of a schedule that stores the Funcs of these names.
Decision verify(const Schedule &schedule, const PipelineView &view, std::set<std::string> stored, const Device &device,
                const Halide::Target &target);

/// What a lowered statement holds, by kernel and branch.
struct Lowered {
    std::vector<std::string> global_allocations;  ///< Halide's names, outside of kernels
    int most_threads = 0;                         ///< a block, of loops that have a bound
    std::vector<std::string> unbounded_threads;   ///< Halide's names of thread loops that have none
    int64_t most_shared_bytes = 0;                ///< of allocations that have a bound
    std::vector<std::string> unsized_shared;      ///< Halide's names of shared memory that has none
    std::vector<std::string> gpu_calls_on_host;   ///< instructions of the GPU that Halide has moved out of kernels
    std::vector<std::string> failing;             ///< Halide's errors that a kernel is bound to end with
    int kernels = 0;                              ///< GPU loop nests, one a branch
};

/// Looks at a statement before GPU kernels are split off it.
Lowered inspect(const Halide::Internal::Stmt &stmt);

}  // namespace fusion

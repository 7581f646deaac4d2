#pragma once
/// One schedule template a kind of kernel, each in a file of its name; lower.h picks.
#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/directive.h"

namespace fusion {

/// What the API compiles: OpenCL has no guarded vectors (Halide 21 stops at "extract_mask_element" with two loads), nor those
/// that x / 2 makes of half a width (it writes OpenCL C that mixes int2 and int4).
struct ApiTraits {
    bool guarded_vectors = true;
    bool uneven_vectors = true;
};

Schedule pointwise_schedule(const PipelineView &view, const Group &group, const ApiTraits &api);
Schedule siblings_schedule(const PipelineView &view, const Group &group);
Schedule transpose_schedule(const PipelineView &view, const Group &group);
Schedule stencil_schedule(const PipelineView &view, const Group &group);
Schedule folded_schedule(const PipelineView &view, const Group &group);
Schedule contraction_schedule(const PipelineView &view, const Group &group);
Schedule reduction_schedule(const PipelineView &view, const Group &group, const ApiTraits &api);
Schedule private_schedule(const PipelineView &view, const Group &group);
Schedule tables_schedule(const PipelineView &view, const Group &group);
Schedule parallel_schedule(const PipelineView &view, const Group &group);
Schedule host_schedule(const PipelineView &view, const Group &group);

/// Appends a directive to `schedule`.
class Emitter {
public:
    Emitter(Schedule &schedule, int func_id, int update, int branch = -1)
        : schedule(schedule), func_id(func_id), update(update), branch(branch) {}
    void operator()(Verb verb, std::vector<Loop> loops = {}, int64_t number = 0,
                    Halide::TailStrategy tail = Halide::TailStrategy::Auto) const {
        schedule.push_back({func_id, update, branch, verb, std::move(loops), number, tail, -1, {}});
    }
    /// Splits `loop` over the threads that share a row, `most` of them unless `by_width` tells how many.
    void split_over_threads(const Loop &loop, const Loop &turn, const Loop &thread, int most,
                            const std::optional<RowThreads> &by_width) const;
    void with(Verb verb, int other, std::vector<Loop> loops) const {
        schedule.push_back({func_id, update, branch, verb, std::move(loops), 0, Halide::TailStrategy::Auto, other, {}});
    }
    /// Opens branch `branch` of the stage under the condition; what is returned writes into it.
    Emitter under(const Condition &condition, int branch) const;
    /// Fuses `loops` (innermost first) into one loop of the given name; returns that loop.
    Loop fuse_all(const std::vector<Loop> &loops, const std::string &name) const;
    /// Fuses `loops` (innermost first) for the dimensions of a grid: into one loop of the given name, or, where the pipeline
    /// allocates what they write, in such a way that Halide can bound it. `across`: points of the loops beyond the second;
    /// 0: the caller allocates.
    std::vector<Loop> fuse_for_grid(const std::vector<Loop> &loops, const std::string &name, double across) const;
    /// Splits a loop over blocks of `threads` threads.
    void blocks_and_threads(const Loop &loop, int threads) const;
    /// Unrolls the innermost loop of the RDom, where it is as long as `steps`: what they read is loaded at once, and what one
    /// has written stays in a register for the next. In the order that the user wrote. False where it is shorter.
    bool unroll_steps(const Stage &stage, int steps) const;
    /// All of `loops` (innermost first, each a dimension of `stage` or made of one) over blocks of `threads` threads.
    void points_over_threads(const Stage &stage, const std::vector<Loop> &loops, int threads) const;

private:
    Schedule &schedule;
    int func_id, update, branch;
};

/// Ids for the Funcs that one kernel's schedule makes of a stage; lower() numbers them anew.
inline constexpr int kMostMade = 16;
int made_id(const PipelineView &view, const Group &group, Vertex stage, int which);

/// Loops over the pure dimensions of a stage, the contiguous one first.
std::vector<Loop> loops_in_memory_order(const Stage &stage);

}  // namespace fusion

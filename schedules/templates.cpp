#include "schedules/templates.h"

#include <algorithm>

#include "fusion/stencil_kernel.h"

namespace fusion {

namespace {

/// What Halide makes of a variable of an RDom is one too.
Loop made_of(const std::vector<Loop> &loops, const std::string &name) {
    const bool reduces = std::any_of(loops.begin(), loops.end(), [](const Loop &loop) {
        return loop.kind == Loop::Reduction || loop.kind == Loop::MadeReduction;
    });
    return reduces ? made_reduction(name) : made(name);
}

}  // namespace

Emitter Emitter::under(const Condition &condition, int branch) const {
    schedule.push_back(
        {.func_id = func_id, .update = update, .branch = branch, .verb = Verb::Specialize, .condition = condition});
    return Emitter(schedule, func_id, update, branch);
}

void Emitter::split_over_threads(const Loop &loop, const Loop &turn, const Loop &thread, int most,
                                 const std::optional<RowThreads> &by_width) const {
    (*this)(Verb::Split, {loop, turn, thread}, most, Halide::TailStrategy::GuardWithIf);
    schedule.back().by_width = by_width;
}

Loop Emitter::fuse_all(const std::vector<Loop> &loops, const std::string &name) const {
    Loop fused = loops[0];
    for (size_t i = 1; i < loops.size(); i++) {
        const Loop next = made_of({fused, loops[i]}, name + (i + 1 < loops.size() ? std::to_string(i) : ""));
        (*this)(Verb::Fuse, {fused, loops[i], next});
        fused = next;
    }
    return fused;
}

std::vector<Loop> Emitter::fuse_for_grid(const std::vector<Loop> &loops, const std::string &name, double across) const {
    // Of three or more loops as one Halide takes the number of points for the extent of the outermost. What the caller
    // allocates may have more blocks than a grid has in its second dimension.
    if (across == 0 || across > kMostBlocksAcross || loops.size() < 3) {
        return {fuse_all(loops, name)};
    }
    return {fuse_all({loops[0], loops[1]}, name), fuse_all({loops.begin() + 2, loops.end()}, "fusion_slice")};
}

void Emitter::blocks_and_threads(const Loop &loop, int threads) const {
    (*this)(Verb::Split, {loop, made("fusion_block"), made("fusion_thread")}, threads,
            Halide::TailStrategy::GuardWithIf);
    (*this)(Verb::GpuBlocks, {made("fusion_block")});
    (*this)(Verb::GpuThreads, {made("fusion_thread")});
}

bool Emitter::unroll_steps(const Stage &stage, int steps) const {
    if (stage.reduction.empty() || stage.reduction[0].extent < steps || steps <= 1) {
        return false;
    }
    const Loop unrolled = made_reduction("fusion_unrolled_r");
    (*this)(Verb::Split, {rvar(0), made_reduction("fusion_turn_r"), unrolled}, steps,
            Halide::TailStrategy::GuardWithIf);
    (*this)(Verb::Unroll, {unrolled});
    return true;
}

void Emitter::points_over_threads(const Stage &stage, const std::vector<Loop> &loops, int threads) const {
    double across = stage.role == Role::Intermediate;
    for (size_t i = 2; i < loops.size(); i++) {
        across *= loops[i].kind == Loop::Arg         ? (double)stage.dims[loops[i].index].extent
                  : loops[i].kind == Loop::Reduction ? (double)stage.reduction[loops[i].index].extent
                                                     : 1;
    }
    std::vector<Loop> blocks = fuse_for_grid(loops, "fusion_point", across);
    const Loop block = made_of({blocks[0]}, "fusion_block"), thread = made_of({blocks[0]}, "fusion_thread");
    (*this)(Verb::Split, {blocks[0], block, thread}, threads, Halide::TailStrategy::GuardWithIf);
    blocks[0] = block;
    (*this)(Verb::GpuBlocks, blocks);
    (*this)(Verb::GpuThreads, {thread});
}

int made_id(const PipelineView &view, const Group &group, Vertex stage, int which) {
    const size_t pair = group.outputs[0] * num_vertices(view.graph) + stage;
    return (int)(view.sources.size() + pair * kMostMade) + which;
}

std::vector<Loop> loops_in_memory_order(const Stage &stage) {
    std::vector<Loop> loops;
    for (const int dim : stage.memory_order) {
        loops.push_back(arg(dim));
    }
    return loops;
}

}  // namespace fusion

#include "schedules/templates.h"

#include <algorithm>

namespace fusion {
namespace {

/// Blocks of a grid in its second and third dimension (CUDA, all compute capabilities).
constexpr double kMostBlocksAcross = 65535;

}  // namespace

Emitter Emitter::under(const Condition &condition, int branch) const {
    schedule.push_back(
        {.func_id = func_id, .update = update, .branch = branch, .verb = Verb::Specialize, .condition = condition});
    return Emitter(schedule, func_id, update, branch);
}

Loop Emitter::fuse_all(const std::vector<Loop> &loops, const std::string &name) const {
    Loop fused = loops[0];
    for (size_t i = 1; i < loops.size(); i++) {
        const Loop next = made(name + (i + 1 < loops.size() ? std::to_string(i) : ""));
        (*this)(Verb::Fuse, {fused, loops[i], next});
        fused = next;
    }
    return fused;
}

void Emitter::blocks_and_threads(const Loop &loop, int threads) const {
    (*this)(Verb::Split, {loop, made("fusion_block"), made("fusion_thread")}, threads,
            Halide::TailStrategy::GuardWithIf);
    (*this)(Verb::GpuBlocks, {made("fusion_block")});
    (*this)(Verb::GpuThreads, {made("fusion_thread")});
}

void Emitter::points_over_threads(const Stage &stage, const std::vector<Loop> &loops, int threads) const {
    const std::vector<Loop> rest(loops.begin() + (ptrdiff_t)std::min<size_t>(2, loops.size()), loops.end());
    double extent = 1;
    for (const Loop &loop : rest) {
        extent *= loop.kind == Loop::Arg ? (double)stage.dims[loop.index].extent : 1;
    }
    // Where Halide allocates what three or more loops as one write, it takes their number of points for the extent of the
    // outermost. What the caller allocates may have more blocks than a grid has in its second dimension.
    if (stage.role != Role::Intermediate || rest.empty() || extent > kMostBlocksAcross) {
        blocks_and_threads(fuse_all(loops, "fusion_point"), threads);
        return;
    }
    const Loop point = fuse_all({loops[0], loops[1]}, "fusion_point");
    (*this)(Verb::Split, {point, made("fusion_block"), made("fusion_thread")}, threads,
            Halide::TailStrategy::GuardWithIf);
    (*this)(Verb::GpuBlocks, {made("fusion_block"), fuse_all(rest, "fusion_slice")});
    (*this)(Verb::GpuThreads, {made("fusion_thread")});
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

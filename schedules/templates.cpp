#include "schedules/templates.h"

namespace fusion {

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

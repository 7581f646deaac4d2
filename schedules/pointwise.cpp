/// Pointwise kernels: a thread computes one vector of the contiguous dimension.
///
/// Branches, the first whose condition holds at run time is taken:
///   flat     all dimensions proven contiguous: one loop, 16-byte accesses
///   rows     rows of aligned stride (padded images, broadcasts): vectors along the row, 16-byte accesses; where vectors are of
///            more than four, strides that are multiples of four alone have a branch too
///   general  any crop, stride, minimum and size: guarded vectors, narrow accesses (scalars where the API has no guards)
/// On an H200 the guarded general branch of four neighbours a thread ran as fast as 16-byte accesses (1.06x the copy
/// bandwidth, 2026-11-29), one point a thread at 0.84x.
#include <algorithm>

#include "schedules/layout.h"
#include "schedules/templates.h"

namespace fusion {
namespace {

using Halide::TailStrategy;

/// Rows shorter than this are flattened with the next dimension where the layout allows: an interleaved image has rows
/// of three.
constexpr int64_t kShortRow = 32;

void walk(const Emitter &emit, const Stage &stage, const Layout &layout, int threads, TailStrategy tail) {
    std::vector<Loop> loops = loops_in_memory_order(stage);
    if (loops.size() > 1) {
        emit(Verb::Reorder, loops);
    }
    const std::vector<Loop> leading(loops.begin(), loops.begin() + layout.flattened);
    Loop row = emit.fuse_all(leading, "fusion_row");
    if (layout.vector > 1) {
        emit(Verb::Split, {row, made("fusion_vector"), made("fusion_lane")}, layout.vector, tail);
        emit(Verb::Vectorize, {made("fusion_lane")});
        row = made("fusion_vector");
    }
    std::vector<Loop> rest = {row};
    rest.insert(rest.end(), loops.begin() + layout.flattened, loops.end());
    emit.points_over_threads(stage, rest, threads);
}

/// Halide 21's CUDA compiler aborts the process on a guarded vector of 64-bit values, and stores some others wrongly.
bool takes_guards(const PipelineView &view, const Group &group) {
    const auto is_64 = [&](Vertex v) {
        const std::vector<int> &bytes = view.graph[v].element_bytes;
        return std::any_of(bytes.begin(), bytes.end(), [](int b) { return b == 8; });
    };
    const auto stores_badly = [&](Vertex v) { return is_64(v) || view.graph[v].no_guards; };
    return std::none_of(group.outputs.begin(), group.outputs.end(), stores_badly) &&
           std::none_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return is_64(i.producer); });
}

/// Whether Halide could prove a guarded vector of the general branch aligned within its buffer, and so make of it one wide
/// access, which faults where the device pointer itself is not aligned (a crop at an odd offset).
bool may_prove_alignment(const PipelineView &view, const Group &group) {
    const auto fixed_rows = [&](Vertex v) {
        const Stage &stage = view.graph[v];
        const PipelineView::Source &source = view.sources[stage.func_id];
        Halide::Parameter buffer = source.parameter;
        if (stage.role == Role::Output) {
            buffer = source.function.output_buffers()[0];
        } else if (stage.role != Role::Input || !buffer.defined() ||
                   !buffer.min_constraint(stage.memory_order[0]).defined()) {
            return false;  // it begins anywhere against the output
        }
        for (size_t i = 1; i < stage.memory_order.size(); i++) {
            if (!buffer.stride_constraint(stage.memory_order[i]).defined()) {
                return false;
            }
        }
        return true;  // of one dimension too
    };
    return std::any_of(group.outputs.begin(), group.outputs.end(), fixed_rows) ||
           std::any_of(group.inputs.begin(), group.inputs.end(),
                       [&](const Input &i) { return i.streams && fixed_rows(i.producer); });
}

bool reads_by_strides(const StageGraph &graph, const Group &group) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        const auto [begin, end] = in_edges(m.stage, graph);
        return std::any_of(begin, end, [&](const Edge &e) { return graph[e].kind == ReadKind::Strided; });
    });
}

}  // namespace

Schedule pointwise_schedule(const PipelineView &view, const Group &group, const ApiTraits &traits) {
    const ApiTraits api{.guarded_vectors = traits.guarded_vectors && takes_guards(view, group)};
    const Vertex output = group.outputs[0];
    const Stage &stage = view.graph[output];
    Schedule schedule;
    const Emitter general(schedule, stage.func_id, stage.update);
    if (stage.role == Role::Intermediate) {
        general(Verb::ComputeRoot);
    }
    if (stage.dims.empty()) {
        general(Verb::GpuSingleThread);
        return schedule;
    }
    const int vector = traits.uneven_vectors || !reads_by_strides(view.graph, group) ? group.tile.vector : 1;
    if (stage.role == Role::Intermediate && vector > 1) {
        general(Verb::AlignStorage, {arg(stage.memory_order[0])}, vector);
    }
    std::vector<Layout> layouts;
    if (vector > 1) {
        // Without guards a flattened loop would have to end with a whole vector, which its bounds cannot show.
        const int most = api.guarded_vectors ? most_flattened(view, group) : 1;
        const bool short_rows = stage.dims[stage.memory_order[0]].extent < kShortRow;
        if (most > 1) {
            layouts.push_back({most, vector, !api.guarded_vectors});
        }
        if (!short_rows || most == 1) {
            layouts.push_back({1, vector, !api.guarded_vectors});
            if (vector > kWordVector) {
                layouts.push_back({1, kWordVector, !api.guarded_vectors});
            }
        }
    }
    int branch = 0;
    for (const Layout &layout : layouts) {
        const auto condition = layout_condition(view, group, layout);
        if (!condition) {
            continue;
        }
        walk(Emitter(schedule, stage.func_id, stage.update).under(*condition, branch), stage, layout,
             group.tile.threads, api.guarded_vectors ? TailStrategy::GuardWithIf : TailStrategy::RoundUp);
        branch++;
    }
    const bool vectors = api.guarded_vectors && !may_prove_alignment(view, group);
    walk(general, stage, {1, vectors ? std::min(vector, kWordVector) : 1, false}, group.tile.threads,
         TailStrategy::GuardWithIf);
    return schedule;
}

}  // namespace fusion

#include "fusion/rewrites/row_parts.h"

#include <algorithm>

#include "fusion/halide/read_pipeline.h"

namespace fusion {
namespace {

using namespace Halide;

/// Slices of a block's row or piece: as many as a block has threads at most, and as a warp's run of loads needs at least; with
/// so many elements each at least.
constexpr int kMostSlices = 1024, kLeastSlices = 256, kLeastElements = 16;

/// Blocks that keep an H200 busy (132 multiprocessors, of which each holds eight of 256 threads). Where there are fewer rows
/// than half of that, they are cut in pieces.
constexpr double kBlocks = 1024;

bool runs_along(const StageGraph &graph, Vertex v) {
    const int variable = (int)graph[v].dims.size();
    for (auto [e, end] = in_edges(v, graph); e != end; ++e) {
        const std::vector<int> &order = graph[source(*e, graph)].memory_order;
        const std::vector<int> &runs = graph[*e].runs.empty() ? graph[*e].follows : graph[*e].runs;
        if (graph[*e].kind != ReadKind::InPlace && !order.empty() && runs[order[0]] == variable) {
            return true;
        }
    }
    return false;
}

int cut(double length, int most) {
    int slices = kLeastSlices;
    while (slices < most && 2.0 * slices * kLeastElements <= length) {
        slices *= 2;
    }
    return slices;
}

}  // namespace

std::optional<RowParts> row_parts(const ReductionFunc &reduction,
                                  const std::vector<Halide::Internal::Function> &outputs) {
    const PipelineView view = read_pipeline(outputs);
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const Stage &stage = view.graph[v];
        if (stage.update != 1 || !view.sources[stage.func_id].function.same_as(reduction.function)) {
            continue;
        }
        const double rows = stage.elements(), length = (double)stage.reduction[0].extent;
        if (reduction.over.size() != 1 || !runs_along(view.graph, v) || length < kLeastSlices * kLeastElements) {
            return std::nullopt;
        }
        RowParts parts;
        while (rows * parts.pieces < kBlocks / 2 && length / (2 * parts.pieces) >= kLeastSlices * kLeastElements) {
            parts.pieces *= 2;
        }
        parts.slices = cut(length / parts.pieces, parts.pieces > 1 ? kLeastSlices : kMostSlices);
        return parts;
    }
    return std::nullopt;
}

SlicedRow::SlicedRow(const ReductionFunc &reduction, const RowParts &parts, const std::vector<Var> &args) {
    const Halide::Internal::ReductionVariable &over = reduction.over[0];
    const Expr length = parts.pieces > 1 ? (over.extent + parts.pieces - 1) / parts.pieces : over.extent;
    const Expr start = parts.pieces > 1 ? args[1] * length : Expr(0);
    const Expr slice = args[0];
    steps = RDom(0, (length + parts.slices - 1) / parts.slices);
    // From the end: what walks the row next, from the start, finds that in the cache.
    const Expr here = (steps.x.extent() - 1 - steps) * parts.slices + slice;
    const Expr end = min(length, over.extent - start);
    is_inside = here < end;
    at = over.min + min(start + here, over.extent - 1);
    for (const int i : {0, 1, 2}) {
        samples.push_back(over.min + min(start + slice + i * parts.slices, over.extent - 1));
    }
    count = max((end - slice + parts.slices - 1) / parts.slices, 0);
}

}  // namespace fusion

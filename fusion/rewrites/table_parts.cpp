#include "fusion/rewrites/table_parts.h"

#include <algorithm>
#include <cmath>

#include "fusion/halide/read_pipeline.h"
#include "fusion/halide/regions.h"
#include "fusion/owned_tables.h"

namespace fusion {
namespace {

using namespace Halide::Internal;

/// Threads of a block: so many blocks of them at most are of use to a multiprocessor.
constexpr double kThreads = 256;

/// Steps of a part for each entry of its table, which is set, written out and read again.
constexpr double kStepsAnEntry = 4;

/// Shared memory of each block that is left to the compiler.
constexpr double kReservedShared = 1024;

/// Threads that have a table each, a warp or part of one, read neighbouring elements; as many as have room, if so many have
/// (owned_tables.h).
constexpr int kMostLanes = 32, kLeastLanes = 8;

int64_t quotient_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// What the plan says of a table's update.
struct Seen {
    double tables = 1;  ///< points of the dimensions that are kept
    int along = 0;      ///< the variable of the RDom along which its reads run
};

std::optional<Seen> see(const ScatterFunc &table, const std::vector<Function> &outputs) {
    const PipelineView view = read_pipeline(outputs);
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const Stage &stage = view.graph[v];
        if (stage.update != 1 || !view.sources[stage.func_id].function.same_as(table.function)) {
            continue;
        }
        Seen seen;
        for (const int d : stage.independent) {
            seen.tables *= stage.unbounded ? 1 : (double)std::max<int64_t>(stage.dims[d].extent, 1);
        }
        for (auto [e, end] = in_edges(v, view.graph); e != end; ++e) {
            const std::vector<int> &order = view.graph[source(*e, view.graph)].memory_order;
            const Read &read = view.graph[*e];
            const std::vector<int> &runs = read.runs.empty() ? read.follows : read.runs;
            const int loop = read.kind == ReadKind::InPlace || order.empty() ? -1 : runs[order[0]];
            seen.along = loop >= (int)stage.dims.size() ? loop - (int)stage.dims.size() : seen.along;
        }
        return seen;
    }
    return std::nullopt;
}

}  // namespace

std::optional<TableParts> table_parts(const ScatterFunc &table, const Device &device,
                                      const std::vector<Function> &outputs) {
    const auto seen = see(table, outputs);
    std::vector<int64_t> extents;
    double steps = 1;
    for (const ReductionVariable &variable : table.over) {
        const auto extent = at_estimates(variable.extent);
        if (!extent || *extent < 1) {
            return std::nullopt;
        }
        extents.push_back(*extent);
        steps *= (double)*extent;
    }
    if (!seen) {
        return std::nullopt;
    }
    TableParts parts{.along = seen->along};
    // The tables that all multiprocessors hold at once: one a block, or one a thread of a warp.
    const double of_table = table.entries() * table.of_part.bytes();
    int lanes = kMostLanes;
    while (lanes * of_table > kMostTableBytes && lanes > kLeastLanes) {
        lanes /= 2;
    }
    const bool has_lanes = !table.is_atomic && extents[parts.along] >= lanes;
    const double of_block = has_lanes ? lanes : 1, most = device.threads_per_multiprocessor / kThreads,
                 blocks = std::clamp(
                     std::floor(device.shared_per_multiprocessor / (of_block * of_table + kReservedShared)), 1.0, most),
                 held = device.multiprocessors * blocks * of_block;
    const double wanted = std::min(held / seen->tables, steps / (kStepsAnEntry * table.entries()));
    if (has_lanes && wanted >= 2 * lanes) {
        parts.lanes = lanes;
        extents[parts.along] = quotient_up(extents[parts.along], lanes);
    }
    const int64_t pieces = (int64_t)(wanted / parts.lanes);
    // Whole rows where there are enough of them.
    parts.cut = (int)(std::max_element(extents.begin(), extents.end()) - extents.begin());
    for (int v = 0; v < (int)extents.size(); v++) {
        parts.cut = extents[v] >= pieces ? v : parts.cut;
    }
    if (pieces < 2 || extents[parts.cut] < 2) {
        return std::nullopt;
    }
    const int64_t of_part = quotient_up(extents[parts.cut], std::min(pieces, extents[parts.cut]));
    parts.parts = (int)quotient_up(extents[parts.cut], of_part);
    return parts;
}

}  // namespace fusion

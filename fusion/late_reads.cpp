#include "fusion/late_reads.h"

#include <algorithm>

#include "fusion/reduction_kernel.h"
#include "fusion/reduction_price.h"

namespace fusion {

double late_reads_us(const StageGraph &graph, const Group &group, const Tile &tile, double resident,
                     const Device &device) {
    const Stage &out = graph[group.outputs[0]];
    const ReductionShape shape = reduction_shape(graph, group);
    if (shape.columns.empty()) {
        return 0;
    }
    double bytes = 0, in_flight = 0;
    for (const Input &input : group.inputs) {
        const bool is_late = input.streams && std::all_of(input.uses.begin(), input.uses.end(), [&](const Use &use) {
                                 return use.frame == group.outputs[0];
                             });
        bytes += is_late ? input.bytes : 0;
        in_flight += is_late ? graph[input.producer].value_bytes * tile.vector : 0;
    }
    const int64_t pieces = (int64_t)tile.chunks * tile.bands;
    const bool is_whole = out.dims[shape.columns[0]].extent % (pieces * tile.reducing * tile.vector) == 0;
    const double steps = is_whole ? steps_in_flight(graph, group, tile) : 1;
    const double reachable = resident * in_flight * steps / device.memory_latency / 1000;
    // What is written streams beside it.
    const double moving = (bytes + out.elements() * out.value_bytes) / device.memory_bandwidth;
    return bytes > 0 ? std::max(0.0, bytes / std::max(1.0, reachable) - moving) * 1e-3 : 0;
}

}  // namespace fusion

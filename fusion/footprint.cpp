#include "fusion/footprint.h"

#include <algorithm>
#include <map>

namespace fusion {
namespace {

/// Per stage dimension the output dimension it follows, or -1.
using Follows = std::vector<int>;

Follows composed(const Follows &edge, const Follows &outer) {
    Follows result;
    for (const int f : edge) {
        result.push_back(f >= 0 && f < (int)outer.size() ? outer[f] : -1);
    }
    return result;
}

bool follows(const Follows &map, int dim) {
    return dim >= 0 && std::find(map.begin(), map.end(), dim) != map.end();
}

bool is_identity(const Follows &map) {
    for (int d = 0; d < (int)map.size(); d++) {
        if (map[d] != d) {
            return false;
        }
    }
    return true;
}

struct Reading {
    std::vector<std::vector<Extent>> regions;  ///< distinct ones
    bool streams = false;
    bool same_point = true;
    bool is_coalesced = true;
};

void add_reading(Reading &reading, const Stage &producer, const Read &read, const Follows &map, int contiguous, size_t rank) {
    if (std::find(reading.regions.begin(), reading.regions.end(), read.region) == reading.regions.end()) {
        reading.regions.push_back(read.region);
    }
    reading.same_point &= read.points == 1 && map.size() == rank && is_identity(map);
    if (producer.memory_order.empty() || read.kind == ReadKind::InPlace) {
        reading.streams |= read.kind == ReadKind::InPlace;
        return;
    }
    const bool along = map[producer.memory_order[0]] == contiguous && contiguous >= 0;
    reading.streams |= along;
    reading.is_coalesced &= along || !follows(map, contiguous);
}

}  // namespace

int contiguous_dim(const Stage &stage) {
    return stage.memory_order.empty() ? -1 : stage.memory_order[0];
}

namespace {

/// Collects one kernel; each frame is a stage whose points are walked by the threads: an output or a staged tile.
class Trace {
public:
    std::map<Vertex, double> evaluations;  ///< over the kernel
    std::map<Vertex, Reading> readings;
    std::map<Vertex, Follows> staged;  ///< empty where one tile cannot serve: read in several ways

    Trace(const StageGraph &graph, const std::vector<Placement> &placement)
        : graph(graph), placement(placement) {
    }

    void frame(Vertex output) {
        const Stage &out = graph[output];
        const int contiguous = contiguous_dim(out);
        // Per stage and way of following the frame: evaluations a point of it. Consumers come before producers.
        std::map<Vertex, std::map<Follows, double>, std::greater<>> uses;
        Follows identity;
        for (int d = 0; d < (int)out.dims.size(); d++) {
            identity.push_back(d);
        }
        uses[output][identity] = 1;
        for (const auto &[stage, ways] : uses) {
            double once = 0;
            for (const auto &[map, times] : ways) {
                once += times;
                for (auto [e, end] = in_edges(stage, graph); e != end; ++e) {
                    const Read &read = graph[*e];
                    const Vertex producer = source(*e, graph);
                    const Follows through = composed(read.follows, map);
                    if (placement[producer] == Placement::AtBlock) {
                        if (const auto [at, is_new] = staged.emplace(producer, through); is_new) {
                            frame(producer);
                        } else if (at->second != through) {
                            at->second.clear();
                        }
                    } else if (placement[producer] == Placement::Root || placement[producer] == Placement::Host) {
                        add_reading(readings[producer], graph[producer], read, through, contiguous, out.dims.size());
                    } else {
                        double &known = uses[producer][through];
                        known = std::max(known, times * read.points);
                    }
                }
            }
            if (graph[stage].role == Role::Input) {  // staged as it is
                Read whole;
                whole.region = graph[stage].dims;
                add_reading(readings[stage], graph[stage], whole, identity, contiguous, out.dims.size());
            }
            // Kept values are computed once however many read them; recomputed ones once a use.
            const double here = once * out.points();
            const bool kept = placement[stage] == Placement::AtThread;
            evaluations[stage] = kept ? std::max(evaluations[stage], here) : evaluations[stage] + here;
        }
    }

private:
    const StageGraph &graph;
    const std::vector<Placement> &placement;
};

}  // namespace

Group trace_kernel(const StageGraph &graph, const std::vector<Placement> &placement, const std::vector<Vertex> &outputs) {
    Trace trace(graph, placement);
    for (const Vertex output : outputs) {
        trace.frame(output);
    }
    Group group;
    group.outputs = outputs;
    for (const auto &[stage, times] : trace.evaluations) {
        const auto tile = trace.staged.find(stage);
        group.members.push_back({stage, placement[stage], times, tile == trace.staged.end() ? Follows() : tile->second});
    }
    for (const auto &[producer, reading] : trace.readings) {
        double elements = 0;
        for (const auto &region : reading.regions) {
            double product = 1;
            for (const Extent &dim : region) {
                product *= (double)dim.extent;
            }
            elements += product;
        }
        Input input;
        input.producer = producer;
        input.bytes = std::min(elements, std::max(graph[producer].elements(), 1.0)) * graph[producer].value_bytes;
        input.streams = reading.streams;
        input.same_point = reading.same_point;
        input.is_coalesced = reading.is_coalesced;
        group.inputs.push_back(input);
    }
    return group;
}

}  // namespace fusion

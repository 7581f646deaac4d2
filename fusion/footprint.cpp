#include "fusion/footprint.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "fusion/choices.h"
#include "fusion/sides.h"
#include "fusion/use.h"

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

/// All loops of the stage: its dimensions, then its reduction.
Follows own_point(const Stage &stage) {
    Follows identity(stage.dims.size() + stage.reduction.size());
    std::iota(identity.begin(), identity.end(), 0);
    return identity;
}

double elements_of(const std::vector<Extent> &region) {
    double product = 1;
    for (const Extent &dim : region) {
        product *= (double)dim.extent;
    }
    return product;
}

struct Reading {
    std::vector<std::vector<Extent>> regions;  ///< distinct ones
    double elements_read = 0;                  ///< by all loops that read it
    bool streams = false;
    bool same_point = true;
    bool is_coalesced = true;
};

/// A read of a stored buffer by the loops of one frame.
struct Access {
    Vertex producer;
    const Read *read;
    Follows through, runs;
};

void add_reading(Reading &reading, const Stage &producer, const Read &read, const Follows &map, const Follows &runs,
                 int contiguous, size_t rank) {
    if (std::find(reading.regions.begin(), reading.regions.end(), read.region) == reading.regions.end()) {
        reading.regions.push_back(read.region);
    }
    reading.same_point &= read.points == 1 && map.size() == rank && is_identity(map);
    if (producer.memory_order.empty() || read.kind == ReadKind::InPlace) {
        reading.streams |= read.kind == ReadKind::InPlace;
        return;
    }
    const bool along = runs[producer.memory_order[0]] == contiguous && contiguous >= 0;
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
    std::map<Vertex, double> evaluations;        ///< over the kernel
    std::map<Vertex, std::vector<Use>> uses_of;  ///< by member or buffer
    std::map<Vertex, Reading> readings;
    std::map<Vertex, Follows> tiles;  ///< by staged stage; empty where one tile cannot serve: read in several ways
    std::map<Vertex, int> lanes;      ///< by stage with loops of its own: the one that neighbouring threads walk
    std::map<Vertex, std::set<Vertex>> callers;  ///< of staged buffers
    std::vector<KnownChoice> known;              ///< of the output's dimensions

    Trace(const StageGraph &graph, const std::vector<Placement> &placement, const std::set<Vertex> &staged)
        : graph(graph), placement(placement), staged(staged) {}

    /// `in_output`: per loop of the stage the dimension of the kernel's output that it follows, or -1.
    void frame(Vertex top, const Follows &in_output, bool is_output = false) {
        const Stage &stage_of_frame = graph[top];
        // Consumers come before producers.
        std::map<Vertex, std::map<Follows, Sites>, std::greater<>> uses;
        std::map<Vertex, std::map<Follows, Sites>> loads;
        std::vector<Access> accesses;
        const Follows own = own_point(stage_of_frame);
        uses[top][own] = {1, 1, std::vector<Reach>(own.size())};
        for (const auto &[stage, ways] : uses) {
            double once = 0;
            for (const auto &[map, sites] : ways) {
                Use use = sites.of(top, map);
                use.is_chosen = is_output && add_choices(graph, top, stage, use, known);
                uses_of[stage].push_back(use);
                once += evaluations_a_point(use, {});
                for (auto [e, end] = in_edges(stage, graph); e != end; ++e) {
                    const Read &read = graph[*e];
                    const Vertex producer = source(*e, graph);
                    const Follows through = composed(read.follows, map);
                    const Sites asked = sites.through(read, through.size(), use.is_chosen);
                    const bool stored =
                        placement[producer] == Placement::Root || placement[producer] == Placement::Host;
                    if (placement[producer] == Placement::AtBlock) {
                        loads[producer][through].unite(asked);
                        Follows to_output = composed(through, in_output);
                        if (add_tile(producer, to_output)) {
                            to_output.resize(to_output.size() + graph[producer].reduction.size(), -1);
                            frame(producer, to_output);
                        }
                    } else if (stored && staged.count(producer)) {
                        loads[producer][through].unite(asked);
                        add_tile(producer, composed(through, in_output));
                        callers[producer].insert(stage);
                        add_reading(readings[producer], graph[producer], read, own_point(graph[producer]),
                                    own_point(graph[producer]), contiguous_dim(graph[producer]),
                                    graph[producer].dims.size());
                        readings[producer].same_point = false;
                    } else if (stored) {
                        loads[producer][through].unite(asked);
                        accesses.push_back(
                            {producer, &read, through, composed(read.runs.empty() ? read.follows : read.runs, map)});
                    } else {
                        uses[producer][through].unite(asked, !graph[stage].has_updates);
                    }
                }
            }
            // Kept values are computed once however many read them; recomputed ones once a use.
            const double here = once * stage_of_frame.points();
            const bool kept = placement[stage] == Placement::AtThread && graph[stage].has_updates;
            evaluations[stage] =
                kept ? std::max(evaluations[stage], std::min(here, graph[stage].points())) : evaluations[stage] + here;
        }
        for (const auto &[buffer, ways] : loads) {
            for (const auto &[map, sites] : ways) {
                uses_of[buffer].push_back(sites.of(top, map));
            }
        }
        add_accesses(top, accesses);
    }

private:
    const StageGraph &graph;
    const std::vector<Placement> &placement;
    const std::set<Vertex> &staged;

    /// The loop of a frame that neighbouring threads walk. A pure stage is written along its contiguous dimension; a
    /// reduction writes little, so what it reads decides, by bytes.
    int lane_of(const Stage &stage, const std::vector<Access> &accesses) const {
        if (stage.reduction.empty()) {
            return contiguous_dim(stage);
        }
        std::map<int, double> votes;
        for (const Access &access : accesses) {
            const Stage &producer = graph[access.producer];
            if (!producer.memory_order.empty() && access.read->kind != ReadKind::InPlace) {
                votes[access.runs[producer.memory_order[0]]] += elements_of(access.read->region) * producer.value_bytes;
            }
        }
        votes.erase(-1);
        int lane = stage.dims.empty() ? 0 : contiguous_dim(stage);
        double most = 0;
        for (const auto &[loop, bytes] : votes) {
            if (bytes > most) {
                lane = loop;
                most = bytes;
            }
        }
        return lane;
    }

    void add_accesses(Vertex top, const std::vector<Access> &accesses) {
        const int lane = lane_of(graph[top], accesses);
        lanes[top] = lane;
        std::map<Vertex, std::vector<std::vector<Extent>>> seen;
        for (const Access &access : accesses) {
            Reading &reading = readings[access.producer];
            add_reading(reading, graph[access.producer], *access.read, access.through, access.runs, lane,
                        graph[top].dims.size());
            auto &regions = seen[access.producer];
            if (std::find(regions.begin(), regions.end(), access.read->region) == regions.end()) {
                regions.push_back(access.read->region);
                reading.elements_read += elements_of(access.read->region);
            }
        }
    }

    /// True the first time.
    bool add_tile(Vertex producer, const Follows &through) {
        const auto [at, is_new] = tiles.emplace(producer, through);
        if (at->second != through) {
            at->second.clear();
        }
        return is_new;
    }
};

}  // namespace

bool is_transposed_tile(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    const bool plain = group.outputs.size() == 1 && out.update == 0 && !out.has_updates && out.dims.size() >= 2;
    const auto fits = [&](Vertex tile, const Follows &follows, const std::vector<Use> &uses) {
        const auto contains = [&](int dim) { return std::find(follows.begin(), follows.end(), dim) != follows.end(); };
        const bool complete = !follows.empty() && !contains(-1) && contains(contiguous_dim(out));
        const bool one_point = std::all_of(uses.begin(), uses.end(), [&](const Use &use) {
            return use.frame == tile || (use.others == 1 && !has_span(use));
        });
        return complete && one_point && follows[contiguous_dim(graph[tile])] != contiguous_dim(out);
    };
    const bool members_fit = std::all_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        return m.placement != Placement::AtBlock || fits(m.stage, m.follows, m.uses);
    });
    return plain && members_fit && std::all_of(group.staged.begin(), group.staged.end(), [&](const Staged &s) {
               const auto input = std::find_if(group.inputs.begin(), group.inputs.end(),
                                               [&](const Input &i) { return i.producer == s.producer; });
               return fits(s.producer, s.follows, input->uses);
           });
}

Group trace_kernel(const StageGraph &graph, const std::vector<Placement> &placement, const std::vector<Vertex> &outputs,
                   const std::set<Vertex> &staged) {
    Trace trace(graph, placement, staged);
    for (const Vertex output : outputs) {
        Follows in_output = own_point(graph[output]);
        std::fill(in_output.begin() + (ptrdiff_t)graph[output].dims.size(), in_output.end(), -1);
        trace.frame(output, in_output, true);
    }
    Group group;
    group.outputs = outputs;
    for (const auto &[stage, times] : trace.evaluations) {
        const auto tile = trace.tiles.find(stage);
        const auto lane = trace.lanes.find(stage);
        group.members.push_back({.stage = stage,
                                 .placement = placement[stage],
                                 .evaluations = times,
                                 .uses = trace.uses_of.at(stage),
                                 .lane = lane == trace.lanes.end() ? -1 : lane->second,
                                 .follows = tile == trace.tiles.end() ? Follows() : tile->second});
    }
    for (const auto &[producer, callers] : trace.callers) {
        group.staged.push_back({producer, {callers.begin(), callers.end()}, trace.tiles.at(producer)});
    }
    for (const auto &[producer, reading] : trace.readings) {
        double elements = 0;
        for (const auto &region : reading.regions) {
            elements += elements_of(region);
        }
        Input input;
        input.producer = producer;
        input.bytes = std::min(elements, std::max(graph[producer].elements(), 1.0)) * graph[producer].value_bytes;
        input.passes = elements > 0 ? std::max(1.0, reading.elements_read / elements) : 1;
        input.streams = reading.streams;
        input.same_point = reading.same_point;
        input.is_coalesced = reading.is_coalesced;
        input.uses = trace.uses_of[producer];
        group.inputs.push_back(input);
    }
    group.known = trace.known;
    find_sides(group);
    return group;
}

}  // namespace fusion

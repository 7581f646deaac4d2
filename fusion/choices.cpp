#include "fusion/choices.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "fusion/rate.h"
#include "fusion/room.h"
#include "fusion/stencil_kernel.h"

namespace fusion {
namespace {

/// By dimensions of outputs: how far a stage's region lies from that of the output.
using Offsets = std::map<std::pair<Vertex, int>, Reach>;
using Found = std::map<std::pair<Vertex, int>, std::optional<Offsets>>;

std::optional<Offsets> offsets_along(const StageGraph &graph, Vertex v, int dim, Found &found) {
    const auto [at, is_new] = found.emplace(std::make_pair(v, dim), std::nullopt);
    if (!is_new) {
        return at->second;
    }
    Offsets all;
    if (graph[v].role == Role::Output) {
        all[{v, dim}] = {0, 0};
    }
    for (auto [e, end] = out_edges(v, graph); e != end; ++e) {
        const Read &read = graph[*e];
        const Vertex reader = target(*e, graph);
        const bool has_loops = read.kind != ReadKind::Opaque && read.kind != ReadKind::InPlace;
        const Rate rate = has_loops && dim < (int)read.follows.size() ? rate_at(read, dim) : Rate();
        const bool follows = rate.loop >= 0 && rate.loop < (int)graph[reader].dims.size();
        const auto there = follows && rate.steps == rate.of && rate.shape == 0
                               ? offsets_along(graph, reader, rate.loop, found)
                               : std::nullopt;
        if (!there) {
            return std::nullopt;
        }
        for (const auto &[output, own] : *there) {
            const Reach reach{own.low + (int64_t)rate.low, own.high + (int64_t)rate.high};
            const auto [known, is_first] = all.emplace(output, reach);
            known->second = {std::min(known->second.low, reach.low), std::max(known->second.high, reach.high)};
        }
    }
    return found[{v, dim}] = all;
}

int64_t remainder(int64_t value, int64_t modulus) {
    return (value % modulus + modulus) % modulus;
}

}  // namespace

std::optional<Phase> phase_of(const StageGraph &graph, Vertex stage, int dim, int64_t modulus) {
    Found found;
    const auto offsets = offsets_along(graph, stage, dim, found);
    std::optional<Phase> phase;
    for (const auto &[output, reach] : offsets.value_or(Offsets())) {
        const Extent &estimate = graph[output.first].dims[output.second];
        const int64_t begin = remainder(estimate.min + reach.low, modulus);
        const int64_t end = remainder(estimate.min + estimate.extent + reach.high, modulus);
        if (begin != end || (phase && phase->remainder != begin)) {
            return std::nullopt;
        }
        phase = phase ? phase : Phase{.remainder = begin, .outputs = {}};
        phase->outputs.insert(output);
    }
    return phase;
}

bool add_choices(const StageGraph &graph, Vertex output, Vertex stage, const Use &use,
                 std::vector<KnownChoice> &known) {
    const std::vector<int64_t> &choices = graph[stage].choices;
    std::vector<KnownChoice> more = known;
    more.resize(graph[output].dims.size());
    bool any = false;
    for (size_t d = 0; d < choices.size() && d < use.follows.size(); d++) {
        const Rate rate = rate_at(use, d);
        const bool is_number = d < use.numbers.size() && use.numbers[d];
        any = any || choices[d] != 0;
        if (choices[d] == 0 || is_number) {
            continue;
        }
        // Loops are the output's dimensions, then those of its RDom, which a fold walks one by one.
        const bool is_dim = rate.loop >= 0 && rate.loop < (int)graph[output].dims.size();
        if (!is_dim || rate.of != 1 || rate.shape != 0 || use.frame != output) {
            return false;
        }
        const Extent &dim = graph[output].dims[rate.loop];
        KnownChoice &at = more[rate.loop];
        if (choices[d] == 1) {
            if (dim.extent > kMostChannels || pinned_by(graph, output, rate.loop).empty()) {
                return false;
            }
            at = {.points = dim.extent, .phase = 0, .is_all = true};
        } else if (!at.is_all) {
            const int64_t points = at.points == 0 ? choices[d] : std::lcm(at.points, choices[d]);
            const auto phase = phase_of(graph, output, rate.loop, points);
            if (!phase) {
                return false;
            }
            at = {.points = points, .phase = phase->remainder};
        }
    }
    known = any ? more : known;
    return any;
}

bool knows_choices(const Group &group, const Tile &tile) {
    if (group.kind != Template::Stencil || group.known.empty()) {
        return false;
    }
    const std::vector<double> thread = thread_tile(group.known.size(), tile);
    for (size_t d = 0; d < thread.size(); d++) {
        const KnownChoice &known = group.known[d];
        const bool is_slice = (int)d == tile.dims.z;
        if (known.points > 0 && (((int64_t)thread[d] % known.points) != 0 || (known.is_all && !is_slice))) {
            return false;
        }
    }
    return true;
}

std::optional<Group> with_choices(const Group &group, const Tile &tile) {
    if (!knows_choices(group, tile)) {
        return std::nullopt;
    }
    Group as_run = group;
    const auto choose = [&](std::vector<Use> &uses) {
        for (Use &use : uses) {
            if (use.frame != group.outputs[0]) {
                continue;
            }
            use.calls *= use.taken;
            use.others = std::max(1.0, use.others * use.taken);
            for (size_t d = 0; d < use.rates.size(); d++) {
                Rate &rate = use.rates[d];
                rate.is_number = rate.is_number || (rate.loop < 0 && d < use.numbers.size() && use.numbers[d]);
                const bool is_dim = rate.loop >= 0 && rate.loop < (int)group.known.size();
                const KnownChoice known = is_dim ? group.known[rate.loop] : KnownChoice();
                rate.phase =
                    known.points > 0 && !known.is_all && known.points % rate.of == 0 ? known.phase % rate.of : -1;
            }
        }
    };
    for (Member &member : as_run.members) {
        choose(member.uses);
    }
    for (Input &input : as_run.inputs) {
        choose(input.uses);
    }
    return as_run;
}

}  // namespace fusion

#include "fusion/room.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fusion/rate.h"

namespace fusion {
namespace {

/// By dimension of a stage: what its readers show.
using Known = std::map<std::pair<Vertex, int>, std::optional<Room>>;

std::optional<Room> room_through(const StageGraph &graph, Vertex v, int dim, Known &known) {
    const auto [at, is_new] = known.emplace(std::make_pair(v, dim), std::nullopt);
    if (!is_new) {
        return at->second;
    }
    std::optional<Room> most;
    if (graph[v].role == Role::Output) {
        most = Room{v, dim, 1};
    }
    for (auto [e, end] = out_edges(v, graph); e != end && !(most && most->divisor == 1); ++e) {
        const Read &read = graph[*e];
        const Vertex reader = target(*e, graph);
        const bool has_loops = read.kind != ReadKind::Opaque && read.kind != ReadKind::InPlace;
        const Rate rate = has_loops && dim < (int)read.follows.size() ? rate_at(read, dim) : Rate();
        if (rate.loop < 0 || rate.loop >= (int)graph[reader].dims.size() || rate.is_clamped) {
            continue;
        }
        auto room = room_through(graph, reader, rate.loop, known);
        if (room && (!most || room->divisor * rate.of < most->divisor)) {
            room->divisor *= rate.of;
            most = room;
        }
    }
    return known[{v, dim}] = most;
}

}  // namespace

std::optional<Room> room_along(const StageGraph &graph, Vertex stage, int dim) {
    Known known;
    return room_through(graph, stage, dim, known);
}

bool has_numbers(const StageGraph &graph, Vertex stage, int dim, int64_t size) {
    const auto [begin, end] = out_edges(stage, graph);
    return std::any_of(
        begin, end, [&](const Edge &e) { return dim < (int)graph[e].numbers.size() && graph[e].numbers[dim] >= size; });
}

bool chooses_along(const StageGraph &graph, const Group &group, int dim) {
    for (const Member &member : group.members) {
        const std::vector<int64_t> &choices = graph[member.stage].choices;
        for (const Use &use : member.uses) {
            for (size_t d = 0; d < choices.size() && d < use.follows.size(); d++) {
                const int loop = rate_at(use, d).loop;
                // Within a tile that is kept, whichever dimension it is.
                if (choices[d] > 0 && (loop == dim || (loop >= 0 && use.frame != group.outputs[0]))) {
                    return true;
                }
            }
        }
    }
    return false;
}

namespace {

/// No kernel of this plan decides how much of it there is.
bool is_given(const Stage &stage) {
    return stage.role != Role::Intermediate || stage.is_extern || stage.scheduled_by_user;
}

/// `chosen`: dimensions of the stage along which some reader of it chooses. What is stored is computed for both choices, and only
/// asks its own producers for more; a clamp on the way bounds that.
bool asks_by_choice(const StageGraph &graph, const std::set<Vertex> &members, Vertex stage, std::vector<bool> chosen) {
    const std::vector<int64_t> &choices = graph[stage].choices;
    for (size_t d = 0; d < choices.size() && d < chosen.size() && members.count(stage); d++) {
        chosen[d] = chosen[d] || choices[d] == 1;
    }
    const auto [begin, end] = in_edges(stage, graph);
    return std::any_of(begin, end, [&](const Edge &e) {
        const Read &read = graph[e];
        std::vector<bool> there(read.follows.size());
        for (size_t d = 0; d < there.size(); d++) {
            const Rate rate = rate_at(read, d);
            there[d] = rate.loop >= 0 && rate.loop < (int)chosen.size() && chosen[rate.loop] && !rate.is_clamped;
        }
        const Vertex producer = source(e, graph);
        const bool is_member = members.count(producer) > 0;
        if (!is_member && std::count(there.begin(), there.end(), true) == 0) {
            return false;
        }
        return (!is_member && is_given(graph[producer])) || asks_by_choice(graph, members, producer, there);
    });
}

}  // namespace

bool hides_choice(const StageGraph &graph, const Group &group) {
    std::set<Vertex> members;
    bool chooses = false;
    for (const Member &member : group.members) {
        members.insert(member.stage);
        const std::vector<int64_t> &choices = graph[member.stage].choices;
        chooses = chooses || std::count(choices.begin(), choices.end(), 1) > 0;
    }
    return chooses && std::any_of(group.members.begin(), group.members.end(), [&](const Member &member) {
               return member.stage != group.outputs[0] && !graph[member.stage].has_updates &&
                      asks_by_choice(graph, members, member.stage, std::vector<bool>(graph[member.stage].dims.size()));
           });
}

bool has_room(const StageGraph &graph, Vertex stage, int dim, int64_t size) {
    const auto room = room_along(graph, stage, dim);
    return has_numbers(graph, stage, dim, size) ||
           (room && graph[room->output].dims[room->dim].extent >= size * room->divisor);
}

namespace {

/// What is surely computed of a dimension where the outputs lie as in the estimates.
struct Sure {
    double low = 0, high = 0;
    std::set<std::pair<Vertex, int>> outputs = {};
};

std::optional<Sure> sure_along(const StageGraph &graph, Vertex v, int dim,
                               std::map<std::pair<Vertex, int>, std::optional<Sure>> &known) {
    const auto [at, is_new] = known.emplace(std::make_pair(v, dim), std::nullopt);
    if (!is_new) {
        return at->second;
    }
    std::optional<Sure> all;
    const auto add = [&](const Sure &more) {
        all = all ? Sure{std::min(all->low, more.low), std::max(all->high, more.high), all->outputs} : more;
        all->outputs.insert(more.outputs.begin(), more.outputs.end());
    };
    if (graph[v].role == Role::Output) {
        const Extent &own = graph[v].dims[dim];
        add({(double)own.min, (double)(own.min + own.extent - 1), {{v, dim}}});
    }
    for (auto [e, end] = out_edges(v, graph); e != end; ++e) {
        const Rate rate = dim < (int)graph[*e].rates.size() ? graph[*e].rates[dim] : Rate();
        const Vertex reader = target(*e, graph);
        if (rate.is_number) {
            add({rate.low, rate.high});
        } else if (rate.loop >= 0 && rate.loop < (int)graph[reader].dims.size() && rate.steps == 1 && rate.shape == 0) {
            if (const auto sure = sure_along(graph, reader, rate.loop, known)) {
                add({sure->low + rate.low, sure->high + rate.high, sure->outputs});
            }
        }
    }
    return known[{v, dim}] = all;
}

}  // namespace

std::set<std::pair<Vertex, int>> pinned_by(const StageGraph &graph, Vertex stage, int dim) {
    std::map<std::pair<Vertex, int>, std::optional<Sure>> known;
    const auto sure = sure_along(graph, stage, dim, known);
    const Extent &own = graph[stage].dims[dim];
    const bool is_all = sure && sure->low == (double)own.min && sure->high == (double)(own.min + own.extent - 1);
    return is_all ? sure->outputs : std::set<std::pair<Vertex, int>>();
}

bool can_slice(const StageGraph &graph, const Group &group, int dim) {
    const Vertex output = group.outputs[0];
    const bool is_open =
        !chooses_along(graph, group, dim) && has_room(graph, output, dim, graph[output].dims[dim].extent);
    return is_open || !pinned_by(graph, output, dim).empty();
}

}  // namespace fusion

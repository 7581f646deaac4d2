#include "fusion/siblings.h"

#include <algorithm>
#include <optional>
#include <set>

#include "fusion/rules.h"
#include "fusion/text.h"

namespace fusion {
namespace {

/// By stage, all stages that its value depends on.
std::vector<std::set<Vertex>> ancestors(const StageGraph &graph) {
    std::vector<std::set<Vertex>> result(num_vertices(graph));
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        for (const Vertex producer : producers_of(graph, v)) {
            result[v].insert(producer);
            result[v].insert(result[producer].begin(), result[producer].end());
        }
    }
    return result;
}

/// The loops of a kernel that stores the stage, innermost first. compute_with joins loops of the same names only.
std::vector<std::pair<std::string, int64_t>> loops(const Stage &stage) {
    std::vector<std::pair<std::string, int64_t>> found;
    for (const int dim : stage.memory_order) {
        found.emplace_back(stage.dims[dim].name, stage.dims[dim].extent);
    }
    return found;
}

bool can_join(const StageGraph &graph, const Group &group) {
    return (group.kind == Template::Pointwise || group.kind == Template::Siblings) &&
           !graph[group.outputs[0]].has_updates && !graph[group.outputs[0]].dims.empty();
}

/// Two launches as one.
struct Merge {
    Vertex first, second;  ///< leaders
    Assignment assignment;
    Group joined;
    double apart_us = 0;
    double benefit() const { return apart_us - joined.price.time_us; }
};

class Joiner {
public:
    Joiner(const StageGraph &graph, const Device &device, const Limits &limits, Assignment &assignment,
           std::map<Vertex, Group> &kernels)
        : graph(graph), device(device), limits(limits), assignment(assignment), kernels(kernels),
          depends_on(ancestors(graph)) {}

    std::vector<Join> run() {
        std::vector<Join> joins;
        while (std::optional<Merge> merge = best()) {
            const bool taken = merge->benefit() > 0;
            joins.push_back(
                {merge->joined.outputs, taken, reason(*merge), merge->apart_us, merge->joined.price.time_us});
            if (!taken) {
                break;
            }
            take(*merge);
        }
        // Only the last join of a launch tells its whole story.
        std::vector<Join> told;
        for (const Join &join : joins) {
            const bool superseded = std::any_of(joins.begin(), joins.end(), [&](const Join &other) {
                return other.joined && other.outputs.size() > join.outputs.size() &&
                       std::includes(other.outputs.begin(), other.outputs.end(), join.outputs.begin(),
                                     join.outputs.end());
            });
            if (!superseded) {
                told.push_back(join);
            }
        }
        return told;
    }

private:
    const StageGraph &graph;
    const Device &device;
    Limits limits;
    Assignment &assignment;
    std::map<Vertex, Group> &kernels;
    std::vector<std::set<Vertex>> depends_on;  ///< by stage; through launches that are joined as well
    std::map<std::pair<Vertex, Vertex>, std::optional<double>> benefits;  ///< by leaders, as far as known

    bool are_independent(const Group &a, const Group &b) const {
        for (const Vertex x : a.outputs) {
            for (const Vertex y : b.outputs) {
                if (depends_on[x].count(y) || depends_on[y].count(x)) {
                    return false;
                }
            }
        }
        return true;
    }

    bool share_an_input(const Group &a, const Group &b) const {
        return std::any_of(a.inputs.begin(), a.inputs.end(), [&](const Input &x) {
            return std::any_of(b.inputs.begin(), b.inputs.end(),
                               [&](const Input &y) { return x.producer == y.producer; });
        });
    }

    bool leaves_gpu_idle(const Group &group) const { return group.price.waves < 1; }

    Merge merge(Vertex first, Vertex second) const {
        Merge result{first, second, assignment, {}};
        for (const Vertex v : kernels.at(second).outputs) {
            result.assignment.leader[v] = first;
        }
        const std::vector<Vertex> outputs = launch_of(graph, result.assignment, first);
        result.apart_us = kernels.at(first).price.time_us + kernels.at(second).price.time_us;
        result.joined = make_kernel(graph, result.assignment, outputs, device, limits);
        return result;
    }

    /// What joining two launches would save; nothing if they cannot be joined.
    std::optional<double> benefit(Vertex first, Vertex second) const {
        const Group &x = kernels.at(first), &y = kernels.at(second);
        const bool fits =
            can_join(graph, x) && can_join(graph, y) && loops(graph[x.outputs[0]]) == loops(graph[y.outputs[0]]);
        if (!fits || !(share_an_input(x, y) || (leaves_gpu_idle(x) && leaves_gpu_idle(y))) || !are_independent(x, y)) {
            return std::nullopt;
        }
        const Merge candidate = merge(first, second);
        const bool launches = argument_bytes(graph, candidate.joined) <= device.argument_bytes;
        return launches ? std::optional(candidate.benefit()) : std::nullopt;
    }

    std::optional<Merge> best() {
        while (true) {
            std::pair<Vertex, Vertex> top;
            std::optional<double> most;
            for (auto a = kernels.begin(); a != kernels.end(); ++a) {
                for (auto b = std::next(a); b != kernels.end(); ++b) {
                    const auto [known, is_new] = benefits.try_emplace({a->first, b->first});
                    if (is_new) {
                        known->second = benefit(a->first, b->first);
                    }
                    if (known->second && (!most || *known->second > *most)) {
                        top = known->first;
                        most = known->second;
                    }
                }
            }
            if (!most) {
                return std::nullopt;
            }
            // Other joins may have put one before the other since it was priced.
            if (are_independent(kernels.at(top.first), kernels.at(top.second))) {
                return merge(top.first, top.second);
            }
            benefits[top] = std::nullopt;
        }
    }

    std::string reason(const Merge &merge) const {
        const std::string prices =
            "one launch " + time_text(merge.joined.price.time_us) + ", apart " + time_text(merge.apart_us);
        if (merge.benefit() <= 0) {
            return "kept apart, each with its own specialised kernel: " + prices;
        }
        return "joined by compute_with, which excludes specialised branches: " + prices;
    }

    void take(const Merge &merge) {
        assignment = merge.assignment;
        std::erase_if(benefits, [&](const auto &known) {
            const auto [first, second] = known.first;
            return first == merge.first || second == merge.first || first == merge.second || second == merge.second;
        });
        kernels.erase(merge.second);
        kernels[merge.first] = merge.joined;
        // Whatever waits for one output of the launch now waits for all that any of them needs.
        const std::set<Vertex> outputs(merge.joined.outputs.begin(), merge.joined.outputs.end());
        std::set<Vertex> needed;
        for (const Vertex output : outputs) {
            needed.insert(depends_on[output].begin(), depends_on[output].end());
        }
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const bool reads_one =
                std::any_of(outputs.begin(), outputs.end(), [&](Vertex o) { return depends_on[v].count(o) > 0; });
            if (outputs.count(v) || reads_one) {
                depends_on[v].insert(needed.begin(), needed.end());
            }
        }
    }
};

}  // namespace

std::vector<Join> join_siblings(const StageGraph &graph, const Device &device, const Limits &limits,
                                Assignment &assignment, std::map<Vertex, Group> &kernels) {
    return Joiner(graph, device, limits, assignment, kernels).run();
}

}  // namespace fusion

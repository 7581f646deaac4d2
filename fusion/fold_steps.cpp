#include "fusion/fold_steps.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "fusion/reduction_kernel.h"

namespace fusion {

namespace {

/// The stages of a fold's steps: those of which a dimension follows the fold's RDom.
std::set<Vertex> steps_of(const StageGraph &graph, Vertex fold) {
    // By stage: which of its dimensions follow the RDom. Producers have lower numbers.
    std::map<Vertex, std::set<int>, std::greater<>> over;
    const auto add = [&](Vertex reader, const auto &is_over_rdom) {
        for (auto [e, end] = in_edges(reader, graph); e != end; ++e) {
            const Stage &producer = graph[source(*e, graph)];
            for (size_t d = 0; d < graph[*e].follows.size(); d++) {
                if (producer.role == Role::Intermediate && !producer.has_updates &&
                    is_over_rdom(graph[*e].follows[d])) {
                    over[source(*e, graph)].insert((int)d);
                }
            }
        }
    };
    add(fold, [&](int loop) { return loop >= (int)graph[fold].dims.size(); });
    std::set<Vertex> steps;
    for (const auto &[step, dims] : over) {
        const std::set<int> &followed = dims;
        add(step, [&](int loop) { return followed.count(loop) > 0; });
        steps.insert(step);
    }
    return steps;
}

bool is_read_by_others(const StageGraph &graph, const std::set<Vertex> &stages, const std::set<Vertex> &folds) {
    return std::any_of(stages.begin(), stages.end(), [&](Vertex step) {
        const std::vector<Vertex> readers = consumers_of(graph, step);
        return std::any_of(readers.begin(), readers.end(),
                           [&](Vertex reader) { return !stages.count(reader) && !folds.count(reader); });
    });
}

}  // namespace

std::vector<std::vector<Vertex>> stages_of_steps(const StageGraph &graph) {
    std::map<Vertex, std::set<Vertex>> folds_of, steps;  // by stage of a step, by fold
    for (Vertex fold = 0; fold < num_vertices(graph); fold++) {
        if (is_reduction(graph[fold]) && graph[fold].role != Role::Output) {
            steps[fold] = steps_of(graph, fold);
            for (const Vertex step : steps[fold]) {
                folds_of[step].insert(fold);
            }
        }
    }
    std::vector<std::vector<Vertex>> together(num_vertices(graph));
    for (const auto &[stage, folds] : folds_of) {
        std::set<Vertex> stages;
        for (const Vertex fold : folds) {
            stages.insert(steps[fold].begin(), steps[fold].end());
        }
        if (is_read_by_others(graph, stages, folds)) {
            continue;
        }
        const std::set<Vertex> alone = stages;
        if (folds.size() > 1) {
            stages.insert(folds.begin(), folds.end());
        }
        const std::vector<Vertex> all(stages.begin(), stages.end());
        const bool is_any_shared =
            std::any_of(alone.begin(), alone.end(), [&](Vertex step) { return is_shared_in_step(graph, all, step); });
        together[stage] = is_any_shared ? all : std::vector<Vertex>();
    }
    return together;
}

bool is_shared_in_step(const StageGraph &graph, const std::vector<Vertex> &stages, Vertex stage) {
    int folds = 0;
    for (auto [e, end] = out_edges(stage, graph); e != end; ++e) {
        const std::vector<Reach> &reach = graph[*e].reach;
        if (std::any_of(reach.begin(), reach.end(), [](const Reach &r) { return r.span() > 0; })) {
            return true;
        }
        const Vertex reader = target(*e, graph);
        if (is_reduction(graph[reader])) {
            folds += std::count(stages.begin(), stages.end(), reader) > 0;
            // Between the stores of two channels the compiler could not tell that they read the same.
            const std::vector<int> &follows = graph[*e].follows;
            for (int dim = 0; dim < (int)graph[reader].dims.size(); dim++) {
                folds += graph[reader].dims[dim].extent > 1 && !std::count(follows.begin(), follows.end(), dim) ? 2 : 0;
            }
        }
    }
    return folds > 1;
}

}  // namespace fusion

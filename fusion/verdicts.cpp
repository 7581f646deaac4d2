#include "fusion/verdicts.h"

#include <algorithm>

#include "fusion/owned_tables.h"
#include "fusion/reduction_kernel.h"
#include "fusion/rules.h"
#include "fusion/text.h"

namespace fusion {
namespace {

/// How often the plan evaluates a stage, over the points there are.
double evaluations_a_point(const StageGraph &graph, const Plan &plan, Vertex stage) {
    double evaluations = 0;
    for (const Group &group : plan.groups) {
        for (const Member &member : group.members) {
            evaluations += member.stage == stage ? member.evaluations : 0;
        }
    }
    const double points = graph[stage].points();
    return points > 0 ? evaluations / points : 1;
}

/// The definition is computed by a kernel with memory of its own for the Func.
const Group *private_kernel_of(const Plan &plan, Vertex definition) {
    for (const Group &group : plan.groups) {
        const auto is_it = [&](const Member &m) { return m.stage == definition; };
        if (group.kind == Template::Private && std::any_of(group.members.begin(), group.members.end(), is_it)) {
            return &group;
        }
    }
    return nullptr;
}

std::string reason_to_fuse(const StageGraph &graph, Vertex producer, Placement placement, double times,
                           const std::string &rule) {
    const Stage &stage = graph[producer];
    const double trips = stage.elements() * stage.value_bytes * (1.0 + (double)consumers_of(graph, producer).size());
    const std::string again = times > 1.01 ? ", for computing it " + fixed(times, 1) + " times (" +
                                                 fixed(stage.work.total(), 0) + " instructions a point)"
                                           : "";
    switch (placement) {
    case Placement::AtBlock:
        if (is_reduction(stage) && rule == kStencilTile) {
            return "the block that reads it folds its points itself, step by step, and keeps them in shared memory: " +
                   bytes_text(trips) + " of memory traffic and a launch less";
        }
        if (is_reduction(stage)) {
            return "the block that reads it reduces its rows itself and keeps the values in shared memory: " +
                   bytes_text(trips) + " of memory traffic and a launch less, and the rows are still in the cache";
        }
        if (rule == kStencilTile) {
            return "a block computes what its points and their neighbours need once, in shared memory: " +
                   bytes_text(trips) + " of memory traffic and a launch less" + again;
        }
        return "a tile of it stays in shared memory, so that both sides are read and written in long rows";
    case Placement::AtThread:
        if (!stage.has_updates) {
            return "a thread computes what its points and their neighbours need once, in registers: " +
                   bytes_text(trips) + " of memory traffic and a launch less" + again;
        }
        return "each thread starts from it and accumulates in registers: only the result leaves the kernel";
    default:
        break;
    }
    return "it never leaves registers: " + bytes_text(trips) + " of memory traffic and a launch less" + again;
}

}  // namespace

std::vector<Verdict> make_verdicts(const StageGraph &graph, const Plan &plan, const std::vector<Decided> &decided) {
    std::vector<Verdict> verdicts;
    for (const Edge &edge : edges_in_order(graph)) {
        const Vertex producer = source(edge, graph);
        const Placement placement = plan.placement[producer];
        const Decided &decision = decided[producer];
        Verdict verdict;
        verdict.producer = producer;
        verdict.consumer = target(edge, graph);
        verdict.kind = graph[edge].kind;
        verdict.apart_us = decision.apart_us;
        verdict.fused_us = decision.fused_us;
        verdict.step = decision.step;
        verdict.rule = decision.rule;
        const bool stored = placement == Placement::Root || placement == Placement::Host;
        if (stored) {
            verdict.verdict = "stored";
            verdict.why = decision.why;
        } else {
            const double times = evaluations_a_point(graph, plan, producer);
            const bool kept = placement == Placement::AtThread && graph[producer].has_updates;
            verdict.verdict = times > 1.01 && !kept ? "recomputed" : "fused";
            verdict.why = reason_to_fuse(graph, producer, placement, times, decision.rule);
            if (times > 1.01 && verdict.rule == "vertical-fusion") {
                verdict.rule = "recompute-or-store";
            }
        }
        if (placement == Placement::AtThread && graph[producer].has_updates) {
            verdict.rule = kAccumulator;
            if (const Group *group = private_kernel_of(plan, producer)) {
                const double bytes = 2 * graph[producer].elements() * graph[producer].value_bytes;
                verdict.rule = kPrivateMemory;
                verdict.why =
                    std::string(has_table_tile(group->tile) ? "a block has its threads' points in shared memory"
                                : group->tile.reducing > 1  ? "a block has its points in shared memory"
                                                            : "a thread has its points to itself") +
                    " until all definitions are done: " + bytes_text(bytes) + " of memory traffic and a launch less";
            }
        } else if (graph[producer].unbounded && graph[producer].role != Role::Input) {
            verdict.rule = kUnboundedRegion;
            verdict.why = "the region its readers may ask for has no bound or fits no buffer, so it cannot be stored";
        } else if (placement == Placement::Host) {
            verdict.rule = "extern-stage";
            verdict.why = "it is computed on the host, where the extern stage is";
        } else if (graph[producer].scheduled_by_user && !stored) {
            verdict.rule = "user-schedule";
            verdict.why = "its author gave it no loops of its own";
        } else if (graph[producer].role == Role::Intermediate && plan.variant == Variant::Unfused && stored) {
            verdict.rule = kVariant;
            verdict.why = "the variant stores every stage";
        } else if (graph[producer].role == Role::Intermediate && plan.variant == Variant::Inlined && !stored) {
            verdict.rule = kVariant;
            verdict.why = "the variant inlines every stage it can";
        } else if (is_reduction(graph[producer]) && plan.variant == Variant::Inlined && stored &&
                   verdict.rule.empty()) {
            verdict.rule = kVariant;
            verdict.why = "the variant stores what it cannot inline";
        }
        verdicts.push_back(verdict);
    }
    return verdicts;
}

}  // namespace fusion

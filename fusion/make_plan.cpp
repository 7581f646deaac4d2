#include <algorithm>
#include <optional>
#include <set>

#include "fusion/error.h"
#include "fusion/footprint.h"
#include "fusion/kernels.h"
#include "fusion/plan.h"
#include "fusion/price.h"
#include "fusion/rules.h"
#include "fusion/siblings.h"
#include "fusion/verdicts.h"

namespace fusion {
namespace {

/// What moving some stages into their consumers' kernels would do.
struct Proposal {
    std::vector<Vertex> stages;
    Placement placement = Placement::Inlined;
    std::vector<Vertex> gone;    ///< leaders of kernels that disappear
    std::vector<Group> changed;  ///< kernels that take them in
    Judgement judgement{Decision::allow(), ""};
    double apart_us = 0, fused_us = 0;
    double benefit() const {
        return apart_us - fused_us;
    }
};

class Planner {
public:
    Planner(const StageGraph &graph, const Device &device, int cap)
        : graph(graph), device(device), cap(cap), assignment(all_stored(graph)),
          kernels(make_kernels(graph, assignment, device, cap)), decided(num_vertices(graph)),
          joins(post_dominators(graph)) {
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            reconsider(v);
        }
    }

    /// Takes the best candidate until none is left.
    void run() {
        int step = 0;
        while (!queue.empty()) {
            const Vertex v = queue.begin()->second;
            const double promised = best[v]->benefit();
            reconsider(v);  // the far end of a diamond may have changed without touching its top
            if (best[v] && best[v]->benefit() == promised) {
                const Proposal proposal = *best[v];
                take(proposal, ++step);
            }
        }
    }

    const StageGraph &graph;
    const Device &device;
    int cap;
    Assignment assignment;
    std::map<Vertex, Group> kernels;  ///< by leader
    std::vector<Decided> decided;     ///< by stage

private:
    std::vector<std::optional<Vertex>> joins;
    std::set<std::pair<double, Vertex>> queue;  ///< (-benefit, stage)
    std::map<Vertex, std::optional<Proposal>> best;

    std::vector<Edge> edges_from(Vertex v) const {
        return {out_edges(v, graph).first, out_edges(v, graph).second};
    }

    std::vector<Vertex> readers_of(Vertex buffer) const {
        std::vector<Vertex> readers;
        for (const auto &[leader, group] : kernels) {
            const bool reads = std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return i.producer == buffer; });
            if (reads) {
                readers.push_back(leader);
            }
        }
        return readers;
    }

    Judgement judge_legality(Vertex v, Placement placement) const {
        Candidate candidate{graph, device, v, placement, edges_from(v)};
        return judge(candidate, RuleKind::Legality);
    }

    /// Inputs are never candidates for inlining, but their edges have a verdict too.
    void decide_input(Vertex v) {
        const Judgement legality = judge_legality(v, Placement::Inlined);
        decided[v] = {false, legality.rule, legality.decision.why(), 0, 0, 0};
    }

    std::optional<Proposal> propose(const std::vector<Vertex> &stages, Placement placement) {
        Proposal proposal;
        proposal.stages = stages;
        proposal.placement = placement;
        std::set<Vertex> readers;
        for (const Vertex v : stages) {
            const Judgement legality = judge_legality(v, placement);
            if (!legality.decision.allowed()) {
                proposal.judgement = legality;
                return proposal;
            }
            for (const Vertex reader : readers_of(v)) {
                readers.insert(reader);
            }
            if (is_kernel(graph, assignment, v)) {
                proposal.gone.push_back(v);
            }
        }
        for (const Vertex v : proposal.gone) {
            readers.erase(v);
        }
        std::vector<Group> apart;
        Assignment changed = assignment;
        for (const Vertex v : stages) {
            changed.placement[v] = placement;
        }
        for (const Vertex v : proposal.gone) {
            apart.push_back(kernels.at(v));
        }
        for (const Vertex reader : readers) {
            apart.push_back(kernels.at(reader));
            const auto outputs = launch_of(graph, assignment, reader);
            const bool own_loops = kernels.at(reader).kind == Template::UserLoops || kernels.at(reader).kind == Template::HostLoops;
            proposal.changed.push_back(make_kernel(graph, changed, outputs, device, cap));
            const bool can_stage = readers.size() == 1 && !own_loops && is_transposed_tile(graph, proposal.changed.back());
            if (placement == Placement::AtBlock && !can_stage) {
                return std::nullopt;
            }
        }
        Candidate candidate{graph, device, stages.front(), placement, edges_from(stages.front()), &apart, &proposal.changed};
        proposal.apart_us = candidate.apart_us();
        proposal.fused_us = candidate.fused_us();
        proposal.judgement = judge(candidate, RuleKind::Resource);
        if (proposal.judgement.decision.allowed()) {
            proposal.judgement = judge(candidate, RuleKind::Profit);
        }
        return proposal;
    }

    /// Some kernel reads `v` across its contiguous dimension, or would if it were inlined.
    bool is_read_transposed(Vertex v) const {
        for (const Vertex reader : readers_of(v)) {
            for (const Input &input : kernels.at(reader).inputs) {
                if (input.producer == v && !input.is_coalesced) {
                    return true;
                }
            }
            for (const Staged &staged : kernels.at(reader).staged) {
                if (staged.producer == v) {
                    return true;
                }
            }
        }
        return false;
    }

    /// All stages from `v` to where its paths join again, `v` first; empty when there is nothing between.
    std::vector<Vertex> diamond(Vertex v) const {
        std::vector<Vertex> stages;
        if (!joins[v]) {
            return stages;
        }
        std::set<Vertex> reached = {v};
        for (Vertex w = v; w < *joins[v]; w++) {
            if (reached.count(w)) {
                stages.push_back(w);
                for (const Vertex consumer : consumers_of(graph, w)) {
                    reached.insert(consumer);
                }
            }
        }
        std::erase_if(stages, [&](Vertex w) { return w != v && assignment.placement[w] != Placement::Root; });
        return stages.size() > 1 ? stages : std::vector<Vertex>();
    }

    void reconsider(Vertex v) {
        if (best[v]) {
            queue.erase({-best[v]->benefit(), v});
            best[v].reset();
        }
        const bool is_input = graph[v].role == Role::Input;
        if (assignment.placement[v] != Placement::Root || (!is_input && !is_kernel(graph, assignment, v))) {
            return;
        }
        std::vector<std::optional<Proposal>> proposals;
        if (!is_input && is_read_transposed(v)) {
            proposals.push_back(propose({v}, Placement::AtBlock));
        }
        if (is_input) {
            decide_input(v);
        } else {
            proposals.push_back(propose({v}, Placement::Inlined));
            if (const auto stages = diamond(v); !stages.empty()) {
                proposals.push_back(propose(stages, Placement::Inlined));
            }
        }
        for (const auto &proposal : proposals) {
            if (!proposal) {
                continue;
            }
            const bool allowed = proposal->judgement.decision.allowed();
            if (allowed && (!best[v] || proposal->benefit() > best[v]->benefit())) {
                best[v] = proposal;
            }
            // The plain proposal's reason is the one that a reader of the plan looks for.
            if (!allowed && proposal->stages.size() == 1 && proposal->placement == Placement::Inlined) {
                decided[v] = {false, proposal->judgement.rule, proposal->judgement.decision.why(), proposal->apart_us,
                              proposal->fused_us, 0};
            }
        }
        if (best[v]) {
            queue.insert({-best[v]->benefit(), v});
        }
    }

    void take(const Proposal &proposal, int step) {
        std::set<Vertex> touched(proposal.stages.begin(), proposal.stages.end());
        for (const Vertex v : proposal.stages) {
            assignment.placement[v] = proposal.placement;
            decided[v] = {true, proposal.placement == Placement::AtBlock ? kTransposedTile : proposal.judgement.rule, "",
                          proposal.apart_us, proposal.fused_us, step};
        }
        for (const Vertex v : proposal.gone) {
            kernels.erase(v);
        }
        for (const Group &group : proposal.changed) {
            kernels[group.outputs[0]] = group;
            touched.insert(group.outputs.begin(), group.outputs.end());
            for (const Input &input : group.inputs) {
                touched.insert(input.producer);
            }
        }
        // Whatever else reads the same buffers, or is read by a changed kernel, has another price now.
        for (const Vertex v : touched) {
            reconsider(v);
            for (const Vertex producer : producers_of(graph, v)) {
                if (!touched.count(producer)) {
                    reconsider(producer);
                }
            }
        }
    }
};

/// A stage that several kernels compute is computed again by all but the first.
void count_recomputation(const StageGraph &graph, Plan &plan, const Device &device) {
    std::set<Vertex> computed;
    for (Group &group : plan.groups) {
        for (Member &member : group.members) {
            member.computed_before = !computed.insert(member.stage).second;
        }
        group.price = price_kernel(graph, group, group.tile, device, plan.register_cap);
    }
}

void check_can_run(const StageGraph &graph, const Assignment &assignment) {
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        const Stage &stage = graph[v];
        if (assignment.placement[v] == Placement::Host || stage.role == Role::Input || stage.scheduled_by_user) {
            continue;
        }
        if (!stage.gpu_refusal.empty()) {
            throw UserError(stage.gpu_refusal);
        }
        if (stage.unbounded && stage.has_updates) {
            throw UserError("Func \"" + stage.func + "\" is read at places that have no bound in " + stage.unbounded_dims +
                            ", and it has update definitions, so it must be stored. Next step: clamp the index that reads it.");
        }
    }
}

}  // namespace

Plan make_plan(const StageGraph &graph, const Device &device, const PlanOptions &options) {
    Plan plan;
    plan.variant = options.variant;
    plan.register_cap = options.register_cap > 0 ? options.register_cap : (int)device.registers_per_thread;
    Planner planner(graph, device, plan.register_cap);
    check_can_run(graph, planner.assignment);
    if (options.variant == Variant::Fused) {
        planner.run();
        plan.joins = join_siblings(graph, device, plan.register_cap, planner.assignment, planner.kernels);
    } else if (options.variant == Variant::Inlined) {
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const bool can_inline = graph[v].role == Role::Intermediate && !graph[v].has_updates && !graph[v].is_extern &&
                                    planner.assignment.placement[v] == Placement::Root && !graph[v].scheduled_by_user;
            if (can_inline) {
                planner.assignment.placement[v] = Placement::Inlined;
            }
        }
        planner.kernels = make_kernels(graph, planner.assignment, device, plan.register_cap);
    }
    plan.placement = planner.assignment.placement;
    plan.groups = in_order_of_execution(planner.kernels);
    count_recomputation(graph, plan, device);
    plan.verdicts = make_verdicts(graph, plan, planner.decided);
    return plan;
}

}  // namespace fusion

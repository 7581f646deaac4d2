#include <algorithm>
#include <optional>
#include <set>

#include "fusion/error.h"
#include "fusion/fold_steps.h"
#include "fusion/kernels.h"
#include "fusion/plan.h"
#include "fusion/price.h"
#include "fusion/proposal.h"
#include "fusion/reduction_kernel.h"
#include "fusion/rules.h"
#include "fusion/siblings.h"
#include "fusion/verdicts.h"

namespace fusion {
namespace {

/// A move must gain this much of the price, or rounding would undo what fusing decided.
constexpr double kLeastGain = 0.99;

/// Post-dominators of a reduction up to which what lies between is tried as one change.
constexpr int kMostJoins = 3;

class Planner {
public:
    Planner(const StageGraph &graph, const Device &device, const Limits &limits)
        : draft{graph, device, limits, all_stored(graph), {}}, decided(num_vertices(graph)), graph(graph),
          joins(post_dominators(graph)), steps(stages_of_steps(graph)) {
        draft.kernels = make_kernels(graph, draft.assignment, device, limits);
        keep_private(graph, draft.assignment, draft.kernels, device, limits);
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            reconsider(v);
        }
    }

    /// Takes the best candidate until none is left, then the best move, which can make room for further candidates. Each
    /// lowers the price.
    void run() {
        int step = 0;
        std::optional<Proposal> move;
        do {
            while (!queue.empty()) {
                const Vertex v = queue.begin()->second;
                const double promised = best[v]->benefit();
                reconsider(v);  // the far end of a diamond may have changed without touching its top
                if (best[v] && best[v]->benefit() == promised) {
                    const Proposal proposal = *best[v];
                    take(proposal, ++step);
                }
            }
            move = best_move();
            if (move) {
                take_move(*move, ++step);
            }
        } while (move);
    }

    Draft draft;
    std::vector<Decided> decided;  ///< by stage

private:
    const StageGraph &graph;
    const std::vector<std::optional<Vertex>> joins;
    const std::vector<std::vector<Vertex>> steps;
    std::set<std::pair<double, Vertex>> queue;  ///< (-benefit, stage)
    std::map<Vertex, std::optional<Proposal>> best;

    /// Inputs are never candidates for inlining, but their edges have a verdict too.
    void decide_input(Vertex v) {
        const Judgement legality = judge_legality(draft, v, Placement::Inlined);
        decided[v] = {false, legality.rule, legality.decision.why(), 0, 0, 0};
    }

    /// All stages from `v` to `join`, where its paths have joined again, `v` first; empty when there is nothing between.
    std::vector<Vertex> diamond(Vertex v, Vertex join) const {
        std::vector<Vertex> stages;
        std::set<Vertex> reached = {v};
        for (Vertex w = v; w < join; w++) {
            if (reached.count(w)) {
                stages.push_back(w);
                for (const Vertex consumer : consumers_of(graph, w)) {
                    reached.insert(consumer);
                }
            }
        }
        std::erase_if(stages, [&](Vertex w) { return w != v && draft.assignment.placement[w] != Placement::Root; });
        return stages.size() > 1 ? stages : std::vector<Vertex>();
    }

    void reconsider(Vertex v) {
        if (best[v]) {
            queue.erase({-best[v]->benefit(), v});
            best[v].reset();
        }
        const bool is_input = graph[v].role == Role::Input;
        if (draft.assignment.placement[v] != Placement::Root) {
            return;
        }
        std::vector<std::optional<Proposal>> proposals;
        const bool reduces = is_reduction(graph[v]) && graph[v].role != Role::Output;
        if (!is_input && (reduces || is_read_transposed(draft, v))) {
            proposals.push_back(propose_fusion(draft, {v}, Placement::AtBlock));
        }
        if (is_input) {
            decide_input(v);
        } else {
            const Placement placement = reduces ? Placement::AtBlock : Placement::Inlined;
            if (!reduces) {
                proposals.push_back(propose_fusion(draft, {v}, placement));
            }
            if (!reduces && is_shared_by_readers(graph, v)) {
                proposals.push_back(propose_fusion(draft, {v}, Placement::AtThread));
                proposals.push_back(propose_fusion(draft, {v}, Placement::AtBlock));
            }
            if (!reduces && steps[v].size() > 1) {
                proposals.push_back(propose_fusion(draft, steps[v], Placement::AtBlock));
            }
            // Of a reduction that gains nothing so far also up to a later join: it may take more to finish what a row needs.
            const auto is_allowed = [](const auto &p) { return p && p->judgement.decision.allowed(); };
            std::optional<Vertex> join = joins[v];
            for (int level = 0; join && level < (reduces ? kMostJoins : 1); level++, join = joins[*join]) {
                if (level > 0 && std::any_of(proposals.begin(), proposals.end(), is_allowed)) {
                    break;
                }
                if (const auto stages = diamond(v, *join); !stages.empty()) {
                    proposals.push_back(propose_fusion(draft, stages, placement));
                }
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
            if (!allowed && proposal->stages.size() == 1 && (reduces || proposal->placement == Placement::Inlined)) {
                decided[v] = {false,
                              proposal->judgement.rule,
                              proposal->judgement.decision.why(),
                              proposal->apart_us,
                              proposal->fused_us,
                              0};
            }
        }
        if (best[v]) {
            queue.insert({-best[v]->benefit(), v});
        }
    }

    std::optional<Proposal> best_move() const {
        std::optional<Proposal> found;
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const Stage &stage = graph[v];
            const Placement now = draft.assignment.placement[v];
            if (now == Placement::Root || now == Placement::Host || stage.unbounded || stage.scheduled_by_user ||
                (stage.has_updates && now != Placement::Inlined) || is_reduction(stage)) {
                continue;
            }
            for (const Placement placement :
                 {Placement::Root, Placement::Inlined, Placement::AtThread, Placement::AtBlock}) {
                if (placement == now) {
                    continue;
                }
                std::optional<Proposal> move = propose_move(draft, v, placement);
                const bool pays = move && move->apart_us < move->fused_us * kLeastGain;
                if (pays && (!found || move->benefit() < found->benefit())) {
                    found = std::move(move);
                }
            }
        }
        return found;
    }

    void take_move(const Proposal &move, int step) {
        const Vertex v = move.stages[0];
        draft.assignment.placement[v] = move.placement;
        if (move.placement == Placement::Root) {
            decided[v] = {false,         move.judgement.rule, move.judgement.decision.why(),
                          move.apart_us, move.fused_us,       step};
        } else {
            decided[v] = {true, rule_of(move), "", move.fused_us, move.apart_us, step};
        }
        for (const Group &group : move.changed) {
            draft.kernels[group.outputs[0]] = group;
        }
        // Kept for a tile it costs its producers less than computed at each use.
        for (const Group &group : move.changed) {
            for (const Input &input : group.inputs) {
                reconsider(input.producer);
            }
        }
    }

    const char *rule_of(const Proposal &proposal) const {
        const Vertex v = proposal.stages.front();
        if (proposal.placement == Placement::Inlined) {
            return proposal.judgement.rule;
        }
        const bool is_of_step = proposal.placement == Placement::AtBlock && proposal.stages.size() > 1;
        return is_reduction(graph[v])                         ? kRowResident
               : is_of_step || is_shared_by_readers(graph, v) ? kStencilTile
                                                              : kTransposedTile;
    }

    void take(const Proposal &proposal, int step) {
        std::set<Vertex> touched(proposal.stages.begin(), proposal.stages.end());
        for (const Vertex v : proposal.stages) {
            draft.assignment.placement[v] = placement_in(draft, proposal.stages, v, proposal.placement);
            decided[v] = {true, rule_of(proposal), "", proposal.apart_us, proposal.fused_us, step};
        }
        for (const Vertex v : proposal.gone) {
            draft.kernels.erase(v);
        }
        for (const Vertex v : proposal.stored) {
            draft.assignment.placement[v] = Placement::Root;
        }
        for (const Group &group : proposal.changed) {
            draft.kernels[group.outputs[0]] = group;
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
            throw UserError(
                "Func \"" + stage.func + "\" is read at places that have no bound in " + stage.unbounded_dims +
                ", and it has update definitions, so it must be stored. Next step: clamp the index that reads it.");
        }
    }
}

}  // namespace

Plan make_plan(const StageGraph &graph, const Device &device, const PlanOptions &options) {
    Plan plan;
    plan.variant = options.variant;
    plan.rewrites = options.rewrites;
    plan.register_cap = options.register_cap > 0 ? options.register_cap : (int)device.registers_per_thread;
    const Limits limits{plan.register_cap, options.max_vector, options.counts_shared};
    Planner planner(graph, device, limits);
    check_can_run(graph, planner.draft.assignment);
    if (options.variant == Variant::Fused) {
        planner.run();
        plan.joins = join_siblings(graph, device, limits, planner.draft.assignment, planner.draft.kernels);
    } else if (options.variant == Variant::Inlined) {
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const bool can_inline = graph[v].role == Role::Intermediate && !graph[v].has_updates &&
                                    !graph[v].is_extern && !graph[v].partly_read && graph[v].kept_apart.empty() &&
                                    planner.draft.assignment.placement[v] == Placement::Root &&
                                    !graph[v].scheduled_by_user;
            if (can_inline) {
                planner.draft.assignment.placement[v] = Placement::Inlined;
            }
        }
        planner.draft.kernels = make_kernels(graph, planner.draft.assignment, device, limits);
    }
    plan.placement = planner.draft.assignment.placement;
    plan.groups = in_order_of_execution(planner.draft.kernels);
    count_recomputation(graph, plan, device);
    plan.verdicts = make_verdicts(graph, plan, planner.decided);
    return plan;
}

}  // namespace fusion

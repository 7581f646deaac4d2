#include "fusion/proposal.h"

#include <algorithm>
#include <limits>
#include <set>

#include "fusion/fold_steps.h"
#include "fusion/folded_kernel.h"
#include "fusion/footprint.h"
#include "fusion/rate.h"
#include "fusion/reduction_kernel.h"
#include "fusion/stencil_kernel.h"

namespace fusion {
namespace {

std::vector<Edge> edges_from(const Draft &draft, Vertex v) {
    return {out_edges(v, draft.graph).first, out_edges(v, draft.graph).second};
}

std::vector<Vertex> readers_of(const Draft &draft, Vertex buffer) {
    std::vector<Vertex> readers;
    for (const auto &[leader, group] : draft.kernels) {
        const bool reads =
            std::any_of(group.inputs.begin(), group.inputs.end(), [&](const Input &i) { return i.producer == buffer; });
        if (reads) {
            readers.push_back(leader);
        }
    }
    return readers;
}

/// Kept for the kernel's blocks or threads (not: what a reduction starts from). Such a stage has one place: no other kernel
/// may compute it.
bool is_kept(const StageGraph &graph, const Member &member) {
    return member.placement == Placement::AtBlock ||
           (member.placement == Placement::AtThread && !graph[member.stage].has_updates);
}

bool keeps_stages(const StageGraph &graph, const Group &group) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return is_kept(graph, m); });
}

}  // namespace

Judgement judge_legality(const Draft &draft, Vertex v, Placement placement) {
    Candidate candidate{draft.graph, draft.device, v, placement, edges_from(draft, v)};
    return judge(candidate, RuleKind::Legality);
}

Placement placement_in(const Draft &draft, const std::vector<Vertex> &stages, Vertex stage, Placement placement) {
    const StageGraph &graph = draft.graph;
    if (placement != Placement::AtBlock || stages.size() == 1 || is_reduction(graph[stage])) {
        return placement;
    }
    if (is_reduction(graph[stages.front()])) {
        return Placement::Inlined;
    }
    // Stages of a fold's steps.
    return is_shared_in_step(graph, stages, stage) ? Placement::AtBlock : Placement::Inlined;
}

std::optional<Proposal> propose_fusion(const Draft &draft, const std::vector<Vertex> &stages, Placement placement) {
    Proposal proposal;
    proposal.stages = stages;
    proposal.placement = placement;
    std::set<Vertex> readers;
    for (const Vertex v : stages) {
        const Judgement legality = judge_legality(draft, v, placement_in(draft, stages, v, placement));
        if (!legality.decision.allowed()) {
            proposal.judgement = legality;
            return proposal;
        }
        for (const Vertex reader : readers_of(draft, v)) {
            readers.insert(reader);
        }
        if (is_kernel(draft.graph, draft.assignment, v)) {
            proposal.gone.push_back(v);
        }
    }
    for (const Vertex v : proposal.gone) {
        readers.erase(v);
    }
    const bool reduces = is_reduction(draft.graph[stages.front()]);
    if (reduces && readers.size() > 1) {
        proposal.judgement = {Decision::forbid(std::to_string(readers.size()) +
                                               " kernels read it, and a block can keep it only for its own"),
                              kReductionBoundary};
        return proposal;
    }
    std::vector<Group> apart;
    Assignment changed = draft.assignment;
    for (const Vertex v : stages) {
        changed.placement[v] = placement_in(draft, stages, v, placement);
    }
    for (const Vertex v : proposal.gone) {
        apart.push_back(draft.kernels.at(v));
        for (const Member &member : draft.kernels.at(v).members) {
            if (readers.size() > 1 && member.placement == Placement::AtBlock &&
                is_reduction(draft.graph[member.stage])) {
                changed.placement[member.stage] = Placement::Root;
                proposal.stored.push_back(member.stage);
            }
        }
    }
    for (const Vertex v : proposal.stored) {
        proposal.changed.push_back(make_kernel(draft.graph, changed, {v}, draft.device, draft.limits));
    }
    for (const Vertex reader : readers) {
        apart.push_back(draft.kernels.at(reader));
        const auto outputs = launch_of(draft.graph, draft.assignment, reader);
        const bool own_loops = draft.kernels.at(reader).kind == Template::UserLoops ||
                               draft.kernels.at(reader).kind == Template::HostLoops;
        proposal.changed.push_back(make_kernel(draft.graph, changed, outputs, draft.device, draft.limits));
        const Group &after = proposal.changed.back();
        const bool keeps = keeps_stages(draft.graph, after);
        if (own_loops && keeps) {
            proposal.judgement = {Decision::forbid("its reader keeps its own loops"), kReductionBoundary};
            return placement == Placement::AtBlock && !reduces ? std::nullopt : std::optional(proposal);
        }
        if (after.kind == Template::Folded) {
            const Decision possible = can_fold(draft.graph, after);
            if (!possible.allowed()) {
                proposal.judgement = {possible, kStencilTile};
                return proposal;
            }
        }
        if (after.kind == Template::Reduction) {
            const Decision possible = can_reduce_in_block(draft.graph, after);
            if (!possible.allowed()) {
                proposal.judgement = {possible, kReductionBoundary};
                return proposal;
            }
            continue;
        }
        const bool is_other_tile = after.kind == Template::Transpose || after.kind == Template::Folded;
        if (after.kind == Template::Stencil || (keeps && !is_other_tile)) {
            const Decision possible = can_tile(draft.graph, after);
            if (!possible.allowed()) {
                proposal.judgement = {possible, kStencilTile};
                return proposal;
            }
        }
        const bool has_tiles = after.kind == Template::Transpose;
        const bool can_have_tiles = is_transposed_tile(draft.graph, after);
        if ((has_tiles && !can_have_tiles) || (keeps && readers.size() > 1)) {
            if (placement != Placement::Inlined) {
                return std::nullopt;
            }
            proposal.judgement = {Decision::forbid("the kernel of " + draft.graph[outputs[0]].func +
                                                   " keeps tiles, which cannot be computed with it inlined"),
                                  has_tiles ? kTransposedTile : kStencilTile};
            return proposal;
        }
    }
    Candidate candidate{draft.graph, draft.device,     stages.front(), placement, edges_from(draft, stages.front()),
                        &apart,      &proposal.changed};
    proposal.apart_us = candidate.apart_us();
    proposal.fused_us = candidate.fused_us();
    proposal.judgement = judge(candidate, RuleKind::Resource);
    if (proposal.judgement.decision.allowed()) {
        proposal.judgement = judge(candidate, RuleKind::Profit);
    }
    return proposal;
}

bool is_shared_by_readers(const StageGraph &graph, Vertex v) {
    const auto [begin, end] = out_edges(v, graph);
    const auto is_shared = [&](const Edge &e) { return graph[e].kind == ReadKind::Stencil || has_span(graph[e]); };
    return std::any_of(begin, end, is_shared) &&
           std::all_of(begin, end, [&](const Edge &e) { return is_sized(graph[e]); });
}

bool is_read_transposed(const Draft &draft, Vertex v) {
    for (const Vertex reader : readers_of(draft, v)) {
        for (const Input &input : draft.kernels.at(reader).inputs) {
            if (input.producer == v && !input.is_coalesced) {
                return true;
            }
        }
        for (const Staged &staged : draft.kernels.at(reader).staged) {
            if (staged.producer == v) {
                return true;
            }
        }
    }
    return false;
}

namespace {

/// Two of the kernels would each keep the same stage, which has one place only.
bool keep_the_same(const StageGraph &graph, const std::vector<Group> &kernels) {
    std::set<Vertex> kept;
    for (const Group &group : kernels) {
        for (const Member &member : group.members) {
            if (is_kept(graph, member) && !kept.insert(member.stage).second) {
                return true;
            }
        }
    }
    return false;
}

}  // namespace

std::optional<Proposal> propose_move(const Draft &draft, Vertex v, Placement placement) {
    Proposal move;
    move.stages = {v};
    move.placement = placement;
    Assignment changed = draft.assignment;
    changed.placement[v] = placement;
    std::vector<Group> before;
    for (const auto &[leader, group] : draft.kernels) {
        const bool computes =
            std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == v; });
        if (computes) {
            before.push_back(group);
            move.changed.push_back(make_kernel(draft.graph, changed, group.outputs, draft.device, draft.limits));
            const Group &after = move.changed.back();
            if (after.kind == Template::Stencil && !can_tile(draft.graph, after).allowed()) {
                return std::nullopt;
            }
            const bool is_fold = after.kind == Template::Folded, was_fold = group.kind == Template::Folded;
            if ((is_fold && !can_fold(draft.graph, after).allowed()) ||
                (was_fold && !is_fold && !can_reduce_in_block(draft.graph, after).allowed())) {
                return std::nullopt;
            }
        }
    }
    const bool is_stored = placement == Placement::Root;
    if (is_stored) {
        move.changed.push_back(make_kernel(draft.graph, changed, {v}, draft.device, draft.limits));
    } else if (before.size() != 1 || (before[0].kind != Template::Stencil && before[0].kind != Template::Folded) ||
               !judge_legality(draft, v, placement).decision.allowed()) {
        return std::nullopt;
    }
    const Candidate candidate{draft.graph,          draft.device,  v,      Placement::Inlined,
                              edges_from(draft, v), &move.changed, &before};
    move.apart_us = candidate.apart_us();
    move.fused_us = candidate.fused_us();
    // The kernels after the move must be possible too; of a cut the reason is why fusing was dearer.
    const Candidate after{draft.graph, draft.device, v, placement, edges_from(draft, v), &before, &move.changed};
    if (!judge(after, RuleKind::Resource).decision.allowed() || keep_the_same(draft.graph, move.changed)) {
        return std::nullopt;
    }
    move.judgement = judge(candidate, RuleKind::Profit);
    return move;
}

}  // namespace fusion

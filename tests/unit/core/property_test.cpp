/// What must hold of every plan, on random graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "fusion/price.h"
#include "fusion/reduction_kernel.h"
#include "fusion/rules.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

bool is_stored(Placement placement) {
    return placement == Placement::Root || placement == Placement::Host;
}

bool belongs_to_a_reduction(const StageGraph &graph, Vertex v) {
    const bool is_followed = v + 1 < num_vertices(graph) && graph[v + 1].func_id == graph[v].func_id;
    return is_reduction(graph[v]) || (is_followed && is_reduction(graph[v + 1]));
}

std::set<std::string> valid_rule_ids() {
    std::set<std::string> ids = {kHorizontalSiblings, kUnboundedRegion, kTransposedTile, kVariant,
                                 kRowResident,        kAccumulator};
    for (const Rule &rule : rules()) {
        ids.insert(rule.id);
    }
    return ids;
}

/// Calls `check` for graphs of 5 to 40 stages with seeds 0 to 199.
template<typename Check>
void for_random_graphs(const Check &check) {
    for (unsigned seed = 0; seed < 200 && !::testing::Test::HasFatalFailure(); seed++) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        const StageGraph graph = random_graph(seed, 5 + (int)seed % 36);
        check(graph, plan_of(graph));
    }
}

TEST(EveryPlan, TakesNoMoreTimeThanUnfused) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        EXPECT_LE(time_of(plan), time_of(plan_of(graph, Variant::Unfused)) * (1 + 1e-9));
    });
}

TEST(EveryPlan, StoresEachStageThatIsNotInlinedInExactlyOneKernel) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        std::multiset<Vertex> stored;
        for (const Group &group : plan.groups) {
            stored.insert(group.outputs.begin(), group.outputs.end());
        }
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const bool wanted = graph[v].role != Role::Input && is_stored(plan.placement[v]);
            EXPECT_EQ(stored.count(v), wanted ? 1u : 0u) << stage_name(graph[v]);
        }
    });
}

TEST(EveryPlan, StoresOutputsUpdatesAndWhatItsAuthorScheduled) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            const bool is_updated = graph[v].has_updates && !belongs_to_a_reduction(graph, v);
            if (graph[v].role == Role::Output || is_updated || graph[v].scheduled_by_user) {
                EXPECT_EQ(plan.placement[v], Placement::Root) << stage_name(graph[v]);
            }
        }
    });
}

TEST(EveryPlan, StoresAReductionOrKeepsItForTheBlocksOfOneKernelThatCan) {
    int kept = 0;
    for_random_graphs([&](const StageGraph &graph, const Plan &plan) {
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            if (!is_reduction(graph[v]) || plan.placement[v] == Placement::Root) {
                continue;
            }
            EXPECT_EQ(plan.placement[v], Placement::AtBlock) << stage_name(graph[v]);
            const auto keeps = [&](const Group &group) { return has_member(group, v); };
            EXPECT_EQ(std::count_if(plan.groups.begin(), plan.groups.end(), keeps), 1) << stage_name(graph[v]);
            const auto group = std::find_if(plan.groups.begin(), plan.groups.end(), keeps);
            EXPECT_EQ(group->kind, Template::Reduction);
            const Decision possible = can_reduce_in_block(graph, *group);
            EXPECT_TRUE(possible.allowed()) << possible.why();
            kept++;
        }
    });
    EXPECT_GE(kept, 50) << "the graphs are not the ones meant";
}

TEST(EveryPlan, ComputesOrLoadsAllThatAKernelReads) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        for (const Group &group : plan.groups) {
            for (const Member &member : group.members) {
                for (const Vertex producer : producers_of(graph, member.stage)) {
                    const bool loaded = is_stored(plan.placement[producer]);
                    EXPECT_EQ(reads_buffer(group, producer), loaded)
                        << stage_name(graph[member.stage]) << " reads " << stage_name(graph[producer]);
                    EXPECT_TRUE(loaded || has_member(group, producer))
                        << stage_name(graph[member.stage]) << " reads " << stage_name(graph[producer]);
                }
                EXPECT_EQ(member.placement, plan.placement[member.stage]);
            }
        }
    });
}

TEST(EveryPlan, ListsKernelsInAnOrderInWhichTheyCanRun) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        std::set<Vertex> in_memory;
        for (const Group &group : plan.groups) {
            for (const Input &input : group.inputs) {
                EXPECT_TRUE(graph[input.producer].role == Role::Input || in_memory.count(input.producer))
                    << stage_name(graph[group.outputs[0]]) << " runs before " << stage_name(graph[input.producer]);
            }
            in_memory.insert(group.outputs.begin(), group.outputs.end());
        }
    });
}

TEST(EveryPlan, FusesNoEdgeWhosePlacesAreKnownOnlyWhenItRuns) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        const std::set<ReadKind> fusable = {ReadKind::Pointwise, ReadKind::Broadcast, ReadKind::Transposed,
                                            ReadKind::Reduction, ReadKind::Stencil,   ReadKind::Strided};
        for (const Verdict &verdict : plan.verdicts) {
            const bool starts = verdict.kind == ReadKind::InPlace && is_reduction(graph[verdict.consumer]);
            EXPECT_TRUE(verdict.verdict == "stored" || fusable.count(verdict.kind) || starts) << verdict.rule;
        }
    });
}

TEST(EveryPlan, FusesNoEdgeFromAnInput) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        for (const Verdict &verdict : plan.verdicts) {
            if (graph[verdict.producer].role == Role::Input) {
                EXPECT_EQ(verdict.verdict, "stored");
                EXPECT_EQ(verdict.rule, "pipeline-input");
            }
        }
    });
}

TEST(EveryPlan, HasAVerdictWithARuleAndAReasonOnEveryEdge) {
    for_random_graphs([](const StageGraph &graph, const Plan &) {
        static const std::set<std::string> ids = valid_rule_ids();
        for (const Variant variant : {Variant::Fused, Variant::Unfused, Variant::Inlined}) {
            const Plan any = plan_of(graph, variant);
            ASSERT_EQ(any.verdicts.size(), num_edges(graph));
            const std::vector<Edge> edges = edges_in_order(graph);
            for (size_t i = 0; i < edges.size(); i++) {
                const Verdict &verdict = any.verdicts[i];
                EXPECT_EQ(verdict.producer, source(edges[i], graph));
                EXPECT_EQ(verdict.consumer, target(edges[i], graph));
                EXPECT_TRUE(ids.count(verdict.rule)) << name_of(variant) << ": \"" << verdict.rule << "\"";
                EXPECT_NE(verdict.why, "") << name_of(variant) << ": " << stage_name(graph[verdict.producer]);
                EXPECT_EQ(verdict.verdict == "stored", is_stored(any.placement[verdict.producer]));
            }
        }
    });
}

TEST(EveryPlan, IsMadeTheSameASecondTime) {
    for_random_graphs([](const StageGraph &graph, const Plan &plan) {
        const Plan again = plan_of(graph);
        EXPECT_EQ(plan.placement, again.placement);
        ASSERT_EQ(plan.groups.size(), again.groups.size());
        for (size_t i = 0; i < plan.groups.size(); i++) {
            EXPECT_EQ(plan.groups[i].outputs, again.groups[i].outputs);
            EXPECT_EQ(plan.groups[i].tile, again.groups[i].tile);
            EXPECT_EQ(plan.groups[i].price.time_us, again.groups[i].price.time_us);
        }
        for (size_t i = 0; i < plan.verdicts.size(); i++) {
            EXPECT_EQ(plan.verdicts[i].rule, again.verdicts[i].rule);
            EXPECT_EQ(plan.verdicts[i].why, again.verdicts[i].why);
            EXPECT_EQ(plan.verdicts[i].step, again.verdicts[i].step);
        }
    });
}

TEST(EveryPlan, HasFiniteTimes) {
    for_random_graphs([](const StageGraph &, const Plan &plan) {
        for (const Group &group : plan.groups) {
            EXPECT_TRUE(std::isfinite(group.price.time_us));
            EXPECT_GT(group.price.time_us, 0);
            EXPECT_GT(group.price.occupancy, 0);
            EXPECT_LE(group.price.occupancy, 1);
        }
    });
}

}  // namespace
}  // namespace fusion::test

#include "fusion/ledger.h"

#include <gtest/gtest.h>

#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

TEST(CompulsoryBytes, AreEachInputAndEachOutputOnce) {
    EXPECT_EQ(compulsory_bytes(diamond({1000})), 8000);
    StageGraph graph = diamond({1000});
    graph[stage_named(graph, "left")].role = Role::Output;
    graph[stage_named(graph, "in")].value_bytes = 1;
    EXPECT_EQ(compulsory_bytes(graph), 9000);
}

TEST(CompulsoryBytes, CountAnOutputWithUpdatesOnce) {
    Builder b;
    const Vertex in = b.input("in", {100});
    const Vertex out = b.output("out", {100}, {{in}});
    const Vertex update = b.output("out", {100}, {{out, ReadKind::InPlace}});
    b[update].update = 1;
    EXPECT_EQ(compulsory_bytes(b.graph), 800);
}

TEST(CompulsoryBytes, AreLessThanAnyPlanMoves) {
    for (unsigned seed = 0; seed < 50; seed++) {
        const StageGraph graph = random_graph(seed, 20);
        double unread = 0;  // inputs that no stage happens to read
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            unread += graph[v].role == Role::Input && out_degree(v, graph) == 0
                          ? graph[v].elements() * graph[v].value_bytes
                          : 0;
        }
        const Plan plan = plan_of(graph), unfused = plan_of(graph, Variant::Unfused);
        const Ledger ledger = make_ledger(graph, plan, unfused);
        EXPECT_LE(ledger.compulsory_bytes - unread, ledger.planned.bytes_read + ledger.planned.bytes_written) << seed;
        EXPECT_LE(ledger.compulsory_bytes - unread, ledger.unfused.bytes_read + ledger.unfused.bytes_written) << seed;
    }
}

TEST(Ledger, AFusedChainMovesCompulsoryBytesAndUnfusedThreeTimesThat) {
    const StageGraph graph = chain(3, {1 << 20});
    const Ledger ledger = make_ledger(graph, plan_of(graph), plan_of(graph, Variant::Unfused));
    EXPECT_EQ(ledger.planned.bytes_read + ledger.planned.bytes_written, ledger.compulsory_bytes);
    EXPECT_EQ(ledger.unfused.bytes_read + ledger.unfused.bytes_written, 3 * ledger.compulsory_bytes);
    EXPECT_EQ(ledger.planned.launches, 1);
    EXPECT_EQ(ledger.unfused.launches, 3);
    EXPECT_LT(ledger.planned.time_us, ledger.unfused.time_us);
}

TEST(Ledger, AStageThatThreeKernelsComputeIsRecomputedByTwo) {
    const StageGraph graph = fan_out(3, {1 << 24}, 10);
    const Plan inlined = plan_of(graph, Variant::Inlined);
    const Ledger ledger = make_ledger(graph, inlined, plan_of(graph, Variant::Unfused));
    ASSERT_EQ(ledger.planned.launches, 3);
    EXPECT_EQ(ledger.planned.recomputed_flops, 2.0 * 10 * (1 << 24));
    EXPECT_EQ(ledger.planned.flops - ledger.planned.recomputed_flops, ledger.unfused.flops);
    EXPECT_EQ(ledger.unfused.recomputed_flops, 0);
}

TEST(Ledger, WhatIsRecomputedIsWhatUnfusedDoesNotCompute) {
    for (unsigned seed = 0; seed < 50; seed++) {
        const StageGraph graph = random_graph(seed, 20);
        const Ledger ledger = make_ledger(graph, plan_of(graph), plan_of(graph, Variant::Unfused));
        EXPECT_NEAR(ledger.planned.flops - ledger.planned.recomputed_flops, ledger.unfused.flops,
                    1e-9 * ledger.unfused.flops)
            << seed;
    }
}

TEST(Ledger, TotalsAreTheSumsOfTheKernels) {
    for (unsigned seed = 0; seed < 50; seed++) {
        const StageGraph graph = random_graph(seed, 20);
        const Plan plan = plan_of(graph);
        const Ledger ledger = make_ledger(graph, plan, plan_of(graph, Variant::Unfused));
        double bytes = 0, time = 0;
        int launches = 0;
        for (const Group &group : plan.groups) {
            bytes += group.price.bytes_read + group.price.bytes_written;
            time += group.price.time_us;
            launches += group.price.launches;
        }
        EXPECT_EQ(launches, (int)plan.groups.size()) << seed;
        EXPECT_EQ(ledger.planned.launches, launches) << seed;
        EXPECT_DOUBLE_EQ(ledger.planned.bytes_read + ledger.planned.bytes_written, bytes) << seed;
        EXPECT_DOUBLE_EQ(ledger.planned.time_us, time) << seed;
    }
}

}  // namespace
}  // namespace fusion::test

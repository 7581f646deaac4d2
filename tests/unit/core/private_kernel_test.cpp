#include "fusion/private_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/kernels.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Device &h200() {
    return device_named("H200");
}

/// in -> counts of `levels` a row of `width` -> output, which reads them where data say.
StageGraph histogram(int64_t levels, int64_t width, int64_t rows) {
    Builder b;
    const Vertex in = b.input("in", {width, rows});
    const Vertex counts = add_reduction(b, "counts", {levels, rows}, {width}, {{in, ReadKind::Reduction, 1, {2, 1}}});
    b.output("output", {width, rows}, {{counts, ReadKind::Gather, 1, {-1, 1}}, {in}});
    for (const Vertex v : {counts - 1, counts}) {
        b[v].most_extent = {levels, 0};
    }
    b[counts].folds = b[counts].reassociable = false;
    b[counts].scatters = true;
    b[counts].independent = {1};
    b[counts].places = Places::Data;
    return b.graph;
}

Vertex counts_of(const StageGraph &graph) {
    return stage_named(graph, "output") - 1;
}

TEST(PrivateKernel, OwnsTheDimensionsThatEveryDefinitionKeeps) {
    const StageGraph graph = histogram(256, 4096, 1000);
    EXPECT_THAT(definitions_of(graph, counts_of(graph)), ElementsAre(1u, 2u));
    EXPECT_THAT(owned_dims(graph, counts_of(graph)), ElementsAre(1));
    EXPECT_EQ(lane_dim(graph, counts_of(graph)), 0);
}

TEST(PrivateKernel, NeedsRoomThatDoesNotDependOnSizesKnownAtRunTime) {
    StageGraph graph = histogram(256, 4096, 1000);
    EXPECT_TRUE(can_be_private(graph, counts_of(graph), h200()));
    for (const Vertex v : {counts_of(graph) - 1, counts_of(graph)}) {
        graph[v].most_extent = {0, 0};
    }
    EXPECT_FALSE(can_be_private(graph, counts_of(graph), h200()));
}

TEST(PrivateKernel, FitsTheSharedMemoryOfABlock) {
    const StageGraph fits = histogram(11000, 4096, 1000), exceeds = histogram(12300, 4096, 1000);
    EXPECT_TRUE(can_be_private(fits, counts_of(fits), h200()));
    EXPECT_FALSE(can_be_private(exceeds, counts_of(exceeds), h200()));
}

TEST(PrivateKernel, LeavesOutputsAndWhatIsKeptApartAlone) {
    StageGraph graph = histogram(256, 4096, 1000);
    graph[counts_of(graph) - 1].kept_apart = "refused";
    EXPECT_FALSE(can_be_private(graph, counts_of(graph), h200()));
    graph[counts_of(graph) - 1].kept_apart.clear();
    graph[counts_of(graph)].role = Role::Output;
    EXPECT_FALSE(can_be_private(graph, counts_of(graph), h200()));
}

TEST(PrivateKernel, AThreadOwnsFewValuesAndABlockMany) {
    const StageGraph few = histogram(8, 64, 100000), many = histogram(4096, 4096, 1000);
    const Group of_few = kernel_storing(plan_of(few), counts_of(few)),
                of_many = kernel_storing(plan_of(many), counts_of(many));
    EXPECT_EQ(of_few.kind, Template::Private);
    EXPECT_EQ(of_many.kind, Template::Private);
    const auto owners = [&](const StageGraph &graph, const Group &group) {
        bool threads = false, blocks = false;
        for (const Tile &tile : private_tiles(graph, group, h200())) {
            (tile.reducing == 1 ? threads : blocks) = true;
        }
        return std::make_pair(threads, blocks);
    };
    EXPECT_EQ(owners(few, of_few), std::make_pair(true, true));
    EXPECT_EQ(owners(many, of_many), std::make_pair(false, true));
    EXPECT_GT(of_many.tile.reducing, 1);
    EXPECT_EQ(of_many.price.shared_bytes, 4096 * 4);
}

TEST(PrivateKernel, IsOneLaunchWhereTheParallelOneAndItsStartAreTwo) {
    StageGraph graph = histogram(256, 4096, 1000);
    const double together = time_of(plan_of(graph));
    graph[counts_of(graph)].most_extent = {};
    const Plan apart = plan_of(graph);
    EXPECT_EQ(kernel_storing(apart, counts_of(graph)).kind, Template::Parallel);
    EXPECT_LT(together, time_of(apart) / 4) << "a thread a row, each step waiting for memory";
}

TEST(PrivateKernel, KeepsItsReadersFromReachingPastTheWrapperThatItStores) {
    StageGraph graph = histogram(64, 64, 4096);
    Builder b;
    b.graph = graph;
    const Vertex counts = counts_of(graph);
    b.output("turned", {4096, 64}, {{counts, ReadKind::Transposed, 1, {1, 0}}});
    b[counts].can_be_staged = true;
    const Plan plan = plan_of(b.graph);
    EXPECT_EQ(kernel_storing(plan, counts).kind, Template::Private);
    EXPECT_THAT(kernel_storing(plan, num_vertices(b.graph) - 1).staged, IsEmpty());
}

/// in -> parts (64 places of 64 parts of each row), of which a thread scans one each; then all are combined -> output.
StageGraph scan_of_parts(int64_t rows) {
    Builder b;
    const Vertex in = b.input("in", {4096, rows});
    const Vertex scanned = add_reduction(b, "scanned", {64, 64, rows}, {63}, {});
    const Vertex combined = b.stage("scanned", {64, 64, rows}, {{scanned, ReadKind::InPlace, 1, {-1, -1, -1}}}, 1);
    b.output("output", {4096, rows}, {{combined, ReadKind::Strided, 1, {-1, -1, 1}}});
    add_edge(in, scanned - 1, {.kind = ReadKind::Strided, .follows = {-1, 2}, .region = b[in].dims}, b.graph);
    b[combined].func_id = b[scanned].func_id;
    b[combined].update = 2;
    b[combined].has_updates = true;
    b[combined].reduction = {{"t", 0, 64}, {"s", 0, 64}};
    b[combined].unordered = {0, 1};
    for (const Vertex v : {scanned - 1, scanned, combined}) {
        b[v].most_extent = {64, 64, 0};
        b[v].folds = b[v].reassociable = false;
        b[v].places = Places::Loops;
    }
    b[scanned - 1].independent = {0, 1, 2};
    b[scanned].independent = {1, 2};
    b[combined].independent = {2};
    return b.graph;
}

TEST(PrivateKernel, ThreadsOfABlockShareTheLoopsThatHaveNoOrder) {
    const StageGraph graph = scan_of_parts(1000);
    const Vertex combined = stage_named(graph, "output") - 1, scanned = combined - 1;
    EXPECT_THAT(owned_dims(graph, combined), ElementsAre(2));
    EXPECT_THAT(shared_loops(graph, scanned).dims, ElementsAre(1));
    EXPECT_THAT(shared_loops(graph, scanned).rvars, IsEmpty());
    EXPECT_THAT(shared_loops(graph, combined).dims, IsEmpty());
    EXPECT_THAT(shared_loops(graph, combined).rvars, ElementsAre(0, 1));
    const StageGraph rows = histogram(256, 4096, 1000);
    EXPECT_TRUE(shared_loops(rows, counts_of(rows)).empty());
}

TEST(PrivateKernel, ThreadsThatWalkPartsAreNotInTheSameBank) {
    StageGraph graph = scan_of_parts(1000);
    const Vertex combined = stage_named(graph, "output") - 1;
    EXPECT_EQ(kept_extent(graph, combined, 0), 65);
    EXPECT_EQ(kept_extent(graph, combined, 1), 64);
    EXPECT_EQ(kept_extent(graph, combined, 2), 1) << "a block has one row";
    for (Vertex v = combined - 2; v <= combined; v++) {
        graph[v].most_extent[0] = 63;
    }
    EXPECT_EQ(kept_extent(graph, combined, 0), 63) << "odd as it is";
}

TEST(PrivateKernel, IsCheaperTheMoreThreadsShareItsSteps) {
    StageGraph graph = scan_of_parts(1000);
    const Vertex combined = stage_named(graph, "output") - 1;
    const Plan plan = plan_of(graph);
    const Group &together = kernel_storing(plan, combined);
    EXPECT_EQ(together.kind, Template::Private);
    EXPECT_EQ(together.price.shared_bytes, 65 * 64 * 4);
    EXPECT_LT(together.price.time_us, 20);
    graph[combined].unordered = {};
    EXPECT_GT(time_of(plan_of(graph)), 2 * plan.groups[0].price.time_us) << "4096 steps by one thread";
}

TEST(PrivateKernel, WhatIsTheSameForASharedLoopIsOutsideOfIt) {
    StageGraph graph = histogram(256, 8192, 1000);
    const Vertex counts = counts_of(graph);
    const auto instructions = [&] {
        const Plan plan = plan_of(graph);
        return owned_work(graph, kernel_storing(plan, counts), {.threads = 256, .reducing = 256}, h200()).instructions;
    };
    // Loops: level, row, r.
    graph[counts].work = {.arithmetic = 100, .shares = {{0b100, 100}}};
    const double inside = instructions();
    graph[counts].work.shares = {{0b100, 20}, {0b010, 80}};
    EXPECT_NEAR(inside - instructions(), 80 * (1 - 1.0 / 32) * 8192 * 1000, 1) << "32 turns of 256 threads";
}

TEST(PrivateKernel, SaysWhoseMemoryItIs) {
    const StageGraph graph = histogram(4096, 4096, 1000);
    const Verdict verdict = verdict_on(plan_of(graph), counts_of(graph) - 1, counts_of(graph));
    EXPECT_EQ(verdict.verdict, "fused");
    EXPECT_EQ(verdict.rule, "private-memory");
    EXPECT_THAT(verdict.why, ::testing::HasSubstr("a block has its points in shared memory"));
}

}  // namespace
}  // namespace fusion::test

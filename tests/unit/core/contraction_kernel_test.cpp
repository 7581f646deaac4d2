#include "fusion/contraction_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/choose_tile.h"
#include "fusion/price.h"
#include "fusion/reduction_kernel.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A product of matrices, product(x, y) = sum of a(x, r) * b(r, y), and a stage that reads each point of it.
StageGraph product(int64_t width, int64_t height, int64_t terms) {
    Builder builder;
    const Vertex a = builder.input("a", {width, terms}), b = builder.input("b", {terms, height});
    const Vertex sum = add_reduction(builder, "product", {width, height}, {terms},
                                     {{a, ReadKind::Reduction, 1, {0, 2}}, {b, ReadKind::Reduction, 1, {2, 1}}},
                                     Role::Intermediate, 6);
    builder.output("output", {width, height}, {{sum}});
    return builder.graph;
}

Tile tile(int vector, int per_thread, int lanes, int threads) {
    return {.vector = vector, .per_thread = per_thread, .threads = threads, .lanes = lanes, .dims = {.x = 0, .y = 1}};
}

TEST(CanContract, AProductWhoseReaderIsPure) {
    const StageGraph graph = product(256, 128, 64);
    EXPECT_TRUE(can_contract(graph, block_kernel(graph)).allowed());
}

TEST(CanContract, NotWhatTheCallerStores) {
    const StageGraph graph = row_sum(64, 64);
    const Decision decision = can_contract(graph, block_kernel(graph));
    EXPECT_FALSE(decision.allowed());
    EXPECT_THAT(decision.why(), HasSubstr("sum is stored by the caller"));
}

TEST(CanContract, NotPointsThatShareAReduction) {
    const StageGraph graph = softmax(64, 64);
    EXPECT_THAT(can_contract(graph, block_kernel(graph)).why(), HasSubstr("share a reduction"));
}

TEST(CanContract, NotWideValues) {
    StageGraph graph = product(256, 128, 64);
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        graph[v].element_bytes = {8};
    }
    EXPECT_THAT(can_contract(graph, block_kernel(graph)).why(), HasSubstr("64-bit"));
}

TEST(CanContract, NotWhatIsReadInTwoWays) {
    Builder builder;
    const Vertex a = builder.input("a", {64, 64}), b = builder.input("b", {64, 64});
    const Vertex sum = add_reduction(builder, "sum", {64, 64}, {64},
                                     {{a, ReadKind::Reduction, 1, {0, 2}}, {b, ReadKind::Reduction, 1, {2, 1}}});
    builder.output("output", {64, 64}, {{sum}, {sum, ReadKind::Transposed}});
    EXPECT_THAT(can_contract(builder.graph, block_kernel(builder.graph)).why(), HasSubstr("other points"));
}

TEST(ContractionTiles, HaveWholeVectorsAndRoom) {
    const StageGraph graph = product(256, 128, 64), odd = product(255, 128, 64), low = product(256, 1, 64);
    const std::vector<Tile> tiles = contraction_tiles(graph, block_kernel(graph), {});
    ASSERT_FALSE(tiles.empty());
    for (const Tile &t : tiles) {
        EXPECT_TRUE(is_contraction(t));
        EXPECT_EQ(t.dims, (TiledDims{.x = 0, .y = 1}));
    }
    EXPECT_THAT(contraction_tiles(odd, block_kernel(odd), {}), IsEmpty());
    EXPECT_THAT(contraction_tiles(low, block_kernel(low), {}), IsEmpty());
}

TEST(ContractionWork, SharesWhatSeveralPointsLoad) {
    const StageGraph graph = product(256, 128, 64);
    const Group group = block_kernel(graph);
    const double few = contraction_work(graph, group, tile(4, 2, 32, 128)).instructions,
                 many = contraction_work(graph, group, tile(4, 8, 32, 128)).instructions;
    EXPECT_LT(many, few);
    EXPECT_GE(many, 256.0 * 128 * 64) << "each multiply-add is at least one";
    const ContractionWork rows = contraction_work(graph, group, tile(4, 8, 8, 128));
    EXPECT_GT(rows.instructions, many) << "the rows of a warp ask for lines of their own";
}

TEST(ContractionWork, CountsThreadsWithoutPoints) {
    const StageGraph graph = product(64, 128, 64);
    const Group group = block_kernel(graph);
    EXPECT_DOUBLE_EQ(contraction_work(graph, group, tile(4, 8, 16, 128)).padding, 1);
    EXPECT_DOUBLE_EQ(contraction_work(graph, group, tile(4, 8, 32, 128)).padding, 2);
    EXPECT_DOUBLE_EQ(contraction_work(graph, group, tile(4, 8, 16, 128)).blocks, 2);
}

/// sum(x, y) of a(x, y + r1) * b(r0, r1), over r0 and a window r1.
StageGraph windowed(int64_t steps) {
    Builder builder;
    const Vertex a = builder.input("a", {256, 128 + steps}), b = builder.input("b", {64, steps});
    const Vertex sum = add_reduction(builder, "sum", {256, 128}, {64, steps},
                                     {{a, ReadKind::Reduction, 1, {0, -1}}, {b, ReadKind::Reduction, 1, {2, 3}}});
    builder.output("output", {256, 128}, {{sum}});
    for (const Edge e : edges_in_order(builder.graph)) {
        if (source(e, builder.graph) == a) {
            builder.graph[e].runs = {0, 1};
            builder.graph[e].slides = {-1, 3};
        }
    }
    return builder.graph;
}

TEST(ContractionWork, LoadsOnceWhatRowsAndStepsOfAShortWindowShare) {
    const StageGraph within = windowed(5), beyond = windowed(6);
    const auto reduction = [](const StageGraph &graph) { return reductions_of(graph, block_kernel(graph))[0].stage; };
    EXPECT_EQ(windows_of(within, reduction(within), 1), (std::vector<int>{1}));
    EXPECT_THAT(windows_of(within, reduction(within), 0), IsEmpty()) << "it slides along the rows";
    EXPECT_THAT(windows_of(beyond, reduction(beyond), 1), IsEmpty());
    const auto a_step = [&](const StageGraph &graph) {
        const ContractionWork work = contraction_work(graph, block_kernel(graph), tile(4, 4, 32, 128));
        return work.instructions / graph[reduction(graph)].points();
    };
    EXPECT_LT(a_step(within), 0.95 * a_step(beyond));
    const Group group = block_kernel(within);
    EXPECT_EQ(contraction_work(within, group, tile(4, 4, 32, 128)).turns, 64 / 4);
}

TEST(ContractionWork, WaitsInRoundsWithoutRegistersForTheLoadsOfATurn) {
    const ContractionWork work{.turns = 256, .turn_registers = 48, .step_registers = 12};
    const double all_at_once = waiting_us(work, 96, 96);
    EXPECT_EQ(waiting_us(work, 96, 128), all_at_once);
    EXPECT_GT(waiting_us(work, 96, 64), 2 * all_at_once) << "mat_mul 1024, 4 x 8 points: 2.1 times the time under 64";
    EXPECT_EQ(waiting_us(work, 255, 64), waiting_us(work, 255, 96)) << "never less than a step at once";
}

TEST(ContractionPrice, IsChosenForAProductAndFarBelowThatOfSinglePoints) {
    const StageGraph graph = product(1024, 1024, 1024);
    Group group = block_kernel(graph);
    const Device &device = device_named("H200");
    choose_tile(graph, group, device, {});
    EXPECT_TRUE(is_contraction(group.tile));
    const Tile shared{.threads = 128, .reducing = 32};
    EXPECT_LT(3 * group.price.time_us, price_kernel(graph, group, shared, device, 64).time_us);
}

}  // namespace
}  // namespace fusion::test

/// Pipelines drawn at random are planned, run at random sizes and compared exactly with the reference.
/// FUSION_RANDOM_SEEDS in the environment: how many seeds, from 1 on; default 25.
#include "tests/pipelines/random_graph.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/pipelines/seeds.h"

namespace fusion {
namespace {

const uint32_t kFirstSeed = 1, kSeeds = number("FUSION_RANDOM_SEEDS", 25);

class RandomGraphs : public ::testing::TestWithParam<uint32_t> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

std::vector<Region> regions_of(const RandomGraph &graph, const Region &plane) {
    std::vector<Region> regions;
    for (const Shape shape : graph.outputs) {
        regions.push_back(region_of(shape, plane));
    }
    return regions;
}

TEST_P(RandomGraphs, AreRight) {
    const uint32_t seed = GetParam();
    const RandomGraph graph = random_graph(seed);
    Runner runner(graph.builder, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    std::mt19937 random(seed);
    const std::vector<int> extents = {1, 2, 3, 17, 64, 127, 255, 257, 509};
    const auto extent = [&] { return extents[random() % extents.size()]; };
    const auto min = [&] { return (int)(random() % 9) - 4; };
    runner.check(regions_of(graph, of({extent(), extent()})), Memory::Dense, seed);
    runner.check(regions_of(graph, at({min(), min()}, {extent(), extent()})), Memory::Padded, seed);
    runner.check(regions_of(graph, at({min(), min()}, {extent(), extent()})), Memory::Misplaced, seed);
    runner.check(regions_of(graph, of({128, 64})), Memory::Dense, seed);
}

INSTANTIATE_TEST_SUITE_P(, RandomGraphs, ::testing::Range(kFirstSeed, kFirstSeed + kSeeds), seed_name);

/// Seeds that once failed, each with what it was.
/// Limit: 127 and 138 still do. Halide 21 writes OpenCL C for a vector of theirs that no compiler takes (uchar4 = short4).
INSTANTIATE_TEST_SUITE_P(Once, RandomGraphs,
                         ::testing::Values(31u,     // an input that no value depends on, found only by simplification
                                           74u,     // the same for a tile: Halide crashed
                                           102u,    // a pipeline that reads nothing
                                           115u));  // vectors that Halide cannot compile for OpenCL: scalars instead

/// The test draws what it says it draws.
TEST(RandomGraph, DrawsEveryKindAndIsRepeatable) {
    int several_outputs = 0, transposed = 0, broadcast = 0, read_outputs = 0;
    for (uint32_t seed = kFirstSeed; seed < kFirstSeed + 25; seed++) {
        const RandomGraph graph = random_graph(seed);
        EXPECT_EQ(graph.outputs, random_graph(seed).outputs);
        several_outputs += graph.outputs.size() > 1;
        const PipelineView view = read_pipeline(functions_of(graph.builder().pipeline));
        for (const Edge &e : edges_in_order(view.graph)) {
            transposed += view.graph[e].kind == ReadKind::Transposed;
            broadcast += view.graph[e].kind == ReadKind::Broadcast;
            read_outputs += view.graph[source(e, view.graph)].role == Role::Output;
        }
    }
    EXPECT_GE(several_outputs, 5);
    EXPECT_GE(transposed, 5);
    EXPECT_GE(broadcast, 5);
    EXPECT_GE(read_outputs, 5);
}

}  // namespace
}  // namespace fusion

#include "fusion/choose_tile.h"

#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "fusion/price.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

const Device &h200() {
    return device_named("H200");
}

/// A chain of one stage whose input and output have so many bytes an element.
StageGraph of_bytes(int in, int out) {
    StageGraph graph = chain(1, {1 << 14, 1 << 14});
    const Vertex output = num_vertices(graph) - 1;
    graph[0].element_bytes = {in};
    graph[0].value_bytes = in;
    graph[output].element_bytes = {out};
    graph[output].value_bytes = out;
    return graph;
}

int chosen_vector(const StageGraph &graph, const Limits &limits = {}) {
    Group kernel = fused_kernel(graph);
    choose_tile(graph, kernel, h200(), limits);
    return kernel.tile.vector;
}

TEST(ChooseTile, TakesTheOneWithTheLeastTime) {
    const StageGraph graph = chain(1, {1 << 26});
    Group kernel = fused_kernel(graph);
    choose_tile(graph, kernel, h200(), {});
    EXPECT_EQ(kernel.tile.vector, 4);
    for (const int vector : {1, 4}) {
        EXPECT_LE(kernel.price.time_us, price_kernel(graph, kernel, {.vector = vector}, h200(), 64).time_us);
    }
    EXPECT_EQ(kernel.price.time_us, price_kernel(graph, kernel, kernel.tile, h200(), 64).time_us);
}

TEST(ChooseTile, AThreadComputesAsManyNeighboursAsFillAnAccessOfTheNarrowest) {
    EXPECT_EQ(chosen_vector(of_bytes(4, 4)), 4);
    EXPECT_EQ(chosen_vector(of_bytes(2, 2)), 8);
    EXPECT_EQ(chosen_vector(of_bytes(1, 1)), 16);
    EXPECT_EQ(chosen_vector(of_bytes(8, 8)), 4);
}

TEST(ChooseTile, WideOutputsOfNarrowInputsAreNotStoredInParts) {
    EXPECT_EQ(chosen_vector(of_bytes(1, 4)), 4);
    EXPECT_EQ(chosen_vector(of_bytes(4, 1)), 16);
}

TEST(ChooseTile, TakesNoWiderVectorsThanItMay) {
    EXPECT_EQ(chosen_vector(of_bytes(1, 1), {.vector = 4}), 4);
    EXPECT_EQ(chosen_vector(of_bytes(1, 1), {.vector = 1}), 1);
    StageGraph graph = of_bytes(1, 1);
    graph[num_vertices(graph) - 1].no_vectors = true;
    EXPECT_EQ(chosen_vector(graph), 1);
}

TEST(ChooseTile, TakesNoVectorsThatWouldBeGuardedWhereThatGoesWrong) {
    StageGraph graph = of_bytes(2, 2);
    Stage &output = graph[num_vertices(graph) - 1];
    output.no_guards = true;
    EXPECT_EQ(chosen_vector(graph), 8);
    output.role = Role::Intermediate;
    EXPECT_EQ(chosen_vector(graph), 1);
}

}  // namespace
}  // namespace fusion::test

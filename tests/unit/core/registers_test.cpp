/// Estimated registers, compared with themselves.
#include "fusion/registers.h"

#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

TEST(EstimateRegisters, GrowWithVectorsAndWithValuesAliveAtOnce) {
    const auto registers = [](int alive, int vector) {
        const StageGraph graph = long_live_range(alive, {1 << 20});
        return estimate_registers(graph, fused_kernel(graph), {.vector = vector});
    };
    EXPECT_GE(registers(40, 1), registers(8, 1) + 32);
    EXPECT_GE(registers(8, 4), registers(8, 1) + 3 * 8);
}

TEST(EstimateRegisters, DoNotGrowWithTheLengthOfAChain) {
    const StageGraph two = chain(2, {1 << 20}), forty = chain(40, {1 << 20});
    EXPECT_EQ(estimate_registers(two, fused_kernel(two), {}), estimate_registers(forty, fused_kernel(forty), {}));
}

// Limit: operands are evaluated by stage number, so all values of a sum are held at once when they come before it.
TEST(EstimateRegisters, ASumFoldsItsValuesOneByOne) {
    const auto registers = [](int values) {
        StageGraph graph = long_live_range(values, {1 << 20});
        const Vertex sum = stage_named(graph, "sum");
        std::vector<Placement> placement(num_vertices(graph), Placement::Inlined);
        placement[0] = placement[sum] = Placement::Root;
        return estimate_registers(graph, trace_kernel(graph, placement, {sum}), {});
    };
    EXPECT_EQ(registers(64), registers(8));
}

TEST(EstimateRegisters, OutputsThatNobodyReadDoNotStayAlive) {
    const auto registers = [](int outputs) {
        const StageGraph graph = branches(outputs, {1 << 20}, true);
        std::vector<Vertex> all;
        for (int i = 1; i <= outputs; i++) {
            all.push_back(i);
        }
        const Group kernel = trace_kernel(graph, std::vector<Placement>(num_vertices(graph), Placement::Root), all);
        return estimate_registers(graph, kernel, {});
    };
    EXPECT_EQ(registers(40), registers(20));  // beyond 8 pointers only values would add
}

TEST(EstimateRegisters, WideValuesTakeTwo) {
    StageGraph graph = long_live_range(40, {1 << 20});
    const int narrow = estimate_registers(graph, fused_kernel(graph), {});
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        graph[v].value_bytes = 8;
        graph[v].element_bytes = {8};
    }
    EXPECT_GE(estimate_registers(graph, fused_kernel(graph), {}), narrow + 30);
}

TEST(ReductionRegisters, AreThoseOfOneStageAtATime) {
    const Tile tile{.vector = 4, .threads = 256, .reducing = 256};
    StageGraph graph = softmax(1024, 4096);
    const int before = estimate_registers(graph, block_kernel(graph), tile);
    graph[stage_named(graph, "e")].live_values += 7;
    graph[stage_named(graph, "output")].live_values += 5;
    const int after = estimate_registers(graph, block_kernel(graph), tile);
    EXPECT_GT(after, before);
    EXPECT_LE(after, before + 7);
}

}  // namespace
}  // namespace fusion::test

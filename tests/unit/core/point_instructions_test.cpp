#include "fusion/point_instructions.h"

#include <gtest/gtest.h>

#include "fusion/price.h"
#include "fusion/use.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

/// One input, read by a point of the output's frame in the given way.
Group reader_of(const StageGraph &graph, const Use &use) {
    Group group = fused_kernel(graph);
    group.inputs[0].uses = {use};
    return group;
}

Use use_at(Vertex frame, const std::vector<Reach> &reach, bool is_box = true) {
    return {frame, 1, 1, {0, 1}, reach, is_box, false};
}

TEST(InstructionsElsewhere, AreThoseOfEachLaneWhereVectorsAreNotWhereTheyAreInMemory) {
    const StageGraph graph = chain(1, {64, 64});
    const Vertex frame = fused_kernel(graph).outputs[0];
    const double points = graph[frame].points();
    const Tile narrow{.vector = 1}, wide{.vector = 4};
    const Group below = reader_of(graph, use_at(frame, {{0, 0}, {1, 1}})),
                right = reader_of(graph, use_at(frame, {{1, 1}, {0, 0}}));
    EXPECT_EQ(instructions_elsewhere(graph, below, wide), 0) << "whole vectors of another row";
    EXPECT_EQ(instructions_elsewhere(graph, right, narrow), 0);
    EXPECT_EQ(instructions_elsewhere(graph, right, wide), points * (4 * kLoad - 1));
}

TEST(InstructionsElsewhere, FindAPlaceThatIsNoBox) {
    const StageGraph graph = chain(1, {64, 64});
    const Vertex frame = fused_kernel(graph).outputs[0];
    const Group gathers = reader_of(graph, use_at(frame, {{0, 0}, {0, 0}}, false));
    EXPECT_GT(instructions_elsewhere(graph, gathers, {.vector = 1}), graph[frame].points() * (kLoad - 1));
}

TEST(InstructionsElsewhere, OfAGatherAlongRowsAreThoseOfEachLane) {
    const StageGraph graph = chain(1, {64, 64});
    const Vertex frame = fused_kernel(graph).outputs[0];
    // f(x + i, y + j): neighbours read neighbours, at places that are no box.
    Group gathers = reader_of(graph, {frame, 1, 1, {-1, -1}, {{0, 0}, {0, 0}}, false, false});
    gathers.inputs[0].streams = true;
    const double narrow = instructions_elsewhere(graph, gathers, {.vector = 1}),
                 wide = instructions_elsewhere(graph, gathers, {.vector = 4});
    EXPECT_EQ(wide - narrow, graph[frame].points() * 3 * kLoad) << "a line a lane";
    gathers.inputs[0].streams = false;
    EXPECT_EQ(instructions_elsewhere(graph, gathers, {.vector = 4}), narrow) << "lanes read anywhere";
    // f(x, i)
    Group rows = reader_of(graph, {frame, 1, 1, {0, -1}, {{0, 0}, {0, 0}}, false, false});
    rows.inputs[0].streams = true;
    EXPECT_EQ(instructions_elsewhere(graph, rows, {.vector = 4}), narrow) << "the lanes' own row, elsewhere";
}

TEST(InstructionsInVectors, AreSharedByLanesWhereNothingMovesAlong) {
    const Use own{0, 1, 1, {0, 1}, {{0, 0}, {0, 0}}, true, true};
    const Work work{.arithmetic = 10, .shares = {{Share::bit(0), 4}, {Share::bit(1), 6}}};
    EXPECT_EQ(instructions_in_vectors(own, 0, 4, work), 4 + 6.0 / 4);
    EXPECT_EQ(instructions_in_vectors(own, 0, 4, {.arithmetic = 10}), 10) << "unknown: all of it moves";
}

TEST(InstructionsAPoint, CountOncePerCallSiteWhatItsOwnLoopsTellApart) {
    // Four channels at numbers that follow nothing, of which only a part of the work depends on the channel.
    const Use channels{0, 4, 4, {0, -1}, {{0, 0}, {0, 0}}, true, false};
    const Work work{.arithmetic = 10, .shares = {{Share::bit(0), 4}, {Share::bit(1), 6}}};
    EXPECT_EQ(instructions_a_point(channels, {}, work), 4 + 4 * 6);
    EXPECT_EQ(instructions_a_point(channels, {}, {.arithmetic = 10}), 40);
}

TEST(EvaluationsAPoint, AreNotSharedByATileWhereAnIndexMayMoveWithAnyDimension) {
    const Use half{0, 2, 2, {-1, 1}, {{0, 0}, {0, 0}}, false, false};
    EXPECT_EQ(evaluations_a_point(half, {4, 2}), 2);
    const Use number{0, 2, 2, {-1, 1}, {{0, 0}, {0, 0}}, true, false};
    EXPECT_EQ(evaluations_a_point(number, {4, 2}), 2.0 / 4);
}

}  // namespace
}  // namespace fusion::test

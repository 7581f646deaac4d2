#include "fusion/footprint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;

/// One kernel that stores the last stage; inputs are stored, all else is inlined unless `stored`.
Group trace(const StageGraph &graph, std::vector<Vertex> stored = {}) {
    std::vector<Placement> placement(num_vertices(graph), Placement::Inlined);
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        placement[v] = graph[v].role == Role::Intermediate ? Placement::Inlined : Placement::Root;
    }
    for (const Vertex v : stored) {
        placement[v] = Placement::Root;
    }
    return trace_kernel(graph, placement, {num_vertices(graph) - 1});
}

double evaluations(const Group &group, Vertex stage) {
    for (const Member &member : group.members) {
        if (member.stage == stage) {
            return member.evaluations;
        }
    }
    return 0;
}

Input input_of(const Group &group, Vertex producer) {
    return *std::find_if(group.inputs.begin(), group.inputs.end(),
                         [&](const Input &i) { return i.producer == producer; });
}

TEST(Footprint, AStageReadTwiceAtTheSamePointIsEvaluatedOnce) {
    const StageGraph graph = chain(40, {64}, {{0}, {0}});
    const Group group = trace(graph);
    ASSERT_EQ(group.members.size(), 40u);
    for (const Member &member : group.members) {
        EXPECT_EQ(member.evaluations, 64) << graph[member.stage].func;
    }
}

TEST(Footprint, BothArmsOfADiamondShareOneEvaluation) {
    const StageGraph graph = diamond({64});
    EXPECT_EQ(evaluations(trace(graph), stage_named(graph, "top")), 64);
}

TEST(Footprint, EvaluationsMultiplyAlongCallSites) {
    // Each stage reads three points of the one before.
    const StageGraph graph = chain(5, {64}, {{0, ReadKind::Stencil, 3}});
    const Group group = trace(graph);
    double expected = 64;
    for (int i = 5; i >= 1; i--, expected *= 3) {
        EXPECT_EQ(evaluations(group, stage_named(graph, numbered("s", i))), expected);
    }
}

TEST(Footprint, TheSameStageReadStraightAndTransposedIsEvaluatedTwice) {
    Builder b;
    const Vertex in = b.input("in", {8, 8});
    const Vertex a = b.stage("a", {8, 8}, {{in}});
    b.output("out", {8, 8}, {{a}, {a, ReadKind::Transposed}});
    EXPECT_EQ(evaluations(trace(b.graph), a), 128);
}

TEST(Footprint, ABroadcastStageIsEvaluatedForEveryPointOfItsReader) {
    const StageGraph graph = broadcast(24, 512, 1);
    EXPECT_EQ(evaluations(trace(graph), stage_named(graph, "narrow")), 24 * 512);
}

TEST(Footprint, TwoTransposesThatCancelReadTheirOwnPoint) {
    Builder b;
    const Vertex in = b.input("in", {8, 16});
    const Vertex a = b.stage("a", {16, 8}, {{in, ReadKind::Transposed}});
    b.output("out", {8, 16}, {{a, ReadKind::Transposed}});
    const Input input = input_of(trace(b.graph), in);
    EXPECT_TRUE(input.same_point);
    EXPECT_TRUE(input.is_coalesced);
    EXPECT_TRUE(input.streams);
}

TEST(Footprint, ATransposedReadIsUncoalesced) {
    const StageGraph graph = transpose(8, false);
    const Input input = input_of(trace(graph), stage_named(graph, "in"));
    EXPECT_FALSE(input.is_coalesced);
    EXPECT_FALSE(input.same_point);
}

TEST(Footprint, ATransposedReadOfABufferStoredTheOtherWayRoundIsCoalesced) {
    StageGraph graph = transpose(8, false);
    const Vertex in = stage_named(graph, "in");
    graph[in].memory_order = {1, 0};
    EXPECT_TRUE(input_of(trace(graph), in).is_coalesced);
}

TEST(Footprint, ABroadcastAcrossTheContiguousDimensionIsCoalescedButDoesNotStream) {
    Builder b;
    const Vertex in = b.input("in", {512});
    const Vertex row = b.input("row", {16});
    b.output("out", {512, 16}, {{in, ReadKind::Broadcast, 1, {0}}, {row, ReadKind::Broadcast, 1, {1}}});
    const Group group = trace(b.graph);
    EXPECT_TRUE(input_of(group, in).streams);
    EXPECT_FALSE(input_of(group, row).streams);
    EXPECT_TRUE(input_of(group, row).is_coalesced);
    EXPECT_FALSE(input_of(group, in).same_point);
}

TEST(Footprint, AStoredStageIsReadAndWhatItReadsIsNot) {
    const StageGraph graph = diamond({64});
    const Vertex left = stage_named(graph, "left");
    const Group group = trace(graph, {left});
    EXPECT_TRUE(reads_buffer(group, left));
    EXPECT_FALSE(has_member(group, left));
    EXPECT_TRUE(has_member(group, stage_named(graph, "top")));
    EXPECT_TRUE(reads_buffer(group, stage_named(graph, "in")));
}

TEST(Footprint, BytesOfAnInputReadTwiceAreCountedOnce) {
    Builder b;
    const Vertex in = b.input("in", {64});
    b.set_bytes(in, 8);
    const Vertex a = b.stage("a", {64}, {{in}});
    b.output("out", {64}, {{a}, {in}});
    EXPECT_EQ(input_of(trace(b.graph), in).bytes, 64 * 8);
}

TEST(Footprint, BytesOfTwoRegionsAddUpButNotBeyondTheBuffer) {
    Builder b;
    const Vertex in = b.input("in", {64});
    const Vertex out = b.output("out", {16}, {{in}, {in}});
    std::vector<Edge> edges(in_edges(out, b.graph).first, in_edges(out, b.graph).second);
    b.graph[edges[0]].region = {{"x", 0, 16}};
    b.graph[edges[1]].region = {{"x", 32, 16}};
    EXPECT_EQ(input_of(trace(b.graph), in).bytes, 32 * 4);
    b.graph[edges[1]].region = {{"x", 8, 56}};
    EXPECT_EQ(input_of(trace(b.graph), in).bytes, 64 * 4);
}

TEST(Footprint, MembersAreAscendingAndHoldTheOutput) {
    const StageGraph graph = diamond({64});
    std::vector<Vertex> members;
    for (const Member &member : trace(graph).members) {
        members.push_back(member.stage);
    }
    EXPECT_THAT(members, ElementsAre(1, 2, 3, 4));
}

TEST(Footprint, SeveralOutputsEachComputeWhatTheyShare) {
    const StageGraph graph = fan_out(2, {64}, 1);
    std::vector<Placement> placement(num_vertices(graph), Placement::Root);
    const Vertex shared = stage_named(graph, "shared");
    placement[shared] = Placement::Inlined;
    const std::vector<Vertex> outputs = {stage_named(graph, "out0"), stage_named(graph, "out1")};
    EXPECT_EQ(evaluations(trace_kernel(graph, placement, outputs), shared), 128);
}

/// The kernel of transpose() with `first` as a tile in shared memory.
Group tiled(const StageGraph &graph) {
    const std::vector<Placement> placement = {Placement::Root, Placement::AtBlock, Placement::Root};
    return trace_kernel(graph, placement, {2});
}

TEST(TransposedTile, AStageReadTransposedIsOneAndReadsItsInputInLongRows) {
    const StageGraph graph = transpose(64, true);
    const Group group = tiled(graph);
    EXPECT_TRUE(is_transposed_tile(graph, group));
    EXPECT_TRUE(input_of(group, 0).is_coalesced);
    EXPECT_EQ(evaluations(group, 1), 64 * 64);
}

TEST(TransposedTile, AStageReadStraightIsNone) {
    const StageGraph graph = chain(2, {64, 64});
    EXPECT_FALSE(is_transposed_tile(graph, tiled(graph)));
}

TEST(TransposedTile, AStageReadBothWaysIsNone) {
    StageGraph graph = transpose(64, true);
    add_edge(1, 2, Read{ReadKind::Pointwise, 1, {0, 1}, graph[1].dims}, graph);
    EXPECT_FALSE(is_transposed_tile(graph, tiled(graph)));
}

TEST(TransposedTile, AStoredBufferReadTransposedIsOne) {
    const StageGraph graph = transpose(64, true);
    const Group group = trace_kernel(graph, {Placement::Root, Placement::Inlined, Placement::Root}, {2}, {0});
    ASSERT_EQ(group.staged.size(), 1u);
    EXPECT_THAT(group.staged[0].callers, ElementsAre(1));
    EXPECT_TRUE(is_transposed_tile(graph, group));
    EXPECT_TRUE(input_of(group, 0).is_coalesced);
}

/// Passes over the first input of a kernel that keeps its reductions in the block.
double passes_over_input(const StageGraph &graph) {
    return input_of(block_kernel(graph), 0).passes;
}

TEST(FootprintOfReductions, ARowIsReadInOnePassForEachLoopThatNeedsIt) {
    EXPECT_EQ(passes_over_input(row_sum(1024, 64)), 1);
    EXPECT_EQ(passes_over_input(row_range(1024, 64)), 3);
    EXPECT_EQ(passes_over_input(softmax(1024, 64)), 3);
}

TEST(FootprintOfReductions, PassesDoNotAddBytes) {
    EXPECT_EQ(input_of(block_kernel(softmax(1024, 64)), 0).bytes, 1024 * 64 * 4);
}

TEST(FootprintOfReductions, AnInputReadTwiceInOneLoopIsReadInOnePass) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex squares = b.stage("squares", {64, 64}, {{in}});
    add_reduction(b, "sum", {64}, {64}, {whole_row(in), whole_row(squares)}, Role::Output);
    EXPECT_EQ(passes_over_input(b.graph), 1);
}

TEST(FootprintOfReductions, AStageIsEvaluatedInEachLoopThatInlinesIt) {
    const StageGraph graph = softmax(1024, 64);
    const Group group = block_kernel(graph);
    EXPECT_EQ(evaluations(group, stage_named(graph, "e")), 2 * 1024 * 64);
    EXPECT_EQ(evaluations(group, stage_named(graph, "total") + 1), 1024 * 64);
}

TEST(FootprintOfReductions, NeighboursWalkTheRowOfARowSumAndTheColumnsOfAColumnSum) {
    const StageGraph rows = row_sum(64, 128), columns = column_sum(64, 128);
    const auto lane = [](const StageGraph &graph) {
        for (const Member &member : block_kernel(graph).members) {
            if (graph[member.stage].update == 1) {
                return member.lane;
            }
        }
        return -2;
    };
    EXPECT_EQ(lane(rows), 1) << "the reduction, after one dimension";
    EXPECT_EQ(lane(columns), 0);
    EXPECT_TRUE(input_of(block_kernel(rows), 0).is_coalesced);
    EXPECT_TRUE(input_of(block_kernel(columns), 0).is_coalesced);
}

TEST(FootprintOfReductions, TheInputWithMoreBytesDecidesWhatNeighboursWalk) {
    for (const int bytes : {2, 8}) {
        Builder b;
        const Vertex rows = b.input("rows", {64, 64}), columns = b.input("columns", {64, 64});
        b.set_bytes(rows, bytes);
        add_reduction(b, "sum", {64}, {64}, {whole_row(rows), whole_column(columns)}, Role::Output);
        const Group group = block_kernel(b.graph);
        EXPECT_EQ(input_of(group, rows).is_coalesced, bytes == 8);
        EXPECT_EQ(input_of(group, columns).is_coalesced, bytes == 2);
    }
}

TEST(Footprint, ContiguousDimIsTheFirstOfTheMemoryOrder) {
    Stage stage;
    EXPECT_EQ(contiguous_dim(stage), -1);
    stage.memory_order = {2, 0, 1};
    EXPECT_EQ(contiguous_dim(stage), 2);
}

}  // namespace
}  // namespace fusion::test

#include "fusion/siblings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/price.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

/// Joins the launches of a graph in which every stage is stored.
struct Joined {
    explicit Joined(const StageGraph &graph, const Device &device = device_named("H200"))
        : assignment(all_stored(graph)), kernels(make_kernels(graph, assignment, device, 64)) {
        joins = join_siblings(graph, device, 64, assignment, kernels);
    }
    Assignment assignment;
    std::map<Vertex, Group> kernels;
    std::vector<Join> joins;
};

TEST(Siblings, SmallBranchesWithInputsOfTheirOwnJoin) {
    const Joined result(branches(4, {256}, false));
    ASSERT_THAT(result.kernels, SizeIs(1));
    EXPECT_THAT(result.kernels.begin()->second.outputs, SizeIs(4));
    ASSERT_THAT(result.joins, SizeIs(1));
    EXPECT_TRUE(result.joins[0].joined);
    EXPECT_LT(result.joins[0].joined_us, result.joins[0].apart_us);
    EXPECT_NE(result.joins[0].why, "");
}

TEST(Siblings, LargeBranchesThatShareNothingDoNotJoin) {
    const Joined result(branches(4, {1 << 26}, false));
    EXPECT_THAT(result.kernels, SizeIs(4));
    EXPECT_THAT(result.joins, SizeIs(0));
}

TEST(Siblings, BranchesThatShareAnInputReadItOnce) {
    const StageGraph graph = branches(2, {1 << 16}, true);
    const Joined result(graph);
    ASSERT_THAT(result.kernels, SizeIs(1));
    EXPECT_EQ(result.kernels.begin()->second.price.bytes_read, (1 << 16) * 4);
}

TEST(Siblings, AJoinThatThePriceForbidsIsReportedWithBothPrices) {
    // Memory and launches cost nothing here: what is left is that a joined kernel finds each point anew, where one with
    // vectors does so once in four.
    Device device = device_named("H200");
    device.launch.value = 0;
    device.memory_bandwidth.value = device.l2_bandwidth.value = 1e9;
    device.memory_latency.value = 1e-6;
    const Joined result(branches(2, {1 << 14, 1 << 14}, true), device);
    EXPECT_THAT(result.kernels, SizeIs(2));
    ASSERT_THAT(result.joins, SizeIs(1));
    EXPECT_FALSE(result.joins[0].joined);
    EXPECT_GE(result.joins[0].joined_us, result.joins[0].apart_us);
    EXPECT_NE(result.joins[0].why, "");
}

TEST(Siblings, OtherExtentsDoNotJoin) {
    Builder b;
    const Vertex in = b.input("in", {256});
    b.output("a", {256}, {{in}});
    b.output("b", {255}, {{in}});
    EXPECT_THAT(Joined(b.graph).kernels, SizeIs(2));
}

TEST(Siblings, AStageDoesNotJoinWhatItReadsThroughOthers) {
    const Joined result(chain(3, {256}));
    EXPECT_THAT(result.kernels, SizeIs(3));
    EXPECT_THAT(result.joins, SizeIs(0));
}

TEST(Siblings, ArmsOfADiamondJoinAndItsEndsDoNot) {
    const StageGraph graph = diamond({256});
    const Joined result(graph);
    ASSERT_THAT(result.kernels, SizeIs(3));
    EXPECT_THAT(result.kernels.at(stage_named(graph, "left")).outputs,
                ElementsAre(stage_named(graph, "left"), stage_named(graph, "right")));
}

// a1 -> z1 and z2 -> a2. The a's may join, the z's may join, but not both: each launch would wait for the other.
TEST(Siblings, TwoJoinsNeverWaitForEachOther) {
    Builder b;
    const Vertex of_a = b.input("of_a", {1 << 22}), of_z = b.input("of_z", {1 << 22});
    const Vertex a1 = b.output("a1", {1 << 22}, {{of_a}});
    const Vertex z2 = b.output("z2", {1 << 22}, {{of_z}});
    const Vertex z1 = b.output("z1", {1 << 22}, {{a1}, {of_z}});
    const Vertex a2 = b.output("a2", {1 << 22}, {{z2}, {of_a}});
    b.set_bytes(of_a, 64);
    b.set_bytes(of_z, 32);
    const Joined result(b.graph);
    ASSERT_EQ(result.assignment.leader[a1], result.assignment.leader[a2]) << "the case is not the one meant";
    EXPECT_NE(result.assignment.leader[z1], result.assignment.leader[z2]);
    EXPECT_NO_THROW((void)in_order_of_execution(result.kernels));
}

TEST(Siblings, ReductionsUpdatesAndUserLoopsKeepTheirLaunches) {
    StageGraph graph = branches(4, {256}, true);
    graph[1].has_updates = true;
    graph[2].reduction = {{"r", 0, 8}};
    graph[3].scheduled_by_user = graph[3].has_own_loops = true;
    EXPECT_THAT(Joined(graph).kernels, SizeIs(4));
}

// A 1-D buffer takes 20 bytes of arguments; 4096 bytes hold 204 of them.
TEST(Siblings, ALaunchTakesNoMoreArgumentsThanTheDeviceAllows) {
    const Device &device = device_named("H200");
    const Joined result(branches(150, {64}, false));
    EXPECT_GT(result.kernels.size(), 1u);
    for (const auto &[leader, group] : result.kernels) {
        EXPECT_LE(20 * (group.inputs.size() + group.outputs.size()), device.argument_bytes);
    }
}

TEST(Siblings, ManySmallBranchesAreDecidedInUnderASecond) {
    const StageGraph graph = branches(200, {256}, false);
    EXPECT_LT(seconds_of([&] { EXPECT_FALSE(Joined(graph).joins.empty()); }), 1);
}

}  // namespace
}  // namespace fusion::test

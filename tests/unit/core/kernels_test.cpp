#include "fusion/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "fusion/error.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;

Group kernel_of(const StageGraph &graph, const Assignment &assignment, Vertex stage) {
    return make_kernel(graph, assignment, {stage}, device_named("H200"), {});
}

TEST(AllStored, GivesEveryStageALaunchOfItsOwn) {
    const StageGraph graph = diamond({64});
    const Assignment assignment = all_stored(graph);
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        EXPECT_EQ(assignment.placement[v], Placement::Root);
        EXPECT_EQ(is_kernel(graph, assignment, v), v != stage_named(graph, "in"));
        EXPECT_EQ(assignment.leader[v], v);
    }
    EXPECT_EQ(make_kernels(graph, assignment, device_named("H200"), {}).size(), 4u);
}

TEST(AllStored, InlinesAnIntermediateWithoutABoundButNotAnOutput) {
    StageGraph graph = chain(3, {64});
    graph[2].unbounded = true;
    graph[3].unbounded = true;
    EXPECT_EQ(all_stored(graph).placement[2], Placement::Inlined);
    EXPECT_EQ(all_stored(graph).placement[3], Placement::Root);
}

TEST(AllStored, LeavesInlineWhatItsAuthorLeftInline) {
    StageGraph graph = chain(3, {64});
    graph[2].scheduled_by_user = true;
    EXPECT_EQ(all_stored(graph).placement[2], Placement::Inlined);
    graph[2].has_own_loops = true;
    EXPECT_EQ(all_stored(graph).placement[2], Placement::Root);
}

TEST(AllStored, KeepsAnExternStageAndWhatItReadsOnTheHost) {
    StageGraph graph = chain(4, {64});
    graph[3].is_extern = true;
    const std::vector<Placement> placement = all_stored(graph).placement;
    EXPECT_THAT(placement,
                ElementsAre(Placement::Root, Placement::Root, Placement::Host, Placement::Host, Placement::Root));
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 2).kind, Template::HostLoops);
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 4).kind, Template::Pointwise);
}

TEST(AllStored, KeepsAnInputThatAnExternStageReadsWhereItIs) {
    StageGraph graph = chain(2, {64});
    graph[1].is_extern = true;
    EXPECT_EQ(all_stored(graph).placement[0], Placement::Root);
}

TEST(MakeKernel, ChoosesTheTemplateByWhatIsComputed) {
    StageGraph graph = chain(2, {64});
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 2).kind, Template::Pointwise);
    graph[2].update = 1;
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 2).kind, Template::Parallel);
    graph[2].update = 0;
    graph[2].reduction = {{"r", 0, 8}};
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 2).kind, Template::Parallel);
    graph[2].scheduled_by_user = graph[2].has_own_loops = true;
    EXPECT_EQ(kernel_of(graph, all_stored(graph), 2).kind, Template::UserLoops);
}

TEST(MakeKernel, SeveralOutputsAreSiblings) {
    const StageGraph graph = branches(2, {64}, true);
    EXPECT_EQ(make_kernel(graph, all_stored(graph), {1, 2}, device_named("H200"), {}).kind, Template::Siblings);
}

TEST(MakeKernel, ATileInSharedMemoryMakesATranspose) {
    const StageGraph graph = transpose(512, true);
    Assignment assignment = all_stored(graph);
    assignment.placement[1] = Placement::AtBlock;
    const Group kernel = kernel_of(graph, assignment, 2);
    EXPECT_EQ(kernel.kind, Template::Transpose);
    EXPECT_GT(kernel.price.shared_bytes, 0);
}

TEST(MakeKernel, AnInputReadTransposedIsStagedWhereItMayBeAndItPays) {
    const auto kernel_that_reads = [](int64_t edge, bool can_be_staged) {
        Builder b;
        const Vertex in = b.input("in", {edge, edge});
        b[in].can_be_staged = can_be_staged;
        const Vertex out = b.output("out", {edge, edge}, {{in, ReadKind::Transposed}});
        return kernel_of(b.graph, all_stored(b.graph), out);
    };
    EXPECT_EQ(kernel_that_reads(4096, true).kind, Template::Transpose);
    EXPECT_THAT(kernel_that_reads(4096, true).staged, ::testing::SizeIs(1));
    EXPECT_EQ(kernel_that_reads(4096, false).kind, Template::Pointwise);
    EXPECT_LT(kernel_that_reads(4096, true).price.time_us, kernel_that_reads(4096, false).price.time_us);
}

TEST(LaunchOf, ListsTheStagesThatShareALeader) {
    const StageGraph graph = branches(3, {64}, true);
    Assignment assignment = all_stored(graph);
    assignment.leader[3] = 1;
    EXPECT_THAT(launch_of(graph, assignment, 1), ElementsAre(1, 3));
    EXPECT_THAT(launch_of(graph, assignment, 2), ElementsAre(2));
    EXPECT_THAT(launch_of(graph, assignment, 3), ElementsAre());
}

TEST(InOrderOfExecution, AJoinedLaunchWaitsForWhatItsLastStageReads) {
    Group one, two;
    one.outputs = {1, 5};
    one.inputs = {{.producer = 0}, {.producer = 3}};
    two.outputs = {3};
    two.inputs = {{.producer = 0}};
    const std::vector<Group> order = in_order_of_execution({{1, one}, {3, two}});
    EXPECT_THAT(order[0].outputs, ElementsAre(3));
    EXPECT_THAT(order[1].outputs, ElementsAre(1, 5));
}

TEST(InOrderOfExecution, IsTheOrderOfStagesWhereNothingForcesAnother) {
    Group one, two;
    one.outputs = {1, 5};
    two.outputs = {3};
    two.inputs = {{.producer = 1}};
    const std::vector<Group> order = in_order_of_execution({{1, one}, {3, two}});
    EXPECT_THAT(order[0].outputs, ElementsAre(1, 5));
    EXPECT_THAT(order[1].outputs, ElementsAre(3));
}

TEST(InOrderOfExecution, LaunchesThatWaitForEachOtherAreAnInternalError) {
    Group one, two;
    one.outputs = {1, 5};
    one.inputs = {{.producer = 3}};
    two.outputs = {3};
    two.inputs = {{.producer = 1}};
    EXPECT_THROW((void)in_order_of_execution({{1, one}, {3, two}}), InternalError);
}

/// A row that another stage turns into columns has no tile to be transposed.
TEST(MakeKernel, GivesATileThatCannotBeTransposedNoPrice) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex row = b.stage("row", {64}, {{in, ReadKind::Broadcast, 1, {0, -1}}});
    const Vertex out = b.output("out", {64, 64}, {{row, ReadKind::Broadcast, 1, {1}}, {in}});
    Assignment assignment = all_stored(b.graph);
    assignment.placement[row] = Placement::AtBlock;
    const Group kernel = kernel_of(b.graph, assignment, out);
    EXPECT_EQ(kernel.kind, Template::Transpose);
    EXPECT_TRUE(std::isinf(kernel.price.time_us));
}

}  // namespace
}  // namespace fusion::test

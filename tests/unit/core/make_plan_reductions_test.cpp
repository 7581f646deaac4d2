/// What the planner decides about graphs with reductions.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/rules.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

Vertex update_of(const StageGraph &graph, const std::string &func) {
    return stage_named(graph, func) + 1;
}

TEST(PlanOfReductions, ASoftmaxIsOneKernelOfFourStagesThatReadsAndWritesOnce) {
    const StageGraph graph = softmax(1024, 131072);
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    const Group &kernel = plan.groups[0];
    EXPECT_EQ(kernel.kind, Template::Reduction);
    for (const char *func : {"row_max", "e", "total", "output"}) {
        EXPECT_TRUE(has_member(kernel, stage_named(graph, func))) << func;
    }
    EXPECT_EQ(plan.placement[update_of(graph, "row_max")], Placement::AtBlock);
    EXPECT_EQ(plan.placement[update_of(graph, "total")], Placement::AtBlock);
    EXPECT_EQ(plan.placement[stage_named(graph, "row_max")], Placement::AtThread);
    EXPECT_EQ(plan.placement[stage_named(graph, "e")], Placement::Inlined);
    EXPECT_EQ(kernel.price.bytes_read, 1024.0 * 131072 * 4);
    EXPECT_EQ(kernel.price.bytes_written, 1024.0 * 131072 * 4);
}

// Limit: from 65536 on, where the L2 does not hold the rows of all blocks, the maximum is priced cheaper apart.
TEST(PlanOfReductions, ASoftmaxOfAnyShapeIsOneKernel) {
    for (const int64_t width : {1, 31, 1000, 4096, 5003, 16384}) {
        for (const int64_t height : {1, 2, 1000, 65536}) {
            EXPECT_EQ(plan_of(softmax(width, height)).groups.size(), 1u) << width << " x " << height;
        }
    }
}

TEST(PlanOfReductions, ARowResidentReductionSaysSoAndWhatItSaves) {
    const StageGraph graph = softmax(1024, 4096);
    const Plan plan = plan_of(graph);
    const Verdict &verdict = verdict_on(plan, update_of(graph, "row_max"), stage_named(graph, "e"));
    EXPECT_EQ(verdict.verdict, "fused");
    EXPECT_EQ(verdict.rule, kRowResident);
    EXPECT_THAT(verdict.why, HasSubstr("shared memory"));
    EXPECT_LT(verdict.fused_us, verdict.apart_us);
    EXPECT_GT(verdict.step, 0);
}

TEST(PlanOfReductions, WhereAReductionStartsIsAnAccumulatorOfItsThreads) {
    const StageGraph graph = softmax(1024, 4096);
    const Vertex start = stage_named(graph, "total");
    const Plan plan = plan_of(graph);
    EXPECT_EQ(verdict_on(plan, start, start + 1).verdict, "fused");
    EXPECT_EQ(verdict_on(plan, start, start + 1).rule, kAccumulator);
    EXPECT_THAT(verdict_on(plan, start, start + 1).why, HasSubstr("registers"));
}

TEST(PlanOfReductions, WhereAnOutputStartsIsStored) {
    const StageGraph graph = row_sum(1024, 4096);
    EXPECT_EQ(plan_of(graph).placement[stage_named(graph, "sum")], Placement::Root);
}

TEST(PlanOfReductions, APointwiseStageIsComputedInTheReductionThatReadsIt) {
    Builder b;
    const Vertex in = b.input("in", {4096, 4096});
    const Vertex squares = b.stage("squares", {4096, 4096}, {{in}}, 2);
    const Vertex sum = add_reduction(b, "sum", {4096}, {4096}, {whole_row(squares)});
    b.output("out", {4096}, {{sum}});
    const Plan plan = plan_of(b.graph);
    EXPECT_EQ(plan.placement[squares], Placement::Inlined);
    EXPECT_EQ(verdict_on(plan, squares, sum).verdict, "fused");
}

/// in -> sum of rows -> `readers` outputs of the image.
StageGraph sum_read_by(int readers) {
    Builder b;
    const Vertex in = b.input("in", {1024, 65536});
    const Vertex sum = add_reduction(b, "sum", {65536}, {1024}, {whole_row(in)});
    for (int i = 0; i < readers; i++) {
        b.output(numbered("out", i), {1024, 65536}, {{in}, of_row(sum)});
    }
    return b.graph;
}

TEST(PlanOfReductions, AReductionWithOneReaderIsRowResidentAndWithTwoStored) {
    const StageGraph one = sum_read_by(1), two = sum_read_by(2);
    const Vertex sum = update_of(one, "sum");
    EXPECT_EQ(verdict_on(plan_of(one), sum, sum + 1).rule, kRowResident);
    EXPECT_THAT(plan_of(one).groups, SizeIs(1));
    const Plan plan = plan_of(two);
    EXPECT_EQ(plan.placement[sum], Placement::Root);
    for (const Vertex reader : {sum + 1, sum + 2}) {
        EXPECT_EQ(verdict_on(plan, sum, reader).verdict, "stored");
        EXPECT_EQ(verdict_on(plan, sum, reader).rule, kReductionBoundary);
        EXPECT_THAT(verdict_on(plan, sum, reader).why, HasSubstr("2 kernels read it"));
    }
}

TEST(PlanOfReductions, AnOutputThatIsAReductionIsStoredForWhatReadsIt) {
    StageGraph graph = sum_read_by(1);
    graph[stage_named(graph, "sum")].role = graph[update_of(graph, "sum")].role = Role::Output;
    const Plan plan = plan_of(graph);
    EXPECT_THAT(plan.groups, SizeIs(3)) << "start, sum and out";
    EXPECT_EQ(verdict_on(plan, update_of(graph, "sum"), stage_named(graph, "out0")).rule, "output-is-stored");
}

TEST(PlanOfReductions, OfRowsAndColumnsReadTogetherOneIsKeptAndOneStored) {
    Builder b;
    const Vertex in = b.input("in", {4096, 4096});
    const Vertex rows = add_reduction(b, "rows", {4096}, {4096}, {whole_row(in)});
    const Vertex columns = add_reduction(b, "columns", {4096}, {4096}, {whole_column(in)});
    const Vertex out = b.output("out", {4096, 4096}, {{in}, of_row(rows), of_column(columns)});
    const Plan plan = plan_of(b.graph);
    EXPECT_THAT(plan.groups, SizeIs(2));
    const bool keeps_rows = plan.placement[rows] == Placement::AtBlock;
    EXPECT_EQ(plan.placement[keeps_rows ? columns : rows], Placement::Root);
    const Verdict &stored = verdict_on(plan, keeps_rows ? columns : rows, out);
    EXPECT_EQ(stored.rule, kReductionBoundary);
    EXPECT_THAT(stored.why, HasSubstr("other dimensions"));
}

TEST(PlanOfReductions, AReductionReadAtAnotherRowIsStored) {
    StageGraph graph = sum_read_by(1);
    const Vertex sum = update_of(graph, "sum");
    graph[*out_edges(sum, graph).first].kind = ReadKind::Stencil;
    const Plan plan = plan_of(graph);
    EXPECT_EQ(plan.placement[sum], Placement::Root);
    EXPECT_EQ(verdict_on(plan, sum, sum + 1).rule, "read-kind");
}

TEST(PlanOfReductions, AnUpdateWhoseOrderMattersIsStored) {
    StageGraph graph = sum_read_by(1);
    const Vertex sum = update_of(graph, "sum");
    graph[sum].reassociable = false;
    const Plan plan = plan_of(graph);
    EXPECT_EQ(plan.placement[sum], Placement::Root);
    EXPECT_EQ(kernel_storing(plan, sum).kind, Template::Reduction);
    EXPECT_EQ(kernel_storing(plan, sum).tile.reducing, 1) << "each thread keeps its value and folds alone";
    EXPECT_EQ(verdict_on(plan, sum, sum + 1).rule, kReductionBoundary);
    graph[sum].folds = false;
    EXPECT_EQ(kernel_storing(plan_of(graph), sum).kind, Template::Parallel);
}

TEST(PlanOfReductions, AReductionReadByLoopsOfTheUsersOwnIsStored) {
    StageGraph graph = sum_read_by(1);
    const Vertex sum = update_of(graph, "sum");
    graph[sum + 1].scheduled_by_user = graph[sum + 1].has_own_loops = true;
    const Plan plan = plan_of(graph);
    EXPECT_EQ(plan.placement[sum], Placement::Root);
    EXPECT_EQ(verdict_on(plan, sum, sum + 1).rule, kReductionBoundary);
    EXPECT_THAT(verdict_on(plan, sum, sum + 1).why, HasSubstr("keeps its own loops"));
}

// The kernel that kept the sum is inlined in two others: the sum would be needed in both, so it is stored again.
TEST(PlanOfReductions, AReductionIsStoredAfterAllWhenItsReaderMovesIntoSeveralKernels) {
    Builder b;
    const Vertex in = b.input("in", {1024, 65536});
    const Vertex sum = add_reduction(b, "sum", {65536}, {1024}, {whole_row(in)});
    const Vertex scaled = b.stage("scaled", {1024, 65536}, {{in}, of_row(sum)});
    const Vertex first = b.output("first", {1024, 65536}, {{scaled}, {b.input("a", {1024, 65536})}});
    const Vertex second = b.output("second", {1024, 65536}, {{scaled}, {b.input("b", {1024, 65536})}});
    const Plan plan = plan_of(b.graph);
    const bool recomputes = plan.placement[scaled] == Placement::Inlined;
    EXPECT_EQ(plan.placement[sum], recomputes ? Placement::Root : Placement::AtBlock);
    EXPECT_TRUE(recomputes) << "the case is not the one meant";
    EXPECT_TRUE(reads_buffer(kernel_storing(plan, first), sum));
    EXPECT_TRUE(reads_buffer(kernel_storing(plan, second), sum));
    EXPECT_EQ(verdict_on(plan, sum, scaled).verdict, "stored");
    EXPECT_NE(verdict_on(plan, sum, scaled).why, "");
}

TEST(PlanOfReductions, TwoReductionsOfTheSameRowsReadThemOnce) {
    const StageGraph graph = row_range(1024, 65536);
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].price.bytes_read, 1024.0 * 65536 * 4);
}

TEST(PlanOfReductions, TheUnfusedVariantStoresEachReduction) {
    const StageGraph graph = softmax(1024, 4096);
    const Plan plan = plan_of(graph, Variant::Unfused);
    EXPECT_THAT(plan.groups, SizeIs(4));
    const Vertex total = update_of(graph, "total");
    EXPECT_EQ(kernel_storing(plan, total).kind, Template::Reduction);
    EXPECT_EQ(verdict_on(plan, total, stage_named(graph, "output")).rule, kVariant);
}

TEST(PlanOfReductions, TheInlinedVariantStoresEachReductionToo) {
    const Plan plan = plan_of(softmax(1024, 4096), Variant::Inlined);
    EXPECT_THAT(plan.groups, SizeIs(3));
}

}  // namespace
}  // namespace fusion::test

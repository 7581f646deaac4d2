#include "fusion/reduction_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Member member_of(const StageGraph &graph, const Group &group, const std::string &func, int update = 1) {
    return *std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) {
        return graph[m.stage].func == func && graph[m.stage].update == update;
    });
}

void expect_refused(const StageGraph &graph, const Group &group, const std::string &why) {
    const Decision decision = can_reduce_in_block(graph, group);
    EXPECT_FALSE(decision.allowed());
    EXPECT_THAT(decision.why(), HasSubstr(why));
}

TEST(IsReduction, OnlyTheFirstUpdateAndOnlyIfItFoldsEachPoint) {
    Stage stage;
    stage.update = 1;
    EXPECT_FALSE(is_reduction(stage));
    stage.folds = true;
    EXPECT_TRUE(is_reduction(stage));
    stage.update = 2;
    EXPECT_FALSE(is_reduction(stage));
}

TEST(ReductionsOf, AreThoseKeptByTheBlockAndTheOutputProducersFirst) {
    const StageGraph graph = softmax(1024, 4096);
    std::vector<std::string> names;
    for (const Member &member : reductions_of(graph, block_kernel(graph))) {
        names.push_back(graph[member.stage].func);
    }
    EXPECT_THAT(names, ElementsAre("row_max", "total"));
    const StageGraph alone = row_sum(1024, 4096);
    EXPECT_THAT(reductions_of(alone, block_kernel(alone)), SizeIs(1));
    const StageGraph none = chain(3, {64});
    EXPECT_THAT(reductions_of(none, block_kernel(none)), IsEmpty());
}

TEST(ReductionShape, RowsAreKeptAndTheReducedDimensionIsWalked) {
    const StageGraph graph = softmax(1024, 4096);
    const ReductionShape shape = reduction_shape(graph, block_kernel(graph));
    EXPECT_THAT(shape.kept, ElementsAre(1));
    EXPECT_THAT(shape.columns, ElementsAre(0));
}

TEST(ReductionShape, AReductionThatIsTheOutputKeepsAllItsDimensions) {
    const StageGraph graph = row_sum(1024, 4096);
    const ReductionShape shape = reduction_shape(graph, block_kernel(graph));
    EXPECT_THAT(shape.kept, ElementsAre(0));
    EXPECT_THAT(shape.columns, IsEmpty());
}

/// in (x, y, z) -> sum over y -> output, whose dimensions lie in memory in the order given.
StageGraph middle_sum(const std::vector<int> &memory_order) {
    Builder b;
    const Vertex in = b.input("in", {32, 64, 16});
    const Vertex sum = add_reduction(b, "sum", {32, 16}, {64}, {{in, ReadKind::Reduction, 1, {0, 2, 1}}});
    const Vertex out = b.output("output", {32, 64, 16}, {{in}, {sum, ReadKind::Broadcast, 1, {0, 2}}});
    b[out].memory_order = memory_order;
    return b.graph;
}

TEST(ReductionShape, DimensionsComeInTheOrderOfMemory) {
    StageGraph graph = middle_sum({0, 1, 2});
    EXPECT_THAT(reduction_shape(graph, block_kernel(graph)).kept, ElementsAre(0, 2));
    graph = middle_sum({2, 1, 0});
    EXPECT_THAT(reduction_shape(graph, block_kernel(graph)).kept, ElementsAre(2, 0));
    EXPECT_THAT(reduction_shape(graph, block_kernel(graph)).columns, ElementsAre(1));
}

TEST(CanReduceInBlock, AllowsRowsReducedAndReadAgain) {
    for (const StageGraph &graph : {softmax(1024, 4096), row_range(1024, 4096), row_sum(1024, 4096),
                                    column_sum(1024, 4096), middle_sum({0, 1, 2})}) {
        const Decision decision = can_reduce_in_block(graph, block_kernel(graph));
        EXPECT_TRUE(decision.allowed()) << decision.why();
    }
}

TEST(CanReduceInBlock, ForbidsALaunchOfSeveralOutputsOrWithTransposedTiles) {
    const StageGraph graph = softmax(1024, 4096);
    Group two = block_kernel(graph), tiles = two;
    two.outputs.push_back(two.outputs[0]);
    expect_refused(graph, two, "several outputs");
    tiles.staged.push_back({});
    expect_refused(graph, tiles, "transposed tiles");
}

TEST(CanReduceInBlock, ForbidsAnOutputThatIsComputedInAnOrderOfItsOwn) {
    StageGraph graph = softmax(1024, 4096);
    const Group group = block_kernel(graph);
    Stage &output = graph[group.outputs[0]];
    output.has_updates = true;
    expect_refused(graph, group, "output is computed in the order of its own loops");
    output.has_updates = false;
    output.reduction = {{"r", 0, 8}};
    expect_refused(graph, group, "output is computed in the order of its own loops");
}

TEST(CanReduceInBlock, ForbidsAReductionReadAtOtherRowsThanItsOwn) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex sum = add_reduction(b, "sum", {64}, {64}, {whole_row(in)});
    b.output("output", {64, 64}, {{in}, of_row(sum), of_column(sum)});
    expect_refused(b.graph, block_kernel(b.graph), "output reads sum at other points than its own row");
}

TEST(CanReduceInBlock, ForbidsASingleRowReadByAllPoints) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex sum = add_reduction(b, "sum", {64}, {64}, {whole_row(in)});
    b.output("output", {64, 64}, {{in}, {sum, ReadKind::Broadcast, 1, {-1}}});
    expect_refused(b.graph, block_kernel(b.graph), "other points than its own row");
}

TEST(CanReduceInBlock, ForbidsAReductionReadAlongTheReductionOfTheOutput) {
    Builder b;
    const Vertex in = b.input("in", {64, 32, 8});
    const Vertex sum = add_reduction(b, "sum", {32, 8}, {64}, {{in, ReadKind::Reduction, 1, {2, 0, 1}}});
    add_reduction(b, "total", {32}, {8}, {{sum, ReadKind::Reduction, 1, {0, 1}}}, Role::Output);
    expect_refused(b.graph, block_kernel(b.graph), "other points than its own row");
}

TEST(CanReduceInBlock, ForbidsReductionsOfRowsBesideReductionsOfColumns) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex rows = add_reduction(b, "rows", {64}, {64}, {whole_row(in)});
    const Vertex columns = add_reduction(b, "columns", {64}, {64}, {whole_column(in)});
    b.output("output", {64, 64}, {{in}, of_row(rows), of_column(columns)});
    expect_refused(b.graph, block_kernel(b.graph), "has other dimensions");
}

TEST(CanReduceInBlock, ForbidsAReductionWhoseOrderMatters) {
    StageGraph graph = softmax(1024, 4096);
    const Group group = block_kernel(graph);
    graph[member_of(graph, group, "total").stage].reassociable = false;
    expect_refused(graph, group, "total is folded in the order of its loop");
}

TEST(SlicesOf, AreFoldsWithADimensionOfTheirOwn) {
    const StageGraph graph = sliced(256);
    const Group group = block_kernel(graph);
    const std::vector<Member> slices = slices_of(graph, group);
    ASSERT_THAT(slices, SizeIs(1));
    EXPECT_EQ(graph[slices[0].stage].func, "part");
    EXPECT_EQ(slice_dim(slices[0]), 0);
    ASSERT_THAT(reductions_of(graph, group), SizeIs(1));
    EXPECT_TRUE(reduces_slices(graph, group, reductions_of(graph, group)[0]));
    EXPECT_THAT(reduction_shape(graph, group).kept, ElementsAre(1));
    const StageGraph plain = softmax(1024, 4096);
    EXPECT_THAT(slices_of(plain, block_kernel(plain)), IsEmpty());
    EXPECT_FALSE(reduces_slices(plain, block_kernel(plain), reductions_of(plain, block_kernel(plain))[0]));
}

TEST(CanReduceInBlock, AllowsSlicesFoldedInOrderWhereTheirNumberIsBounded) {
    const StageGraph bounded = sliced(256), unbounded = sliced(0);
    EXPECT_TRUE(can_reduce_in_block(bounded, block_kernel(bounded)).allowed());
    expect_refused(unbounded, block_kernel(unbounded), "part is folded in the order of its loop");
}

TEST(CanReduceInBlock, ForbidsReductionsForOneWhoseOrderMatters) {
    StageGraph graph = softmax(1024, 4096);
    Group group = block_kernel(graph);
    Stage &out = graph[group.outputs[0]];
    out.update = 1;
    out.folds = true;
    expect_refused(graph, group, "folded by each thread");
}

TEST(HasPlainRegion, WhereAllReadAtTheirOwnPointsOrAlongReductions) {
    StageGraph graph = softmax(1024, 4096);
    const Vertex row_max = stage_named(graph, "row_max");
    EXPECT_TRUE(has_plain_region(graph, row_max));
    const auto last = *out_edges(stage_named(graph, "e"), graph).first;
    for (const ReadKind kind : {ReadKind::Stencil, ReadKind::Strided, ReadKind::Gather, ReadKind::Opaque}) {
        graph[last].kind = kind;  // behind a reader of it
        EXPECT_FALSE(has_plain_region(graph, row_max)) << name_of(kind);
    }
    graph[last].kind = ReadKind::Transposed;
    EXPECT_TRUE(has_plain_region(graph, row_max));
}

TEST(ReducesAlongLanes, WhereTheReductionWalksWhatLiesNextToEachOther) {
    const StageGraph rows = row_sum(1024, 4096), columns = column_sum(1024, 4096);
    EXPECT_TRUE(reduces_along_lanes(rows, reductions_of(rows, block_kernel(rows))[0]));
    EXPECT_FALSE(reduces_along_lanes(columns, reductions_of(columns, block_kernel(columns))[0]));
}

/// One value of all of an image, r0 along rows; stored with the other dimension contiguous if `turned`.
StageGraph total_of(int64_t width, int64_t height, bool turned) {
    Builder b;
    const Vertex in = b.input("in", {width, height});
    if (turned) {
        b[in].memory_order = {1, 0};
    }
    add_reduction(b, "sum", {}, {width, height}, {{in, ReadKind::Reduction, 1, {0, 1}}}, Role::Output);
    return b.graph;
}

TEST(SharedRvar, IsTheOneThatNeighboursWalk) {
    for (const bool turned : {false, true}) {
        const StageGraph graph = total_of(64, 128, turned);
        EXPECT_EQ(shared_rvar(graph, reductions_of(graph, block_kernel(graph))[0]), turned ? 1 : 0);
    }
}

TEST(SharedRvar, IsTheLongestWhereNeighboursWalkTheKeptDimension) {
    for (const int64_t frames : {3, 300}) {
        Builder b;
        const Vertex in = b.input("in", {64, 100, frames});
        add_reduction(b, "sum", {64}, {100, frames}, {{in, ReadKind::Reduction, 1, {0, 1, 2}}}, Role::Output);
        const Member sum = reductions_of(b.graph, block_kernel(b.graph))[0];
        EXPECT_EQ(shared_rvar(b.graph, sum), frames > 100 ? 1 : 0);
        EXPECT_EQ(chunked_rvar(b.graph, sum), frames > 100 ? 0 : 1);
    }
}

TEST(ChunkedRvar, IsAnotherThanTheSharedOneIfThereIsOne) {
    const StageGraph image = total_of(64, 128, false), row = row_sum(1024, 4);
    EXPECT_EQ(chunked_rvar(image, reductions_of(image, block_kernel(image))[0]), 1);
    EXPECT_EQ(chunked_rvar(row, reductions_of(row, block_kernel(row))[0]), 0);
}

TEST(SharesLanes, WhereAllReductionsWalkRows) {
    const StageGraph rows = softmax(1024, 4096), columns = column_sum(1024, 4096);
    EXPECT_TRUE(shares_lanes(rows, block_kernel(rows)));
    EXPECT_FALSE(shares_lanes(columns, block_kernel(columns)));
}

TEST(SharesLanes, AsTheOutputIsWrittenWhereReductionsDiffer) {
    for (const bool turned : {false, true}) {
        Builder b;
        const Vertex in = b.input("in", {64, 64}), other = b.input("other", {64, 64});
        const Vertex sum = add_reduction(b, "sum", {64}, {64}, {whole_row(in)});
        const Vertex most = add_reduction(b, "most", {64}, {64}, {whole_column(other)});
        const Vertex out = b.output("output", {64, 64}, {{in}, of_row(sum), of_row(most)});
        b[out].memory_order = turned ? std::vector<int>{1, 0} : std::vector<int>{0, 1};
        EXPECT_EQ(shares_lanes(b.graph, block_kernel(b.graph)), !turned);
    }
}

}  // namespace
}  // namespace fusion::test

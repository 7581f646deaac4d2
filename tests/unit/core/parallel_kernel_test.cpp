#include "fusion/parallel_kernel.h"

#include <gtest/gtest.h>

#include "fusion/price.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

/// in -> sums along the rows or down the columns, in memory -> output.
StageGraph running_sum(bool along_rows) {
    Builder b;
    const Vertex in = b.input("in", {4096, 2048});
    const Vertex sums = add_reduction(b, "sums", {4096, 2048}, {along_rows ? 4095 : 2047}, {});
    b.output("output", {4096, 2048}, {{sums}});
    add_edge(in, sums - 1, {.follows = {0, 1}, .region = b[in].dims}, b.graph);
    b[sums].folds = b[sums].reassociable = false;
    b[sums - 1].independent = {0, 1};
    b[sums].independent = {along_rows ? 1 : 0};
    b[sums].places = Places::Loops;
    return b.graph;
}

TEST(ParallelKernel, ThreadsThatWalkRowsTakeALineEachAtEveryStep) {
    const StageGraph rows = running_sum(true), columns = running_sum(false);
    const Plan of_rows = plan_of(rows), of_columns = plan_of(columns);
    const Group &row = kernel_storing(of_rows, 2), &column = kernel_storing(of_columns, 2);
    EXPECT_EQ(row.kind, Template::Parallel);
    EXPECT_EQ(row.tile.threads, 32) << "over more multiprocessors";
    EXPECT_EQ(column.tile.threads, 256);
    EXPECT_GT(row.price.time_us, 2.5 * column.price.time_us);
    Group wide = row;
    wide.tile.threads = 256;
    const Price price = price_kernel(rows, wide, wide.tile, device_named("H200"), 64);
    EXPECT_NEAR(price.time_us, 1430, 200) << "as measured";
}

/// The same of planes, down their columns, whose number of steps is a constant or not.
StageGraph running_sum_of_planes(bool is_constant) {
    Builder b;
    const Vertex in = b.input("in", {4096, 2160, 3});
    const Vertex sums = add_reduction(b, "sums", {4096, 2160, 3}, {2159}, {});
    b.output("output", {4096, 2160, 3}, {{sums}});
    add_edge(in, sums - 1, {.follows = {0, 1, 2}, .region = b[in].dims}, b.graph);
    b[sums].folds = b[sums].reassociable = false;
    b[sums - 1].independent = {0, 1, 2};
    b[sums].independent = {0, 2};
    b[sums].places = Places::Loops;
    b[sums].most_extent = {0, is_constant ? 2160 : 0, 0};
    b[sums].kept_apart = "a block would have room for a column";
    return b.graph;
}

TEST(ParallelKernel, StepsOfConstantNumberByThreadsOfSeveralDimensionsReadBackWhatTheyWrote) {
    const StageGraph constant = running_sum_of_planes(true), unknown = running_sum_of_planes(false);
    EXPECT_NEAR(kernel_storing(plan_of(constant), 2).price.time_us, 1040, 150) << "as measured";
    EXPECT_LT(kernel_storing(plan_of(unknown), 2).price.time_us, 150);
}

}  // namespace
}  // namespace fusion::test

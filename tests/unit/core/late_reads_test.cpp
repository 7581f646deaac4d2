#include "fusion/late_reads.h"

#include <gtest/gtest.h>

#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

// row_sum's input is read by the sum alone; softmax's by the reductions first.
TEST(LateReads, AreOfInputsThatOnlyTheOutputWalks) {
    const Tile tile{.threads = 512, .reducing = 512};
    const auto late = [&](const StageGraph &graph) {
        return late_reads_us(graph, block_kernel(graph), tile, 1024, device_named("H200"));
    };
    EXPECT_EQ(late(softmax(4096, 32768)), 0);
    EXPECT_EQ(late(row_sum(4096, 32768)), 0);
    EXPECT_GT(late(scaled_by_row_sum(4096, 32768)), 0);
}

TEST(LateReads, TakeLongerWhereStepsAreGuarded) {
    const Tile tile{.threads = 512, .reducing = 512};
    const auto late = [&](int64_t width) {
        const StageGraph graph = scaled_by_row_sum(width, 32768);
        return late_reads_us(graph, block_kernel(graph), tile, 1024, device_named("H200")) / (double)width;
    };
    EXPECT_GT(late(4097), 2 * late(4096));
}

TEST(LateReads, CostNothingWhereThreadsAreEnough) {
    const StageGraph graph = scaled_by_row_sum(4096, 32768);
    EXPECT_EQ(late_reads_us(graph, block_kernel(graph), {.vector = 4, .threads = 512, .reducing = 512}, 1e6,
                            device_named("H200")),
              0);
}

}  // namespace
}  // namespace fusion::test

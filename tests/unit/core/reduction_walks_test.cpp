#include "fusion/reduction_walks.h"

#include <gtest/gtest.h>

#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

TEST(SliceLanes, AreAVectorWhereEachThreadHasWholeOnes) {
    const StageGraph graph = sliced(256);
    const Group group = block_kernel(graph);
    const Member slice = slices_of(graph, group)[0];
    EXPECT_EQ(slice_lanes(graph, slice, {.vector = 4, .threads = 64, .reducing = 64}), 4);
    EXPECT_EQ(slice_lanes(graph, slice, {.vector = 4, .threads = 128, .reducing = 128}), 1) << "256 slices";
    EXPECT_EQ(slice_lanes(graph, slice, {.vector = 1, .threads = 64, .reducing = 64}), 1);
    EXPECT_EQ(turns_of_slices(graph, group, {.vector = 4, .threads = 64, .reducing = 64}), 1);
    EXPECT_EQ(turns_of_slices(graph, group, {.vector = 4, .threads = 32, .reducing = 32}), 2);
    EXPECT_EQ(turns_of_slices(graph, group, {.vector = 1, .threads = 64, .reducing = 64}), 4);
    const StageGraph plain = softmax(1024, 4096);
    EXPECT_EQ(turns_of_slices(plain, block_kernel(plain), {.threads = 64, .reducing = 64}), 1);
}

TEST(VectorsHeld, AreAllOfARowWhoseWalksAreWrittenOutWhole) {
    const StageGraph graph = softmax(4096, 4096);
    const auto held = [&](const Tile &tile) { return vectors_held(graph, block_kernel(graph), tile); };
    EXPECT_EQ(held({.vector = 4, .per_thread = 4, .threads = 128, .reducing = 128}), 8);
    EXPECT_EQ(held({.vector = 4, .per_thread = 2, .threads = 128, .reducing = 128}), 0)
        << "eight steps, four at a time";
    EXPECT_EQ(held({.vector = 4, .per_thread = 2, .threads = 256, .reducing = 256}), 4);
    EXPECT_EQ(held({.vector = 4, .threads = 512, .reducing = 512}), 2);
    EXPECT_EQ(held({.per_thread = 4, .threads = 512, .reducing = 512}), 0) << "single elements";
    EXPECT_EQ(held({.vector = 4, .threads = 512, .reducing = 512, .bands = 2}), 0);
    const StageGraph guarded = softmax(4100, 4096);
    EXPECT_EQ(vectors_held(guarded, block_kernel(guarded), {.vector = 4, .threads = 512, .reducing = 512}), 0);
    const StageGraph slices = sliced(256);
    EXPECT_EQ(vectors_held(slices, block_kernel(slices), {.vector = 4, .threads = 512, .reducing = 512}), 0);
}

TEST(ReductionChunk, IsWholeRoundsOfWhatIsWrittenOut) {
    const StageGraph graph = column_sum(64, 1000000);
    const Group group = block_kernel(graph);
    const Member sum = reductions_of(graph, group)[0];
    const auto chunk = [&](const Tile &tile) { return reduction_chunk(graph, group, sum, tile); };
    EXPECT_EQ(chunk({.threads = 512, .reducing = 16, .chunks = 256}), 3968) << "3907 in rounds of 8 times 16";
    EXPECT_EQ(chunk({.per_thread = 2, .threads = 512, .reducing = 16, .chunks = 256}), 4096);
    EXPECT_EQ(chunk({.threads = 512, .reducing = 16, .chunks = 10000}), 112) << "100 are less than a round";
}

}  // namespace
}  // namespace fusion::test

/// What decides between the tiles of blocks that reduce together.
#include "fusion/reduction_price.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/price.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_tiles.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

Price price_of(const StageGraph &graph, const Tile &tile) {
    return price_kernel(graph, block_kernel(graph), tile, h200(), 64);
}

TEST(BlockWork, BlocksAreRowsOverThoseThatABlockHolds) {
    const StageGraph graph = softmax(64, 1000);
    EXPECT_EQ(work_of(graph, {.threads = 64, .reducing = 64}).blocks, 1000);
    EXPECT_EQ(work_of(graph, {.threads = 256, .reducing = 64}).blocks, 250);
    EXPECT_EQ(work_of(graph, {.threads = 512, .reducing = 64}).blocks, 125);
    EXPECT_EQ(work_of(graph, {.threads = 1024, .reducing = 64}).blocks, 63);
    EXPECT_EQ(work_of(graph, {.threads = 256, .reducing = 64}).rows, 1000);
}

TEST(BlockWork, ThreadsBeyondTheEndOfARowArePadding) {
    const auto padding = [](int64_t width) {
        return work_of(softmax(width, 1000), {.threads = 256, .reducing = 256}).padding;
    };
    EXPECT_EQ(padding(256), 1);
    EXPECT_EQ(padding(512), 1);
    EXPECT_NEAR(padding(257), 512.0 / 257, 1e-9);
    EXPECT_EQ(padding(1), 256);
}

TEST(BlockWork, NarrowBandsOfColumnsMoveWholeSectorsAndLines) {
    const StageGraph columns = column_sum(1024, 4096), rows = row_sum(1024, 4096);
    const auto uncoalesced = [&](int neighbours) {
        return work_of(columns, {.threads = 256, .reducing = 256 / neighbours}).uncoalesced;
    };
    EXPECT_GE(uncoalesced(1), 8);
    EXPECT_GE(uncoalesced(4), 2);
    EXPECT_LT(uncoalesced(4), uncoalesced(1));
    EXPECT_LT(uncoalesced(8), uncoalesced(4));
    EXPECT_EQ(uncoalesced(32), 1);
    EXPECT_EQ(work_of(rows, {.threads = 256, .reducing = 256}).uncoalesced, 1);
}

TEST(BlockWork, PartsAreWrittenAndReadAgainByOneMoreLaunchAReduction) {
    const Tile whole{.threads = 256, .reducing = 256}, parts{.threads = 256, .reducing = 256, .chunks = 64};
    const StageGraph one = row_sum(1 << 24, 2), two = row_range(1 << 24, 2);
    EXPECT_EQ(work_of(one, whole).partial_launches, 0);
    EXPECT_EQ(work_of(one, whole).partial_bytes, 0);
    EXPECT_EQ(work_of(one, parts).partial_launches, 1);
    EXPECT_EQ(work_of(one, parts).partial_bytes, 2 * 2 * 64 * 4);
    EXPECT_EQ(work_of(two, parts).partial_launches, 2);
    EXPECT_EQ(price_of(two, parts).launches, 3);
}

TEST(BlockWork, EachBandReadsWhatItsRowReduces) {
    const StageGraph graph = softmax(1 << 20, 2);
    const Tile alone{.threads = 256, .reducing = 256}, shared{.threads = 256, .reducing = 256, .bands = 8};
    EXPECT_EQ(work_of(graph, alone).band_bytes, 0);
    EXPECT_EQ(work_of(graph, shared).blocks, 8 * work_of(graph, alone).blocks);
    EXPECT_EQ(work_of(graph, shared).band_bytes, 7 * 2 * 4.0 * 2 * (1 << 20)) << "two reductions of two rows";
    EXPECT_EQ(work_of(graph, shared).partial_launches, 0);
}

TEST(AgainUs, RowsComeFromTheCachesAsFarAsTheyFit) {
    const auto again = [](int64_t width, const Tile &tile) {
        const StageGraph graph = softmax(width, (int64_t(1) << 27) / width);
        const Group group = block_kernel(graph);
        const double full = h200().multiprocessors * (2048 / tile.threads) * tile.threads;
        return again_us(graph, group, tile, block_work(graph, group, tile, h200()), full, h200());
    };
    const Tile whole{.vector = 4, .threads = 1024, .reducing = 1024};
    Tile banded = whole;
    banded.bands = 4;
    EXPECT_EQ(again(8192, whole), 0) << "two rows of 32 KB in the L1";
    EXPECT_GT(again(32768, whole), again(16384, whole)) << "from the L2";
    EXPECT_GT(again(65536, whole), again(32768, whole)) << "from memory";
    EXPECT_GT(again(8192, banded), 0) << "other blocks read it first";
}

TEST(AgainUs, ARowInRegistersIsNotReadAgain) {
    const StageGraph graph = softmax(32768, 4096);
    const Group group = block_kernel(graph);
    const auto again = [&](const Tile &tile) {
        const double full = h200().multiprocessors * 1024;
        return again_us(graph, group, tile, block_work(graph, group, tile, h200()), full, h200());
    };
    const Tile whole{.vector = 4, .per_thread = 4, .threads = 1024, .reducing = 1024};
    Tile loop = whole;
    loop.per_thread = 2;
    EXPECT_EQ(again(whole), 0);
    EXPECT_GT(again(loop), 0);
    EXPECT_EQ(block_kernel(graph).tile, whole);
}

TEST(LastWave, CostsWhereItsBlocksAreTooFewForTheMemory) {
    const double enough = h200().memory_bandwidth * h200().memory_latency * 1000;
    EXPECT_EQ(last_wave(0.9, enough, h200()), 1) << "one wave";
    EXPECT_EQ(last_wave(2, enough, h200()), 1) << "whole ones";
    EXPECT_NEAR(last_wave(1.5, enough, h200()), 2 / 1.5, 1e-9) << "half of the blocks take as long as all";
    EXPECT_EQ(last_wave(1.5, 2 * enough, h200()), 1) << "half are enough";
    EXPECT_LT(last_wave(30.5, enough, h200()), 1.02);
}

TEST(BlockWork, FoldingTheChunksTakesAStepForEachThatAThreadHas) {
    const StageGraph graph = column_sum(64, 1000000);
    const auto partial = [&](int reducing, int chunks) {
        return work_of(graph, {.threads = 512, .reducing = reducing, .chunks = chunks}).partial_us;
    };
    EXPECT_EQ(partial(16, 1), 0);
    EXPECT_GT(partial(16, 131), partial(16, 66));
    EXPECT_GT(partial(8, 131), partial(16, 131));
}

TEST(SlowerWalk, ABlockAloneWaitsAtItsBarriersUnlessItsRowIsLongOrItIsAChunk) {
    const StageGraph graph = softmax(16384, 8192);
    const Group group = block_kernel(graph);
    const Tile held{.vector = 4, .per_thread = 2, .threads = 1024, .reducing = 1024};
    const double one = 1024.0 * h200().multiprocessors;
    const auto slower = [&](Tile tile, const Walk &walk) { return slower_walk(graph, group, tile, walk, h200()); };
    const double two_blocks = slower(held, {2 * one, 30, 128e3}), alone = slower(held, {one, 60, 128e3});
    EXPECT_GT(alone, 1.1 * two_blocks);
    EXPECT_LT(slower(held, {one, 60, 256e3}), 1.03 * two_blocks);
    Tile chunk = held;
    chunk.chunks = 2;
    EXPECT_GT(slower(chunk, {one, 2, 128e3}), slower(chunk, {one, 1, 128e3}));
}

TEST(BlockWork, AThreadAlonePassesNothingThroughSharedMemory) {
    const StageGraph graph = column_sum(1 << 20, 16);
    EXPECT_EQ(work_of(graph, {.threads = 256, .reducing = 1}).shared_bytes, 0);
    EXPECT_GT(work_of(graph, {.threads = 256, .reducing = 8}).shared_bytes, 256 * 4);
}

TEST(BlockWork, OnlyInputsReadInSeveralPassesAreWalkedAgain) {
    EXPECT_EQ(work_of(softmax(4096, 1000), {.threads = 256, .reducing = 256}).walked_bytes, 4096 * 4);
    EXPECT_EQ(work_of(softmax(4096, 1000), {.threads = 512, .reducing = 256}).walked_bytes, 2 * 4096 * 4);
    EXPECT_EQ(work_of(row_sum(4096, 1000), {.threads = 256, .reducing = 256}).walked_bytes, 0);
}

/// Time of reading a byte of rows of `width` elements, many of them, in blocks of 512 threads a row.
double read_us_a_byte(int64_t width, int vector) {
    const Price price = price_of(softmax(width, 1 << 14), {.vector = vector, .threads = 512, .reducing = 512});
    return price.read_us / price.bytes_read;
}

/// The longest row, in elements, that is read for at most `factor` times the time a byte of a short one.
int64_t longest_row_within(double factor, int vector) {
    const double most = factor * read_us_a_byte(1024, vector);
    int64_t inside = 256, outside = 1 << 18;  // in vectors
    EXPECT_GT(read_us_a_byte(outside * 4, vector), most);
    while (outside - inside > 1) {
        const int64_t middle = (inside + outside) / 2;
        (read_us_a_byte(middle * 4, vector) <= most ? inside : outside) = middle;
    }
    return inside * 4;
}

/// Bytes of the rows of this length that are resident on a multiprocessor.
double resident_bytes(int64_t width, int vector) {
    const Price price = price_of(softmax(width, 1 << 14), {.vector = vector, .threads = 512, .reducing = 512});
    return price.occupancy * h200().threads_per_multiprocessor / 512 * (double)width * 4;
}

// How much of the L1 rows may fill is measured: between a quarter and all of it.
TEST(ReadingRowsAgain, IsFreeJustInsideTheL1AndDearerByDegreesOutside) {
    for (const int vector : {1, 4}) {
        const int64_t inside = longest_row_within(1.01, vector);
        EXPECT_GE(resident_bytes(inside, vector), 0.25 * h200().l1);
        EXPECT_LE(resident_bytes(inside, vector), h200().l1);
        EXPECT_GT(read_us_a_byte(inside * 5 / 4, vector), 1.1 * read_us_a_byte(inside, vector));
        EXPECT_GT(read_us_a_byte(inside * 2, vector), 1.5 * read_us_a_byte(inside, vector));
    }
}

TEST(ReadingRowsAgain, CostsMoreFromMemoryThanFromTheL2) {
    const double from_memory = 3 / h200().memory_bandwidth / 1000;  // three passes
    EXPECT_LT(read_us_a_byte(16384, 1), 0.9 * from_memory) << "34 MB are resident";
    EXPECT_NEAR(read_us_a_byte(1 << 18, 1), from_memory, 0.05 * from_memory);
}

TEST(ReductionPrice, AFewLongRowsTakeTheTimeOfTheirSteps) {
    const Tile tile{.threads = 512, .reducing = 512};
    const StageGraph one = softmax(1 << 20, 1);
    EXPECT_GT(price_of(one, tile).compute_us, 100);
    EXPECT_GT(price_of(one, tile).compute_us, 1.9 * price_of(softmax(1 << 19, 1), tile).compute_us);
    EXPECT_EQ(price_of(one, tile).compute_us, price_of(softmax(1 << 20, 2), tile).compute_us);
}

TEST(ReductionPrice, TheChosenTileIsTheCheapestOfThoseOffered) {
    for (const StageGraph &graph :
         {softmax(1024, 131072), softmax(16384, 8192), row_sum(1 << 24, 2), column_sum(1024, 65536)}) {
        Group kernel = block_kernel(graph);
        for (const Tile &tile : tiles_of(graph)) {
            EXPECT_LE(kernel.price.time_us, price_of(graph, tile).time_us);
        }
    }
}

TEST(ReductionPrice, FewLongRowsAreSplitOverBlocksAndManyAreNot) {
    EXPECT_GT(block_kernel(row_sum(1 << 24, 2)).tile.chunks, 16);
    EXPECT_EQ(block_kernel(row_sum(4096, 65536)).tile.chunks, 1);
}

TEST(ReductionPrice, ShortRowsShareABlock) {
    const Tile tile = block_kernel(softmax(64, 1 << 20)).tile;
    EXPECT_GT(tile.threads / tile.reducing, 1);
    EXPECT_LE(tile.reducing, 64);
}

TEST(ReductionPrice, ManyColumnsOfAFewRowsAreAThreadEach) {
    EXPECT_EQ(block_kernel(column_sum(1 << 24, 8)).tile.reducing, 1);
}

TEST(ReductionPrice, SingleElementsThatASelectPicksKeepFewerLoadsInFlight) {
    StageGraph graph = softmax(4096, 32768);
    graph[stage_named(graph, "e")].live_values = 20;  // fewer threads are resident
    const Tile scalar{.threads = 128, .reducing = 128}, vector{.vector = 4, .threads = 512, .reducing = 512};
    const double scalar_us = price_of(graph, scalar).read_us, vector_us = price_of(graph, vector).read_us;
    graph[stage_named(graph, "e")].work.selected_loads = 1;
    EXPECT_GT(price_of(graph, scalar).read_us, 1.1 * scalar_us);
    EXPECT_EQ(price_of(graph, vector).read_us, vector_us);
}

}  // namespace
}  // namespace fusion::test

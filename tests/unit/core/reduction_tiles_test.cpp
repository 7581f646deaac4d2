#include "fusion/reduction_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/reduction_kernel.h"
#include "fusion/reduction_price.h"
#include "fusion/reduction_walks.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

bool offers_chunks(const StageGraph &graph) {
    const std::vector<Tile> tiles = tiles_of(graph);
    return std::any_of(tiles.begin(), tiles.end(), [](const Tile &t) { return t.chunks > 1; });
}

bool offers_vectors(const StageGraph &graph) {
    const std::vector<Tile> tiles = tiles_of(graph);
    return std::any_of(tiles.begin(), tiles.end(), [](const Tile &t) { return t.vector > 1; });
}

TEST(ReductionTiles, AreOnesThatABlockCanHave) {
    for (const StageGraph &graph : {softmax(1, 1), softmax(1000, 7), softmax(4096, 32768), row_range(1 << 24, 2),
                                    row_sum(1 << 28, 1), column_sum(1024, 65536), column_sum(3, 1 << 20)}) {
        const std::vector<Tile> tiles = tiles_of(graph);
        ASSERT_FALSE(tiles.empty());
        for (const Tile &tile : tiles) {
            EXPECT_GE(tile.threads, 32);
            EXPECT_LE(tile.threads, 1024);
            EXPECT_EQ(tile.threads % tile.reducing, 0);
            EXPECT_LE(tile.per_thread, tile.vector > 1 ? 4 : 2);
            EXPECT_GE(tile.chunks, 1);
        }
    }
}

TEST(ReductionTiles, AThreadReducesAloneOnlyWhereNothingIsComputedFromTheValue) {
    const auto offers_single = [](const StageGraph &graph) {
        const std::vector<Tile> tiles = tiles_of(graph);
        return std::any_of(tiles.begin(), tiles.end(), [](const Tile &t) { return t.reducing == 1; });
    };
    EXPECT_TRUE(offers_single(row_sum(64, 1 << 20)));
    EXPECT_FALSE(offers_single(softmax(64, 1 << 20)));
}

TEST(ReductionTiles, VectorsDivideTheRowAndWalkNeighbours) {
    EXPECT_TRUE(offers_vectors(softmax(1024, 4096)));
    EXPECT_FALSE(offers_vectors(softmax(1023, 4096)));
    EXPECT_FALSE(offers_vectors(softmax(1022, 4096)));
    EXPECT_FALSE(offers_vectors(column_sum(1024, 4096)));
}

TEST(ReductionTiles, VectorsAreOfWords) {
    StageGraph graph = softmax(1024, 4096);
    const Vertex in = stage_named(graph, "in");
    graph[in].element_bytes = {8};
    graph[in].value_bytes = 8;
    EXPECT_FALSE(offers_vectors(graph));
    graph[in].element_bytes = {2};
    graph[in].value_bytes = 2;
    EXPECT_TRUE(offers_vectors(graph)) << "of narrower ones a vector is one access too";
}

TEST(ReductionTiles, VectorsOfSumsAreNotGuardedWhereThatGoesWrong) {
    StageGraph graph = softmax(1024, 4096);
    const Vertex output = num_vertices(graph) - 1;
    graph[output].no_guards = true;
    EXPECT_TRUE(offers_vectors(graph)) << "the output's general branch has none";
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        graph[v].no_guards |= !graph[v].reduction.empty();
    }
    EXPECT_FALSE(offers_vectors(graph));
}

TEST(ReductionTiles, VectorsOfSumsAndOutputsAreOfWordsToo) {
    for (const char *func : {"total", "output"}) {
        StageGraph graph = softmax(1024, 4096);
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            if (graph[v].func == func) {
                graph[v].element_bytes = {8};
                graph[v].value_bytes = 8;
            }
        }
        EXPECT_FALSE(offers_vectors(graph)) << func;
    }
}

// Guarded vectors of float16 are stored wrongly (softmax_masked on an H200, also outside of the output).
TEST(ReductionTiles, NoVectorsOfAnOutputThatCannotHaveThem) {
    StageGraph graph = softmax(1024, 4096);
    EXPECT_TRUE(offers_vectors(graph));
    graph[num_vertices(graph) - 1].no_vectors = true;
    EXPECT_FALSE(offers_vectors(graph));
}

TEST(ReductionTiles, ABlockOfSingleElementsHasAtMost512Threads) {
    int most = 0;
    for (const Tile &tile : tiles_of(row_sum(1 << 20, 64))) {
        most = tile.vector == 1 ? std::max(most, tile.threads) : most;
    }
    EXPECT_EQ(most, 512);
}

TEST(ReductionTiles, PartsGoToOtherBlocksWhereNoReductionWaitsForAnother) {
    EXPECT_TRUE(offers_chunks(row_sum(1 << 24, 2)));
    EXPECT_TRUE(offers_chunks(column_sum(1024, 65536)));
    EXPECT_TRUE(offers_chunks(row_range(1 << 24, 2)));
    EXPECT_FALSE(offers_chunks(softmax(1 << 24, 2)));
}

TEST(ReductionTiles, PartsStopWhereTheGridIsFull) {
    EXPECT_FALSE(offers_chunks(row_sum(1 << 14, 1 << 20)));
    double most = 0;
    const StageGraph graph = row_sum(1 << 24, 8);
    for (const Tile &tile : tiles_of(graph)) {
        most = std::max(most, work_of(graph, tile).blocks);
    }
    EXPECT_LE(most, 16 * h200().multiprocessors);
    EXPECT_GT(most, 8 * h200().multiprocessors);
}

TEST(ReductionTiles, PartsFillMultiprocessorsAndNumberAsManyAsThereAre) {
    const StageGraph graph = column_sum(64, 1000000);
    const Group group = block_kernel(graph);
    bool fills_one_each = false;
    for (const Tile &tile : tiles_of(graph)) {
        if (tile.chunks > 1) {
            const int64_t chunk = reduction_chunk(graph, group, reductions_of(graph, group)[0], tile);
            EXPECT_EQ((1000000 + chunk - 1) / chunk, tile.chunks);
        }
        const double blocks = work_of(graph, tile).blocks;
        fills_one_each = fills_one_each || (blocks > 128 && blocks <= h200().multiprocessors);
    }
    EXPECT_TRUE(fills_one_each);
}

TEST(ReductionTiles, RowsThatThreadsCanHoldAreWrittenOutWhole) {
    const auto most_vectors = [](int64_t width) {
        int most = 0;
        for (const Tile &tile : tiles_of(softmax(width, 4096))) {
            most = tile.reducing == 1024 && tile.vector > 1 ? std::max(most, tile.per_thread) : most;
        }
        return most;
    };
    EXPECT_EQ(most_vectors(8192), 1);
    EXPECT_EQ(most_vectors(16384), 2);
    EXPECT_EQ(most_vectors(32768), 4) << "eight vectors, 32 registers";
    EXPECT_EQ(most_vectors(65536), 2) << "as many registers as a thread may have";
}

TEST(ReductionTiles, APartGivesEachThreadFourSteps) {
    const int64_t width = 1 << 16;
    for (const Tile &tile : tiles_of(row_sum(width, 1))) {
        const int64_t a_step = (int64_t)tile.chunks * tile.reducing * tile.vector;
        EXPECT_TRUE(tile.chunks == 1 || width >= 4 * a_step) << tile.chunks << " x " << tile.reducing;
    }
}

TEST(ReductionTiles, ThereAreNoMorePartsThanStepsOfTheLoopThatIsCut) {
    Builder b;
    const Vertex in = b.input("in", {1 << 20, 6});
    add_reduction(b, "sum", {}, {1 << 20, 6}, {{in, ReadKind::Reduction, 1, {0, 1}}}, Role::Output);
    int most = 0;
    for (const Tile &tile : tiles_of(b.graph)) {
        most = std::max(most, tile.chunks);
    }
    EXPECT_EQ(most, 6);
}

TEST(ReductionTiles, FewLongRowsAreSharedByBlocksThatReduceThemAgain) {
    const auto most_bands = [](const StageGraph &graph) {
        int most = 0;
        for (const Tile &tile : tiles_of(graph)) {
            most = tile.reducing == 256 ? std::max(most, tile.bands) : most;
        }
        return most;
    };
    EXPECT_GE(most_bands(softmax(1 << 24, 2)), 64);
    EXPECT_EQ(most_bands(softmax(1 << 12, 1 << 15)), 1);
    EXPECT_EQ(most_bands(row_sum(1 << 24, 2)), 1) << "without columns to share";
}

}  // namespace
}  // namespace fusion::test

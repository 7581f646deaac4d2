#include "fusion/owned_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/kernels.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Device &h200() {
    return device_named("H200");
}

/// in -> grid of cells with `levels` each, of `channels`, that add up windows of 64 -> output, which reads where data say.
StageGraph grid(int64_t levels, int64_t channels) {
    Builder b;
    const Vertex in = b.input("in", {2048, 2048});
    const Vertex cells =
        add_reduction(b, "cells", {256, 256, levels, channels}, {8, 8}, {{in, ReadKind::Reduction, 1, {-1, -1}}});
    b.output("output", {2048, 2048}, {{cells, ReadKind::Gather, 1, {-1, -1, -1, -1}}, {in}});
    for (const Vertex v : {cells - 1, cells}) {
        b[v].most_extent = {0, 0, levels, channels};
    }
    b[cells].folds = b[cells].reassociable = false;
    b[cells].independent = {0, 1, 3};
    b[cells].places = Places::Data;
    // Loops: x, y, level, channel, r.x, r.y. Of a step most is the same for all channels.
    b[cells].work.shares = {{0b110011, 20}, {0b111011, 4}};
    return b.graph;
}

Vertex cells_of(const StageGraph &graph) {
    return stage_named(graph, "output") - 1;
}

std::vector<Tile> tiles_of(const StageGraph &graph) {
    return table_tiles(graph, kernel_storing(plan_of(graph), cells_of(graph)), h200());
}

TEST(OwnedTables, ChannelsAreWhereAStepIsMostlyTheSame) {
    StageGraph graph = grid(16, 2);
    EXPECT_THAT(channel_dims(graph, cells_of(graph)), ElementsAre(3));
    graph[cells_of(graph)].work.shares = {{0b110011, 4}, {0b111011, 20}};
    EXPECT_THAT(channel_dims(graph, cells_of(graph)), IsEmpty());
}

TEST(OwnedTables, AThreadHasAFewChannelsAndARowOfThreadsMany) {
    for (const Tile &tile : tiles_of(grid(16, 2))) {
        EXPECT_EQ(tile.dims.z, 3);
        EXPECT_EQ(tile.slices, 2);
        EXPECT_NE(tile.dims.x, 3);
    }
    std::vector<int> lanes;
    for (const Tile &tile : tiles_of(grid(16, 22))) {
        EXPECT_EQ(tile.slices, 1);
        lanes.push_back(tile.dims.x == 3 ? tile.lanes : 0);
    }
    EXPECT_THAT(lanes, Contains(22));
}

TEST(OwnedTables, AreTakenForAGrid) {
    const StageGraph graph = grid(16, 2);
    const Group kernel = kernel_storing(plan_of(graph), cells_of(graph));
    EXPECT_EQ(kernel.kind, Template::Private);
    EXPECT_TRUE(has_table_tile(kernel.tile));
    EXPECT_EQ(kernel.price.shared_bytes, kernel.tile.threads * 2 * 16 * 4);
}

TEST(OwnedTables, FitABlocksSharedMemory) {
    const auto threads = [](int64_t levels) {
        const std::vector<Tile> tiles = tiles_of(grid(levels, 2));
        return tiles.empty() ? 0 : tiles[0].threads;
    };
    EXPECT_EQ(threads(160), 32);
    EXPECT_EQ(threads(161), 16);
    EXPECT_EQ(threads(321), 8) << "part of a warp";
    EXPECT_EQ(threads(641), 0);
}

TEST(OwnedTables, ReadFewLinesWhereNeighboursReadNeighbours) {
    StageGraph graph = grid(16, 2);
    const Group kernel = kernel_storing(plan_of(graph), cells_of(graph));
    const auto instructions = [&](int lanes) {
        Tile tile = kernel.tile;
        tile.dims.x = 0, tile.dims.y = 1;
        tile.lanes = lanes, tile.threads = 32;
        return table_work(graph, kernel, tile, h200()).instructions;
    };
    const double apart = instructions(32);
    EXPECT_EQ(instructions(8), apart);
    for (auto [e, end] = in_edges(cells_of(graph), graph); e != end; ++e) {
        graph[*e].runs = {0, -1, -1, -1};
    }
    EXPECT_LT(instructions(8), apart) << "four rows of eight";
    EXPECT_LT(instructions(32), instructions(8));
}

TEST(OwnedTables, OnlyOfWhatIsAddedWhereDataSay) {
    StageGraph graph = grid(16, 2);
    graph[cells_of(graph)].places = Places::Loops;
    EXPECT_THAT(tiles_of(graph), IsEmpty());
}

}  // namespace
}  // namespace fusion::test

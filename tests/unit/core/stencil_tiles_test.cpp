#include "fusion/stencil_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

/// A filter of 32 channels over an image, all of which each point of the output reads by their numbers.
class StencilTiles : public ::testing::Test {
protected:
    Builder b;
    Vertex filtered, mixed;

    StencilTiles() {
        const Vertex in = b.input("in", {32, 448, 448});
        filtered = b.stage("filtered", {32, 448, 448}, {{in, ReadKind::Stencil, 9}});
        mixed = b.output("mixed", {32, 448, 448}, {{filtered, ReadKind::Broadcast, 32, {-1, 1, 2}}});
        b.graph[edge(in, filtered, b.graph).first].reach = {{0, 0}, {-1, 1}, {-1, 1}};
    }

    Read &read() { return b.graph[edge(filtered, mixed, b.graph).first]; }

    /// The most points that a thread is offered.
    int most_points() {
        const Plan plan = plan_of(b.graph, Variant::Unfused);
        Group group = kernel_storing(plan, filtered);
        group.kind = Template::Stencil;
        int most = 0;
        for (const Tile &tile : stencil_tiles(b.graph, group)) {
            most = std::max(most, tile.vector * tile.per_thread);
        }
        return most;
    }
};

TEST_F(StencilTiles, AThreadHasOnePointWhereNothingShowsRoom) {
    EXPECT_EQ(most_points(), 1);
}

TEST_F(StencilTiles, WhatIsReadByNumberIsRoom) {
    read().numbers = {32, 0, 0};
    EXPECT_EQ(most_points(), 8) << "32 channels are no room for two times 32 lanes";
    read().numbers = {31, 0, 0};
    EXPECT_EQ(most_points(), 1);
}

TEST_F(StencilTiles, AnOutputOfAnySizeIsRoom) {
    read().follows = {0, 1, 2};
    EXPECT_EQ(most_points(), 8);
}

}  // namespace
}  // namespace fusion::test

#include "fusion/stencil_tiles.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/footprint.h"
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

TEST(StencilTilesOfBytes, HaveMorePointsBesideEachOtherThanThoseOfFloats) {
    for (const auto &[bytes, expected] : {std::pair(1, 8), std::pair(2, 4), std::pair(4, 2), std::pair(8, 2)}) {
        Builder b;
        const Vertex in = b.input("in", {2048, 2048});
        const Vertex out = b.output("out", {2048, 2048}, {{in, ReadKind::Strided, 2, {0, -1}}});
        Read &read = b.graph[edge(in, out, b.graph).first];
        read.is_box = false;
        read.rates = {{.loop = 0}, {.decided_by = Share::bit(1)}};
        b.set_bytes(out, bytes);
        Group group = trace_kernel(b.graph, {Placement::Root, Placement::Root}, {out});
        b.set_bytes(in, 1);
        int most = 0;
        for (const Tile &tile : stencil_tiles(b.graph, group)) {
            most = std::max(most, tile.vector);
        }
        EXPECT_EQ(most, expected) << bytes << " bytes an element";
    }
}

}  // namespace
}  // namespace fusion::test

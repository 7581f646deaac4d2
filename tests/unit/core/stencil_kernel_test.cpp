#include "fusion/stencil_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// in -> wide -> out, each reading `span` + 1 neighbours of the one before in each dimension.
class StencilKernel : public ::testing::Test {
protected:
    Builder b;
    Vertex in, wide, out;

    StencilKernel() {
        in = b.input("in", {1024, 1024});
        wide = b.stage("wide", {1024, 1024}, {{in, ReadKind::Stencil, 9}});
        out = b.output("out", {1024, 1024}, {{wide, ReadKind::Stencil, 9}});
        set_reach(1);
    }

    void set_reach(int64_t each) {
        for (const Edge &e : edges_in_order(b.graph)) {
            b.graph[e].reach = {{-each, each}, {-each, each}};
        }
    }

    Group kernel(Placement of_wide) {
        Group group = trace_kernel(b.graph, {Placement::Root, of_wide, Placement::Root}, {out});
        group.kind = Template::Stencil;
        group.tile = {.vector = 2, .per_thread = 4, .threads = 256, .lanes = 32, .dims = tiled_dims(b.graph, group)};
        return group;
    }

    const Member &member(const Group &group, Vertex stage) const {
        return *std::find_if(group.members.begin(), group.members.end(),
                             [&](const Member &m) { return m.stage == stage; });
    }
};

TEST_F(StencilKernel, CoversTheContiguousDimensionAndTheOneThatSharesMost) {
    const TiledDims dims = tiled_dims(b.graph, kernel(Placement::Inlined));
    EXPECT_EQ(dims.x, 0);
    EXPECT_EQ(dims.y, 1);
    EXPECT_EQ(dims.z, -1);
}

TEST_F(StencilKernel, ComputesWhatAThreadsPointsShareOnce) {
    const Group group = kernel(Placement::AtThread);
    EXPECT_DOUBLE_EQ(stencil_work(b.graph, group, group.tile).evaluations.at(wide), 1024.0 * 1024 * (4 * 6) / 8);
}

TEST_F(StencilKernel, ComputesABlocksTileInWholeRounds) {
    const Group group = kernel(Placement::AtBlock);
    EXPECT_THAT(box_of(member(group, wide).sides, block_tile(2, group.tile)), ElementsAre(64 + 2, 32 + 2));
    const StencilWork work = stencil_work(b.graph, group, group.tile);
    EXPECT_DOUBLE_EQ(work.shared_bytes, 66 * 34 * 4);
    EXPECT_DOUBLE_EQ(work.evaluations.at(wide), 1024.0 * 1024 / (64 * 32) * (96 * 40));
}

TEST_F(StencilKernel, FindsWhatIsAtNumbersOnceAThreadOfABox) {
    Builder with;
    const Vertex weights = with.stage("weights", {5}, {}, 20);
    const Vertex source = with.input("in", {1024, 1024});
    const Vertex box = with.stage("box", {1024, 1024}, {{source}, {weights, ReadKind::Broadcast, 1, {-1}}});
    const Vertex result = with.output("result", {1024, 1024}, {{box, ReadKind::Stencil, 9}});
    with.graph[edge(box, result, with.graph).first].reach = {{-1, 1}, {-1, 1}};
    with.graph[edge(weights, box, with.graph).first].rates = {{.is_number = true}};
    std::vector<Placement> placement(num_vertices(with.graph), Placement::Root);
    placement[weights] = Placement::Inlined;
    placement[box] = Placement::AtBlock;
    Group group = trace_kernel(with.graph, placement, {result});
    group.kind = Template::Stencil;
    group.tile = {.vector = 2, .per_thread = 4, .threads = 256, .lanes = 32, .dims = tiled_dims(with.graph, group)};
    const double blocks = 1024.0 * 1024 / (64 * 32);
    EXPECT_DOUBLE_EQ(stencil_work(with.graph, group, group.tile).evaluations.at(weights), blocks * 256);
    for (Use &use : group.members[0].uses) {
        use.numbers.clear();
    }
    EXPECT_GT(stencil_work(with.graph, group, group.tile).evaluations.at(weights), blocks * 64 * 32);
}

TEST_F(StencilKernel, CountsWhatThePointsOfAThreadShare) {
    // Of `wide` 4 x 3 values: rows that are done leave. Of `in` the same of two neighbours more each way.
    Group group = kernel(Placement::Inlined);
    EXPECT_DOUBLE_EQ(stencil_work(b.graph, group, group.tile).values_shared, 4 * 3 + 6 * 5);
    group.tile.vector = group.tile.per_thread = 1;
    EXPECT_DOUBLE_EQ(stencil_work(b.graph, group, group.tile).values_shared, 0);
}

TEST_F(StencilKernel, CanTileABoxAndNothingElse) {
    EXPECT_TRUE(can_tile(b.graph, kernel(Placement::AtThread)).allowed());
    EXPECT_TRUE(can_tile(b.graph, kernel(Placement::AtBlock)).allowed());
    b.graph[edge(wide, out, b.graph).first].is_box = false;
    EXPECT_THAT(can_tile(b.graph, kernel(Placement::AtThread)).why(), HasSubstr("no constant size"));
    EXPECT_TRUE(can_tile(b.graph, kernel(Placement::Inlined)).allowed()) << "nothing is kept";
}

TEST_F(StencilKernel, PlansOneKernelOfTwoStencilsAndKeepsFarOnesApart) {
    EXPECT_EQ(plan_of(b.graph).groups.size(), 1u);
    EXPECT_EQ(kernel_storing(plan_of(b.graph), out).kind, Template::Stencil);
    // Of a hundred neighbours each way, computing the first again for the second is dearer than storing it.
    for (const Edge &e : edges_in_order(b.graph)) {
        b.graph[e].points = 10201;
    }
    set_reach(50);
    b.graph[wide].work.arithmetic = b.graph[out].work.arithmetic = 10201;
    EXPECT_EQ(plan_of(b.graph).groups.size(), 2u);
}

/// out(x, y, c) = in(g(x), h(y), c): what follows from x or y alone is the same for all channels.
TEST(StencilKernelOfPlaces, SharesTheWorkThatSomeDimensionsDecide) {
    Builder b;
    const Vertex in = b.input("in", {512, 512, 3});
    const Vertex out = b.output("out", {1024, 1024, 3}, {{in, ReadKind::Strided, 4, {-1, -1, 2}}}, 12);
    Read &read = b.graph[edge(in, out, b.graph).first];
    read.is_box = false;
    read.rates = {{.decided_by = Share::bit(0)}, {.decided_by = Share::bit(1)}, {.loop = 2}};
    b[out].work.shares = {{Share::bit(0), 4}, {Share::bit(1), 4}, {7, 4}};
    const Group group = trace_kernel(b.graph, {Placement::Root, Placement::Root}, {out});
    EXPECT_TRUE(shares_places(b.graph, group));
    EXPECT_EQ(tiled_dims(b.graph, group).z, 2);
    read.rates[0].decided_by = read.rates[1].decided_by = 7;
    EXPECT_FALSE(shares_places(b.graph, trace_kernel(b.graph, {Placement::Root, Placement::Root}, {out})))
        << "data of each point: nothing is the same for two";
}

TEST_F(StencilKernel, AThreadComputesTheChannelsThatShareAValue) {
    Builder c;
    const Vertex image = c.input("image", {1024, 1024});
    const Vertex ratio = c.stage("ratio", {1024, 1024}, {{image, ReadKind::Stencil, 9}}, 50);
    const Vertex colour = c.output("colour", {1024, 1024, 3}, {{ratio, ReadKind::Broadcast, 1, {0, 1}}});
    c.graph[edge(image, ratio, c.graph).first].reach = {{-1, 1}, {-1, 1}};
    c.graph[edge(ratio, colour, c.graph).first].reach = {{0, 0}, {0, 0}};
    const Group group = trace_kernel(c.graph, {Placement::Root, Placement::Inlined, Placement::Root}, {colour});
    EXPECT_EQ(tiled_dims(c.graph, group).z, 2);
    EXPECT_EQ(kernel_storing(plan_of(c.graph), colour).tile.slices, 3);
}

}  // namespace
}  // namespace fusion::test

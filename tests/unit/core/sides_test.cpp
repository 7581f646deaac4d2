#include "fusion/sides.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "fusion/stencil_kernel.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// in -> fine -> coarse -> out: halves both dimensions and doubles them again.
class Sides : public ::testing::Test {
protected:
    Builder b;
    Vertex in, fine, coarse, out;

    Sides() {
        in = b.input("in", {1024, 1024});
        fine = b.stage("fine", {1024, 1024}, {{in}});
        coarse = b.stage("coarse", {512, 512}, {{fine, ReadKind::Strided, 9}});
        out = b.output("out", {1024, 1024}, {{coarse, ReadKind::Strided, 4}});
        set(fine, coarse, {.steps = 2, .low = -1, .high = 1});
        set(coarse, out, {.of = 2, .low = -0.5, .high = 0.5, .shape = 1});
    }

    void set(Vertex producer, Vertex consumer, Rate rate) {
        Read &read = b.graph[edge(producer, consumer, b.graph).first];
        read.is_box = false;
        read.is_sized = true;
        read.rates = {rate, rate};
        read.rates[0].loop = 0;
        read.rates[1].loop = 1;
    }

    Group kernel(Placement of_fine, Placement of_coarse) {
        Group group = trace_kernel(b.graph, {Placement::Root, of_fine, of_coarse, Placement::Root}, {out});
        group.kind = Template::Stencil;
        group.tile = {.per_thread = 2, .threads = 256, .lanes = 32, .dims = tiled_dims(b.graph, group)};
        return group;
    }

    std::vector<double> box(const Group &group, Vertex stage) const {
        const auto member =
            std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == stage; });
        return box_of(member->sides, block_tile(2, group.tile));
    }
};

TEST_F(Sides, OfATileAreScaledByTheRates) {
    const Group group = kernel(Placement::AtBlock, Placement::AtBlock);
    EXPECT_THAT(box(group, coarse), ElementsAre(17, 9));
    // Of 17 points 35, and one more: the path does not tell on which side of it the first lies.
    EXPECT_THAT(box(group, fine), ElementsAre(36, 20));
    EXPECT_TRUE(can_tile(b.graph, group).allowed());
}

TEST_F(Sides, AreTheSameThroughAStageThatIsComputedInPlace) {
    const Group group = kernel(Placement::AtBlock, Placement::Inlined);
    EXPECT_THAT(box(group, fine), ElementsAre(36, 20));
}

TEST_F(Sides, DoNotExistWhereReadersNeedPlacesFarApart) {
    add_edge(fine, out, b.graph[edge(coarse, out, b.graph).first], b.graph);
    const Group group = kernel(Placement::AtBlock, Placement::AtBlock);
    EXPECT_THAT(box(group, fine), IsEmpty());
    EXPECT_THAT(can_tile(b.graph, group).why(), HasSubstr("in several ways"));
}

TEST_F(Sides, AThreadKeepsStridesAndNoHalves) {
    EXPECT_THAT(can_tile(b.graph, kernel(Placement::Inlined, Placement::AtThread)).why(),
                HasSubstr("no constant size"));
    set(coarse, out, {.steps = 2});
    EXPECT_TRUE(can_tile(b.graph, kernel(Placement::Inlined, Placement::AtThread)).allowed());
}

TEST_F(Sides, AThreadKeepsNothingThatItReadsInTwoWays) {
    set(coarse, out, {.steps = 2});
    Read other = b.graph[edge(coarse, out, b.graph).first];
    other.follows = {0, -1};
    other.rates[1] = {.low = 3, .high = 3, .is_number = true};
    add_edge(coarse, out, other, b.graph);
    EXPECT_THAT(can_tile(b.graph, kernel(Placement::Inlined, Placement::AtThread)).why(), HasSubstr("in several ways"));
}

}  // namespace
}  // namespace fusion::test

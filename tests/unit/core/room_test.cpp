#include "fusion/room.h"

#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

/// fine, which `small` reads at every second place, from which `out` comes back; and out reads fine too. Three channels of
/// out, and a fourth of fine by its number.
class Rooms : public ::testing::Test {
protected:
    Builder b;
    Vertex fine, small, out;

    Rooms() {
        fine = b.stage("fine", {1024, 4}, {{b.input("in", {1024, 4})}});
        small = b.stage("small", {512, 3}, {{fine, ReadKind::Strided, 1}});
        out = b.output("out", {1024, 3}, {{small, ReadKind::Strided, 1}, {fine, ReadKind::Pointwise, 2, {0, 1}}});
        rates(fine, small) = {{.loop = 0, .steps = 2}, {.loop = 1}};
        rates(small, out) = {{.loop = 0, .of = 2, .low = -0.5, .shape = 1}, {.loop = 1}};
    }

    std::vector<Rate> &rates(Vertex producer, Vertex consumer) {
        return b.graph[edge(producer, consumer, b.graph).first].rates;
    }
};

TEST_F(Rooms, AreThoseOfThePathThatShowsMost) {
    ASSERT_TRUE(room_along(b.graph, fine, 0));
    EXPECT_EQ(room_along(b.graph, fine, 0)->divisor, 1);
    EXPECT_EQ(room_along(b.graph, small, 0)->divisor, 2);
    rates(fine, out) = {{.loop = 0, .is_clamped = true, .shape = 2}, {.loop = 1}};
    EXPECT_EQ(room_along(b.graph, fine, 0)->divisor, 2) << "behind a clamp there may be less";
}

TEST_F(Rooms, ANumberCompletesWhatAnOutputShows) {
    EXPECT_FALSE(has_room(b.graph, fine, 1, 4));
    EXPECT_TRUE(pinned_by(b.graph, fine, 1).empty());
    rates(fine, out) = {{.loop = 0}, {.low = 3, .high = 3, .is_number = true}};
    EXPECT_EQ(pinned_by(b.graph, fine, 1), (std::set<std::pair<Vertex, int>>{{out, 1}}));
}

TEST_F(Rooms, AChoiceAlongTheSliceNeedsToKnowWhereItBegins) {
    const Group group =
        trace_kernel(b.graph, {Placement::Root, Placement::Root, Placement::Root, Placement::Root}, {small});
    EXPECT_FALSE(chooses_along(b.graph, group, 1));
    EXPECT_TRUE(can_slice(b.graph, group, 1));
    b[small].choices = {0, 1};
    EXPECT_TRUE(chooses_along(b.graph, group, 1));
    EXPECT_TRUE(can_slice(b.graph, group, 1)) << "as many as the output has";
    b[small].dims[1].min = 1;
    EXPECT_FALSE(can_slice(b.graph, group, 1));
}

TEST_F(Rooms, WhatAStageInAnotherChoosesIsAskedForWhole) {
    const auto kernel = [&](Placement of_fine) {
        return trace_kernel(b.graph, {Placement::Root, of_fine, Placement::Inlined, Placement::Root}, {out});
    };
    EXPECT_FALSE(hides_choice(b.graph, kernel(Placement::AtBlock)));
    b[fine].choices = {0, 1};
    EXPECT_TRUE(hides_choice(b.graph, kernel(Placement::AtBlock)));
    EXPECT_TRUE(hides_choice(b.graph, kernel(Placement::Inlined)));
    EXPECT_FALSE(hides_choice(b.graph, kernel(Placement::Root)));
    rates(stage_named(b.graph, "in"), fine) = {{.loop = 0}, {.loop = 1, .is_clamped = true, .shape = 1}};
    EXPECT_FALSE(hides_choice(b.graph, kernel(Placement::AtBlock))) << "behind a clamp it is bounded";
    b[fine].choices = {2, 0};
    rates(stage_named(b.graph, "in"), fine) = {};
    EXPECT_FALSE(hides_choice(b.graph, kernel(Placement::AtBlock))) << "each half is asked for all the same";
}

TEST_F(Rooms, OfWhatIsStoredAChoiceAsksForMoreAndOnlyTheCallersHasNoMore) {
    Builder steps;
    const Vertex in = steps.input("in", {1024, 4});
    const Vertex stored = steps.stage("stored", {1024, 4}, {{in}});
    const Vertex chooses = steps.stage("chooses", {1024, 4}, {{stored}});
    const Vertex last = steps.output("last", {1024, 4}, {{chooses}});
    steps[chooses].choices = {1, 0};
    const auto hides = [&] {
        return hides_choice(
            steps.graph,
            trace_kernel(steps.graph, {Placement::Root, Placement::Root, Placement::Inlined, Placement::Root}, {last}));
    };
    EXPECT_TRUE(hides()) << "stored asks for more of in";
    steps.graph[edge(in, stored, steps.graph).first].rates = {{.loop = 0, .is_clamped = true, .shape = 1}, {.loop = 1}};
    EXPECT_FALSE(hides()) << "in is read behind a clamp";
    steps[stored].scheduled_by_user = true;
    EXPECT_TRUE(hides()) << "its author may have bounded it";
}

}  // namespace
}  // namespace fusion::test

/// The stencil template: what is kept has a constant size in both branches, and tiles run only where there is room for one.
#include <algorithm>

#include "fusion/halide/verify.h"
#include "schedules/layout.h"
#include "schedules/lower.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;

/// in -> wide -> out: three points of each, in both dimensions.
class Stencil : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func wide{"wide"}, out{"out"};

    Stencil() {
        wide(x, y) = in(x - 1, y) + in(x, y - 1) + in(x + 1, y + 1);
        out(x, y) = wide(x - 1, y) + wide(x, y - 1) + wide(x + 1, y + 1);
        out.set_estimates({{0, 1024}, {0, 1024}});
    }

    /// The plan of one kernel that keeps `wide` there.
    Plan plan_with(const PipelineView &view, Placement place) const {
        Plan plan = make_plan(view.graph, device_named("H200"), {});
        EXPECT_EQ(plan.groups.size(), 1u);
        const Vertex kept = testing::vertex(view, "wide");
        plan.placement[kept] = place;
        for (Member &member : plan.groups[0].members) {
            if (member.stage == kept) {
                member.placement = place;
                member.follows = {0, 1};
                member.sides = member.uses[0].rates;
            }
        }
        return plan;
    }
};

TEST_F(Stencil, PassesItsCheckWhereverAStageIsKept) {
    const PipelineView view = testing::read({out});
    for (const Placement place : {Placement::Inlined, Placement::AtThread, Placement::AtBlock}) {
        const Plan plan = plan_with(view, place);
        ASSERT_EQ(plan.groups[0].kind, Template::Stencil);
        const Decision sound = verify(lower(view, plan, cuda()), view, plan, device_named("H200"), cuda());
        EXPECT_TRUE(sound.allowed()) << name_of(place) << ": " << sound.why();
    }
}

TEST_F(Stencil, MovesTheLastTileInwardsOnlyWhereThereIsRoomForOne) {
    const PipelineView view = testing::read({out});
    const Plan plan = plan_with(view, Placement::AtThread);
    const Tile &tile = plan.groups[0].tile;
    const Schedule schedule = lower(view, plan, cuda());
    int64_t room = 0;
    for (const Directive &d : schedule) {
        EXPECT_EQ(d.tail == TailStrategy::ShiftInwards,
                  d.verb == Verb::Split && d.branch == 0 && d.loops[0].kind == Loop::Arg);
        for (const Fact &fact : d.condition) {
            EXPECT_EQ(fact.kind, Fact::AtLeast);
            room = std::max(room, fact.value);
        }
    }
    EXPECT_EQ(room, std::max(tile.lanes * tile.vector, tile.threads / tile.lanes * tile.per_thread));
}

TEST_F(Stencil, ScalesTheRoomByTheRateAtWhichAnOutputReadsIt) {
    Func last("last");
    last(x, y) = out(x / 8, y / 2);
    last.set_estimates({{0, 8192}, {0, 2048}});
    const PipelineView view = testing::read({last});
    const Vertex stored = testing::vertex(view, "out");
    const auto room = size_condition(view, stored, {{0, 64}, {1, 16}});
    ASSERT_TRUE(room);
    ASSERT_EQ(room->size(), 2u);
    EXPECT_EQ(room->at(0).value, 512);
    EXPECT_EQ(room->at(1).value, 32);
}

/// What is read behind a clamp may be smaller than the output, and a tile moved inwards would ask for more than there is.
TEST_F(Stencil, HasNoTilesWhereNothingBoundsItsRegionFromBelow) {
    Func last("last");
    last(x, y) = out(clamp(x, 0, 1023), clamp(y * 2, 0, 1023));
    last.set_estimates({{0, 1024}, {0, 512}});
    const PipelineView view = testing::read({last});
    for (const Directive &d :
         lower(view, make_plan(view.graph, device_named("H200"), {.variant = Variant::Unfused}), cuda())) {
        if (d.func_id != testing::stage(view, "wide").func_id && d.func_id != testing::stage(view, "out").func_id) {
            continue;
        }
        EXPECT_NE(d.tail, TailStrategy::ShiftInwards);
    }
}

/// A branch may run where the choices of its threads are as written.
TEST_F(Stencil, KnowsChoicesWhereTheOutputBeginsAsInTheEstimates) {
    Func pairs("pairs"), last("last");
    pairs(x, y) = select(x % 2 == 0, out(x / 2, y), wide(x / 2, y) * 2);
    last(x, y) = pairs(x - 1, y) + pairs(x + 2, y);
    last.set_estimates({{5, 1023}, {0, 1024}});
    const PipelineView view = testing::read({last});
    const Condition facts = phase_condition(view, testing::vertex(view, "pairs"), 0, 2);
    ASSERT_EQ(facts.size(), 2u) << "of 4 to 1029, an even number of points";
    EXPECT_EQ(facts[0].kind, Fact::MultipleOf);
    EXPECT_EQ(facts[0].remainder, 1);
    EXPECT_EQ(facts[1].left.kind, BufferField::Extent);
    EXPECT_EQ(facts[1].remainder, 1);
    EXPECT_TRUE(phase_condition(view, testing::vertex(view, "last"), 0, 2).empty());
}

/// Three channels, mixed to others.
class MixedChannels : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, c{"c"};
    ImageParam image{Float(32), 3, "image"}, matrix{Float(32), 2, "matrix"};
    Func bright{"bright"}, mixed{"mixed"};

    MixedChannels() { bright(x, y, c) = image(x, y, c) * 2.0f; }

    /// What must hold of the caller's buffers so that 16 points of three channels are there; nullopt: that cannot be told.
    std::optional<Condition> condition(const Expr &mix) {
        mixed(x, y, c) = mix;
        mixed.set_estimates({{0, 64}, {0, 64}, {0, 3}});
        const PipelineView view = testing::read({mixed});
        return size_condition(view, testing::vertex(view, "bright"), {{0, 16}, {2, 3}});
    }
};

TEST_F(MixedChannels, AreThereWhereTheyAreReadByNumber) {
    Expr sum = 0.0f;
    for (int k = 0; k < 3; k++) {
        sum += matrix(k, c) * bright(x, y, k);
    }
    const auto facts = condition(sum);
    ASSERT_TRUE(facts);
    EXPECT_EQ(facts->size(), 1u) << "of the width alone";
}

TEST_F(MixedChannels, MayNotBeThereWhereOneIsChosen) {
    EXPECT_FALSE(condition(select(c == 0, bright(x, y, 0), c == 1, bright(x, y, 1), bright(x, y, 2))));
}

}  // namespace
}  // namespace fusion

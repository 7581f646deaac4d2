/// The template of folds whose steps need stencils: shared memory of constant size, one loop over the RDom for all folds.
#include <algorithm>

#include "fusion/halide/verify.h"
#include "schedules/apply.h"
#include "schedules/lower.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;

/// Means of an image's neighbours, weighted by how alike their windows are.
class Folded : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, j{"j"};
    const RDom r{-2, 5, -2, 5};
    ImageParam in{Float(32), 3, "in"};
    Func padded{"padded"}, squares{"squares"}, across{"across"}, weight{"weight"}, sums{"sums"}, total{"total"},
        out{"out"};

    Folded() {
        padded = BoundaryConditions::repeat_edge(in);
        const Expr apart = padded(x, y, 0) - padded(x + i, y + j, 0);
        squares(x, y, i, j) = apart * apart;
        across(x, y, i, j) = squares(x - 1, y, i, j) + squares(x, y, i, j) + squares(x + 1, y, i, j);
        weight(x, y, i, j) = exp(-across(x, y - 1, i, j) - across(x, y, i, j) - across(x, y + 1, i, j));
        sums(x, y, c) += weight(x, y, r.x, r.y) * padded(x + r.x, y + r.y, c);
    }

    Planned plan() {
        out.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
        in.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
        return testing::planned({out});
    }

    static const Group *folded(const Planned &planned) {
        const auto &groups = planned.plan.groups;
        const auto found =
            std::find_if(groups.begin(), groups.end(), [](const Group &g) { return g.kind == Template::Folded; });
        return found == groups.end() ? nullptr : &*found;
    }

    static void expect_sound(const Planned &planned) {
        const Decision sound = verify(planned.schedule, planned.view, planned.plan, device_named("H200"), cuda());
        EXPECT_TRUE(sound.allowed()) << sound.why();
    }
};

TEST_F(Folded, KeepsTheStepsOfOneFold) {
    out(x, y, c) = sums(x, y, c) / sums(x, y, 0);
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned));
    EXPECT_EQ(planned.plan.placement[testing::vertex(planned.view, "squares")], Placement::AtBlock);
    expect_sound(planned);
}

TEST_F(Folded, FoldsTwiceInOneLoop) {
    total(x, y) += weight(x, y, r.x, r.y);
    out(x, y, c) = sums(x, y, c) / total(x, y);
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned));
    EXPECT_EQ(planned.plan.placement[testing::vertex(planned.view, "weight")], Placement::AtBlock);
    EXPECT_TRUE(std::any_of(planned.schedule.begin(), planned.schedule.end(),
                            [](const Directive &d) { return d.verb == Verb::ComputeWith; }));
    expect_sound(planned);
}

TEST_F(Folded, FindsTheLeastOfWindowedCosts) {
    Func cost{"cost"}, pooled{"pooled"};
    const RDom shift(0, 16);
    cost(x, y, i) = cast<uint16_t>(absd(padded(x, y, 0), padded(x - i, y, 0)));
    pooled(x, y, i) = cost(x - 1, y, i) + cost(x, y, i) + cost(x + 1, y, i);
    out(x, y, c) = argmin(shift, pooled(x, y, shift), "best")[0] + c;
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned));
    expect_sound(planned);
}

TEST_F(Folded, KeepsTheOrderInWhichTheUserFolds) {
    out(x, y, c) = sums(x, y, c) / sums(x, y, 0);
    for (const Directive &d : plan().schedule) {
        EXPECT_NE(d.verb, Verb::RFactor);
    }
}

}  // namespace
}  // namespace fusion

/// The template of folds whose steps need stencils: shared memory of constant size, one loop over the RDom for all folds.
#include <algorithm>

#include "fusion/explain.h"
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
    const RDom r{-3, 7, -3, 7};
    ImageParam in{Float(32), 3, "in"};
    Func padded{"padded"}, squares{"squares"}, across{"across"}, weight{"weight"}, sums{"sums"}, total{"total"},
        out{"out"};

    Folded() {
        padded = BoundaryConditions::repeat_edge(in);
        const Expr apart = padded(x, y, 0) - padded(x + i, y + j, 0);
        squares(x, y, i, j) = apart * apart;
        across(x, y, i, j) = windowed([&](int k) { return squares(x + k, y, i, j); });
        weight(x, y, i, j) = exp(-windowed([&](int k) { return across(x, y + k, i, j); }));
        sums(x, y, c) += weight(x, y, r.x, r.y) * padded(x + r.x, y + r.y, c);
    }

    template<typename Tap>
    static Expr windowed(const Tap &tap) {
        Expr sum = tap(-3);
        for (int k = -2; k <= 3; k++) {
            sum += tap(k);
        }
        return sum;
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
    Func wide{"wide"}, narrow{"narrow"};
    wide(x, y, i, j) = squares(x - 1, y, i, j) + squares(x, y, i, j) + squares(x + 2, y, i, j);
    narrow(x, y, i, j) = wide(x, y - 1, i, j) + wide(x, y, i, j) + wide(x, y + 2, i, j);
    total(x, y) += narrow(x, y, r.x, r.y) * padded(x + r.x, y + r.y, 0);
    out(x, y, c) = total(x, y) + total(x - 1, y) * c;
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned)) << explain_text(planned.explained());
    EXPECT_EQ(planned.plan.placement[testing::vertex(planned.view, "narrow")], Placement::Inlined);
    expect_sound(planned);
}

/// As Halide's app writes it: windows and channels are sums over RDoms, and the sum of weights is one more channel.
TEST_F(Folded, TakesWindowsThatAreSums) {
    Func each{"each"}, all{"all"}, down{"down"}, both{"both"}, like{"like"}, means{"means"}, image{"image"};
    const RDom channels(0, 3), window(-2, 5), search(-3, 7, -3, 7);
    each(x, y, i, j, c) = pow(padded(x, y, c) - padded(x + i, y + j, c), 2);
    all(x, y, i, j) = sum(each(x, y, i, j, channels));
    down(x, y, i, j) = sum(all(x, y + window, i, j));
    both(x, y, i, j) = sum(down(x + window, y, i, j));
    like(x, y, i, j) = fast_exp(both(x, y, i, j) * -0.3f);
    image(x, y, c) = mux(c, {padded(x, y, 0), padded(x, y, 1), padded(x, y, 2), 1.0f});
    means(x, y, c) += like(x, y, search.x, search.y) * image(x + search.x, y + search.y, c);
    out(x, y, c) = clamp(means(x, y, c) / means(x, y, 3), 0.0f, 1.0f);
    out.output_buffer().dim(2).set_bounds(0, 3);
    const Planned planned = plan();
    const Group *group = folded(planned);
    ASSERT_TRUE(group) << explain_text(planned.explained());
    EXPECT_EQ(group->tile.slices, 4);
    expect_sound(planned);
}

TEST_F(Folded, FoldsTwiceInOneLoop) {
    total(x, y) += weight(x, y, r.x, r.y);
    out(x, y, c) = sums(x, y, c) / total(x, y);
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned)) << explain_text(planned.explained());
    EXPECT_TRUE(std::any_of(planned.schedule.begin(), planned.schedule.end(),
                            [](const Directive &d) { return d.verb == Verb::ComputeWith; }));
    expect_sound(planned);
}

TEST_F(Folded, FindsTheLeastOfWindowedCosts) {
    Func cost{"cost"}, pooled{"pooled"};
    const RDom shift(0, 64);
    cost(x, y, i) = absd(padded(x, y, 0), padded(x - i, y, 0));
    Func wide{"wide"};
    wide(x, y, i) = cost(x - 1, y, i) + cost(x, y, i) + cost(x + 2, y, i);
    pooled(x, y, i) = wide(x, y - 1, i) + wide(x, y, i) + wide(x, y + 2, i);
    out(x, y, c) = minimum(shift, pooled(x, y, shift), "least") + c;
    const Planned planned = plan();
    ASSERT_TRUE(folded(planned)) << explain_text(planned.explained());
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

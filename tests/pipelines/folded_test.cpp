/// Folds whose steps need stencils, at sizes with and without room for a tile. In whole numbers, so that none hangs on a
/// rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/explain.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

enum class Kind { OneFold, TwoFolds, Argmin, SomeSteps };

/// Means of neighbours weighted by how alike their windows are, of one channel or of several and, folded apart, the sum of
/// weights;
/// or the shift at which two channels differ least.
Built denoised(Kind kind) {
    const Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, j{"j"};
    ImageParam in(UInt(8), 3, "in");
    Func seen{"seen"}, squares{"squares"}, across{"across"}, weight{"weight"}, sums{"sums"}, total{"total"}, out{"out"};
    const Func padded = BoundaryConditions::repeat_edge(in);
    seen(x, y, c) = cast<int>(padded(x, y, c));
    const Expr apart = seen(x, y, 0) - seen(x + i, y + j, 1);
    squares(x, y, i, j) = apart * apart;
    across(x, y, i, j) = squares(x - 1, y, i, j) + squares(x, y, i, j) + squares(x + 2, y, i, j);
    const Expr window = across(x, y - 1, i, j) + across(x, y, i, j) + across(x, y + 2, i, j);
    const RDom r(-3, 7, -2, 5);
    if (kind == Kind::Argmin) {
        weight(x, y, i, j) = window;
        const RDom shift(0, 12);
        out(x, y, c) = argmin(shift, weight(x, y, shift, 2), "best")[0] + c;
    } else if (kind == Kind::SomeSteps) {
        weight(x, y, i, j) = window;
        RDom shift(0, 12);
        shift.where(shift < abs(x) + 2);  // which threads have of their own
        total(x, y) = 1 << 30;
        total(x, y) = min(total(x, y), weight(x, y, shift, 2));
        out(x, y, c) = total(x, y) + c;
    } else {
        weight(x, y, i, j) = 1000 / (1 + abs(window));
        const Expr channel = mux(c, {seen(x + r.x, y + r.y, 0), seen(x + r.x, y + r.y, 1), 1});
        if (kind == Kind::OneFold) {
            total(x, y) += weight(x, y, r.x, r.y) * seen(x + r.x, y + r.y, 0);
            out(x, y, c) = total(x, y) / (1 + abs(total(x - 1, y))) + c;
        } else {
            sums(x, y, c) += weight(x, y, r.x, r.y) * channel;
            total(x, y) += weight(x, y, r.x, r.y);
            out(x, y, c) = sums(x, y, c) / (1 + total(x, y));
        }
    }
    out.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
    in.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
    return {Pipeline(out), {in.parameter()}};
}

class Folded : public ::testing::TestWithParam<Kind> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(Folded, IsRightAtAnySize) {
    Runner runner([] { return denoised(GetParam()); }, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const auto &groups = runner.planned().plan.groups;
    EXPECT_TRUE(std::any_of(groups.begin(), groups.end(), [](const Group &g) { return g.kind == Template::Folded; }))
        << explain_text(runner.planned().explained());
    const std::map<std::string, Region> image = {{"in", of({70, 50, 3})}};
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        for (const auto &size : std::vector<std::vector<int>>{{1, 1, 1}, {17, 5, 3}, {31, 64, 2}, {131, 77, 3}}) {
            runner.check({at({-3, 2, 0}, size)}, memory, 1, image);
        }
    }
    runner.check({of({160, 96, 3})}, Memory::Dense, 1, image);
    runner.check({at({0, 0, 1}, {160, 96, 2})}, Memory::Dense, 1, image);
}

std::string name_of_kind(const ::testing::TestParamInfo<Kind> &info) {
    return info.param == Kind::OneFold     ? "OneFold"
           : info.param == Kind::SomeSteps ? "SomeSteps"
           : info.param == Kind::TwoFolds  ? "TwoFolds"
                                           : "Argmin";
}

INSTANTIATE_TEST_SUITE_P(, Folded, ::testing::Values(Kind::OneFold, Kind::TwoFolds, Kind::Argmin, Kind::SomeSteps),
                         name_of_kind);

}  // namespace
}  // namespace fusion

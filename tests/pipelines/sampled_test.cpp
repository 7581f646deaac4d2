/// Stages read along strides, halves and clamps, kept for a tile where the planner finds that cheaper or where the test says so.
/// At sizes with and without room for a tile, at odd places. In whole numbers, so that none hangs on a rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/explain.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

/// Arithmetic that makes a stage dear to compute again.
Expr dear(const Expr &value) {
    Expr e = value;
    for (int i = 1; i < 24; i++) {
        e = (e * (2 * i + 1) + i) ^ (e >> 3);
    }
    return e;
}

enum class Kind { Down, Up, DownAndUp, Clamped, Thirds };

/// A dear stage that is halved in size, doubled, or both, or read behind a clamp, by windows that overlap.
Built sampled(Kind kind) {
    const Var x{"x"}, y{"y"};
    ImageParam in(Int(32), 2, "in");
    Func whole{"whole"}, kept{"kept"}, small{"small"}, out{"out"};
    whole(x, y) = dear(BoundaryConditions::repeat_edge(in)(x, y));
    const auto window = [&](const Func &f, const Expr &u, const Expr &v) {
        return f(u - 1, v) + 2 * f(u, v) + f(u + 1, v) + f(u, v - 1) + f(u + 2, v + 1);
    };
    const auto doubled = [&](const Func &f) {
        return f(x / 2, y / 2) + f((x + 1) / 2, y / 2) + f(x / 2, (y + 1) / 2) + f((x + 1) / 2, (y + 1) / 2);
    };
    switch (kind) {
    case Kind::Down:
        out(x, y) = window(whole, 2 * x, 2 * y);
        break;
    case Kind::Up:
        out(x, y) = doubled(whole);
        break;
    case Kind::DownAndUp:
        small(x, y) = dear(window(whole, 2 * x, 2 * y));
        out(x, y) = doubled(small);
        break;
    case Kind::Clamped:
        kept(x, y) = whole(clamp(x, 3, in.width() - 5), clamp(y, -2, in.height() + 1));
        out(x, y) = window(kept, x, y) + window(kept, x + 3, y);
        break;
    case Kind::Thirds:
        out(x, y) = window(whole, x / 3, (y - 1) / 3);
        break;
    }
    out.set_estimates({{0, 2560}, {0, 1536}});
    in.set_estimates({{0, 2560}, {0, 1536}});
    return {Pipeline(out), {in.parameter()}};
}

class Sampled : public ::testing::TestWithParam<Kind> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

std::string name_of_kind(const ::testing::TestParamInfo<Kind> &info) {
    static const std::vector<std::string> names = {"Down", "Up", "DownAndUp", "Clamped", "Thirds"};
    return names[(size_t)info.param];
}

INSTANTIATE_TEST_SUITE_P(, Sampled,
                         ::testing::Values(Kind::Down, Kind::Up, Kind::DownAndUp, Kind::Clamped, Kind::Thirds),
                         name_of_kind);

TEST_P(Sampled, IsRightInTilesAndAtEverySize) {
    Runner runner([&] { return sampled(GetParam()); }, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const Region image = of({300, 130});
    for (const auto &[min, extent] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{
             {{0, 0}, {256, 128}}, {{-5, 3}, {257, 131}}, {{1, 1}, {64, 67}}, {{2, -7}, {9, 5}}, {{7, 7}, {1, 1}}}) {
        runner.check({at(min, extent)}, Memory::Dense, 1, {{"in", image}});
        runner.check({at(min, extent)}, Memory::Misplaced, 2, {{"in", image}});
    }
    if (HasFailure()) {
        ADD_FAILURE() << explain_text(runner.planned().explained());
    }
}

/// The place of each point is a floating-point number. At dyadic scales no result hangs on a rounding.
TEST(ComputedPlaces, AreSharedByAThreadsPointsAndRightAtEveryScaleAndSize) {
    SKIP_WITHOUT_DEVICE();
    Runner runner(generator("resize"), Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const Group &group = runner.planned().plan.groups.at(0);
    EXPECT_EQ(group.kind, Template::Stencil);
    EXPECT_EQ(group.tile.slices, 3) << "a row's and a column's places are the same for all channels";
    const Region image = of({150, 83, 3});
    for (const double scale : {0.5, 2.0, 0.75, 1.25, 1.0}) {
        runner.set("scale", scale);
        for (const auto &[min, extent] :
             std::vector<std::pair<std::vector<int>, std::vector<int>>>{{{0, 0, 0}, {256, 128, 3}},
                                                                        {{-5, 3, 0}, {261, 131, 3}},
                                                                        {{2, -7, 0}, {9, 5, 3}},
                                                                        {{7, 7, 1}, {1, 1, 1}}}) {
            runner.check({at(min, extent)}, Memory::Dense, 1, {{"input", image}});
            runner.check({at(min, extent)}, Memory::Misplaced, 2, {{"input", image}});
        }
    }
    EXPECT_EQ(runner.launches(), 1);
}

TEST(SampledPlans, KeepTheDearStageForATile) {
    for (const Kind kind : {Kind::Down, Kind::DownAndUp}) {
        Options options;
        options.verify = false;
        const Planned planned =
            plan_pipeline(functions_of(sampled(kind).pipeline), target_for("cuda"), options, "sampled");
        bool keeps = false;
        for (const Group &group : planned.plan.groups) {
            for (const Member &member : group.members) {
                keeps |= member.placement == Placement::AtBlock || member.placement == Placement::AtThread;
            }
        }
        EXPECT_TRUE(keeps) << explain_text(planned.explained());
    }
}

}  // namespace
}  // namespace fusion

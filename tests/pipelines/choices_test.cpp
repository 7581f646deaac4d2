/// Stages that choose what they read by a remainder of their place, or by their channel: a thread that writes out whole periods
/// knows which. At places where periods begin and at others, at sizes that end with one and others, and below a tile.
/// FUSION_RANDOM_SEEDS in the environment: how many random ones; default 8. FUSION_RANDOM_FIRST: the first; default 1.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/choices.h"
#include "fusion/explain.h"
#include "tests/pipelines/draw.h"
#include "tests/pipelines/runner.h"
#include "tests/pipelines/seeds.h"

namespace fusion {
namespace {

using namespace Halide;

enum class Kind { Rows, Pairs, PairsOfNeighbours, Thirds, Colours };

/// Quarters of a picture, each a little stencil of another quarter, put together again.
Built chosen(Kind kind) {
    const Var x{"x"}, y{"y"}, c{"c"};
    ImageParam in(Int(32), 2, "in");
    Func quarters{"quarters"}, a{"a"}, b{"b"}, d{"d"}, e{"e"}, out{"out"};
    const Func at = BoundaryConditions::repeat_edge(in);
    quarters(x, y, c) =
        mux(c, {at(2 * x, 2 * y), at(2 * x + 1, 2 * y), at(2 * x, 2 * y + 1), at(2 * x + 1, 2 * y + 1)});
    a(x, y) = quarters(x, y, 0) * 3 + quarters(x - 1, y, 0);
    b(x, y) = quarters(x, y, 1) * 5 - quarters(x, y + 1, 0);
    d(x, y) = (quarters(x, y, 2) ^ quarters(x + 1, y - 1, 1)) + a(x, y - 1);
    e(x, y) = quarters(x, y, 3) - b(x + 1, y);
    const auto pairs = [&](const Func &even, const Func &odd) {
        Func both;
        both(x, y) = select(x % 2 == 0, even(x / 2, y), odd(x / 2, y));
        return both;
    };
    const auto lines = [&](const Func &even, const Func &odd) {
        Func both;
        both(x, y) = select((y + 1) % 2 == 1, even(x, y / 2), odd(x, y / 2));
        return both;
    };
    switch (kind) {
    case Kind::Rows:
        out(x, y) = pairs(a, b)(x, y);
        break;
    case Kind::Pairs:
        out(x, y) = lines(pairs(a, b), pairs(d, e))(x, y);
        break;
    case Kind::PairsOfNeighbours: {
        const Func whole = lines(pairs(a, b), pairs(d, e));
        out(x, y) = whole(x - 1, y) * 3 + whole(x, y) + whole(x + 1, y) + whole(x, y - 1) * 7;
        break;
    }
    case Kind::Thirds:
        out(x, y) = select(x % 3 == 0, a(x / 3, y), x % 3 == 1, b(x / 3, y), d(x / 3 + 1, y));
        break;
    case Kind::Colours: {
        const Func red = lines(pairs(a, b), pairs(d, e)), blue = lines(pairs(e, a), pairs(b, d));
        Func rgb{"rgb"};
        rgb(x, y, c) = mux(c, {red(x, y), red(x, y) + blue(x, y), blue(x, y)});
        out(x, y, c) = rgb(x, y, 0) * (c + 1) + rgb(x, y, 1) - rgb(x, y, 2);
        break;
    }
    }
    in.set_estimates({{0, 1536}, {0, 1536}});
    std::vector<Range> estimates = {{0, 1536}, {0, 1536}};
    if (kind == Kind::Colours) {
        estimates.emplace_back(0, 3);
    }
    out.set_estimates(estimates);
    return {Pipeline(out), {in.parameter()}};
}

std::string name_of_kind(const ::testing::TestParamInfo<Kind> &info) {
    static const std::vector<std::string> names = {"Rows", "Pairs", "PairsOfNeighbours", "Thirds", "Colours"};
    return names[(size_t)info.param];
}

bool has_known_choices(const Plan &plan) {
    return std::any_of(plan.groups.begin(), plan.groups.end(), [](const Group &group) {
        return knows_choices(group, group.tile) &&
               std::any_of(group.known.begin(), group.known.end(), [](const KnownChoice &k) { return k.points > 1; });
    });
}

class ChosenReads : public ::testing::TestWithParam<Kind> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

INSTANTIATE_TEST_SUITE_P(, ChosenReads,
                         ::testing::Values(Kind::Rows, Kind::Pairs, Kind::PairsOfNeighbours, Kind::Thirds,
                                           Kind::Colours),
                         name_of_kind);

TEST_P(ChosenReads, AreRightWhereverPeriodsBegin) {
    Runner runner([&] { return chosen(GetParam()); }, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    EXPECT_TRUE(has_known_choices(runner.planned().plan));
    const Region image = of({301, 130});
    for (const auto &[min, extent] : std::vector<std::pair<std::vector<int>, std::vector<int>>>{{{0, 0}, {384, 128}},
                                                                                                {{-6, 4}, {192, 130}},
                                                                                                {{-5, 3}, {192, 128}},
                                                                                                {{1, 0}, {193, 131}},
                                                                                                {{-2, -7}, {258, 65}},
                                                                                                {{3, 2}, {9, 5}},
                                                                                                {{7, 7}, {1, 1}}}) {
        std::vector<int> first = min, size = extent;
        if (GetParam() == Kind::Colours) {
            first.push_back(0);
            size.push_back(3);
        }
        runner.check({at(first, size)}, Memory::Dense, 1, {{"in", image}});
        runner.check({at(first, size)}, Memory::Misplaced, 2, {{"in", image}});
    }
    if (GetParam() == Kind::Colours) {
        runner.check({at({-2, 2, 0}, {128, 128, 2})}, Memory::Dense, 3, {{"in", image}});
        runner.check({at({0, 0, 1}, {128, 128, 3})}, Memory::Dense, 3, {{"in", image}});
    }
    if (HasFailure()) {
        ADD_FAILURE() << explain_text(runner.planned().explained());
    }
}

/// Four to eight stages over whole numbers, each of which reads two earlier ones by a choice, or neighbours of one.
Built random_choices(uint32_t seed) {
    Draw draw(seed);
    const Var x{"x"}, y{"y"};
    ImageParam in(Int(32), 2, "in");
    std::vector<Func> stages = {BoundaryConditions::repeat_edge(in)};
    const int count = 4 + draw.below(5);
    for (int i = 0; i < count; i++) {
        Func stage("stage" + std::to_string(i));
        const auto offset = [&] { return draw.below(5) - 2; };
        const int kind = draw.below(6), period = draw.one_of<int>({2, 2, 2, 3, 4}), shift = draw.below(5) - 2;
        const bool across = draw.percent(60);
        const Expr along = across ? Expr(x) : Expr(y), rest = (along + shift) % period;
        const auto read = [&](int divisor, int factor) {
            const Func &from = stages[(size_t)std::max(0, (int)stages.size() - 1 - draw.below(3))];
            const Expr there = along / divisor * factor + offset();
            return across ? from(there, y + offset()) : from(x + offset(), there);
        };
        const int divisor = draw.percent(60) ? period : 1;
        if (kind == 0) {
            stage(x, y) = read(1, 1) * 3 + read(1, 1) - read(1, 1);
        } else if (kind == 1) {
            stage(x, y) = read(1, period) + read(1, period) * 5;
        } else if (kind == 2) {
            std::vector<Expr> values;
            for (int v = 0; v < period; v++) {
                values.push_back(read(divisor, 1));
            }
            stage(x, y) = mux(rest, values);
        } else {
            const Expr by = draw.percent(30) ? (across ? y : x) % 2 : rest;
            stage(x, y) = select(by == draw.below(2), read(divisor, 1), read(divisor, 1) * 7 + read(1, 1));
        }
        stages.push_back(stage);
    }
    Func out("out");
    out(x, y) = stages.back()(x, y) + stages[stages.size() - 2](x + draw.below(3) - 1, y);
    in.set_estimates({{0, 768}, {0, 768}});
    out.set_estimates({{draw.below(3) - 1, 768}, {draw.below(3), 768}});
    return {Pipeline(out), {in.parameter()}};
}

const uint32_t kFirst = number("FUSION_RANDOM_FIRST", 1), kSeeds = number("FUSION_RANDOM_SEEDS", 8);

class RandomChoices : public ::testing::TestWithParam<uint32_t> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

INSTANTIATE_TEST_SUITE_P(, RandomChoices, ::testing::Range(kFirst, kFirst + kSeeds), seed_name);

TEST_P(RandomChoices, AreRight) {
    const uint32_t seed = GetParam();
    Runner runner([&] { return random_choices(seed); }, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    Draw draw(seed);
    const Region image = of({60, 70});
    const auto extent = [&] { return draw.one_of<int>({1, 3, 64, 66, 129, 192}); };
    for (int i = 0; i < 4; i++) {
        const int width = extent(), height = extent(), left = draw.below(7) - 3, top = draw.below(7) - 3;
        runner.check({at({left, top}, {width, height})}, i % 2 ? Memory::Misplaced : Memory::Dense, seed,
                     {{"in", image}});
    }
    const std::vector<Extent> &dims = runner.planned().view.graph[num_vertices(runner.planned().view.graph) - 1].dims;
    runner.check({at({(int)dims[0].min, (int)dims[1].min}, {192, 192})}, Memory::Dense, seed, {{"in", image}});
    if (HasFailure()) {
        ADD_FAILURE() << explain_text(runner.planned().explained());
    }
}

TEST(RandomChoicesPlans, ForCudaPassTheirCheckAndKnowSomeChoices) {
    int known = 0;
    for (uint32_t seed = 1; seed <= 10; seed++) {
        const Plan plan = plan_pipeline(functions_of(random_choices(seed).pipeline), kCuda, Options(), "drawn").plan;
        EXPECT_EQ(plan.fallback, "") << "seed " << seed;
        known += has_known_choices(plan);
    }
    EXPECT_GE(known, 3);
}

}  // namespace
}  // namespace fusion

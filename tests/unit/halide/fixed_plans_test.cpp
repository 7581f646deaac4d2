#include "fusion/halide/fixed_plans.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

/// For each shift a window is summed; the best shift is kept. Both sizes are parameters.
Func best_shift(Param<int> &window, Param<int> &shifts) {
    const Var x{"x"}, y{"y"}, s{"s"};
    ImageParam in(UInt(8), 2, "in");
    Func apart{"apart"}, cost{"cost"}, least{"least"}, output{"output"};
    const Func padded = BoundaryConditions::repeat_edge(in);
    const RDom w(-(window / 2), window, -(window / 2), window), r(0, shifts);
    apart(x, y, s) = cast<int>(absd(padded(x, y), padded(x + s, y)));
    cost(x, y, s) = sum(apart(x + w.x, y + w.y, s));
    least(x, y) = 1 << 30;
    least(x, y) = min(least(x, y), cost(x, y, r));
    output(x, y) = least(x, y);
    window.set_estimate(5);
    shifts.set_estimate(16);
    in.set_estimates({{0, 2560}, {0, 1536}});
    output.set_estimates({{0, 2560}, {0, 1536}});
    return output;
}

TEST(FixedPlans, OneForTheEstimatesAndOneForTheRest) {
    Param<int> window{"window"}, shifts{"shifts"};
    const Func output = best_shift(window, shifts);
    const Planned plan = testing::planned({output}, "fused", true);
    ASSERT_TRUE(plan.elsewhere);
    EXPECT_EQ(plan.plan.rewrites[0].id, "fixed-parameters");
    EXPECT_THAT(plan.plan.rewrites[0].why, ::testing::HasSubstr("shifts = 16 and window = 5"));
    const std::string text = schedule_source(plan, Pipeline(output));
    EXPECT_THAT(text, ::testing::HasSubstr("Only for the pipeline after the rewrite fixed-parameters"));
    EXPECT_THAT(text, ::testing::HasSubstr(".values()[0].as<Internal::Select>()->condition"));
}

TEST(FixedPlans, NoneWhereRewritesAreNotAllowed) {
    Param<int> window{"window"}, shifts{"shifts"};
    const Func output = best_shift(window, shifts);
    Options options;
    options.rewrites = "native-math";
    const Planned plan = plan_pipeline(testing::functions({output}), testing::cuda(), options, "tested");
    EXPECT_FALSE(plan.elsewhere);
    EXPECT_FALSE(output.value().as<Internal::Select>());
}

TEST(FixedPlans, NoneWhereNumbersGainNothing) {
    const Var x{"x"};
    Param<int> offset{"offset"};
    offset.set_estimate(3);
    ImageParam in(Float(32), 1, "in");
    Func output("output");
    output(x) = BoundaryConditions::repeat_edge(in)(x + offset) * 2;
    in.set_estimates({{0, 1 << 20}});
    output.set_estimates({{0, 1 << 20}});
    EXPECT_FALSE(testing::planned({output}).elsewhere);
}

}  // namespace
}  // namespace fusion

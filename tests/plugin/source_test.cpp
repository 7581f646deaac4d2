/// schedule_source, compiled from the header that gengen or halide-fusion wrote: the statement that it gives is the one that
/// the plan gives when it is applied.
#include <Halide.h>

#include "bias_gelu_residual.schedule.h"
#include "bilateral_grid.schedule.h"
#include "broadcast_chain.schedule.h"
#include "column_mean.schedule.h"
#include "emitted/small_branches.schedule.h"
#include "fusion/cli/generators.h"
#include "fusion/halide/planning.h"
#include "mixed_types.schedule.h"
#include "multi_output.schedule.h"
#include "pointwise_chain.schedule.h"
#include "schedules/apply.h"
#include "schedules/wide_accesses.h"
#include "softmax.schedule.h"
#include "tests/plugin/process.h"
#include "tests/plugin/statement.h"
#include "transpose_sandwich.schedule.h"
#include "trimmed_mean.schedule.h"

namespace fusion {
namespace {

using namespace Halide;

const Target kTarget("x86-64-linux-cuda-cuda_capability_80-no_runtime");

std::string statement(const BuiltGenerator &built) {
    return testing::statement_of(built.pipeline, built.arguments, kTarget);
}

struct Case {
    const char *name;
    void (*compiled)(Pipeline, Target);
};

void PrintTo(const Case &c, std::ostream *out) {
    *out << c.name;
}

class ScheduleSource : public ::testing::TestWithParam<Case> {};

TEST_P(ScheduleSource, compiled_gives_the_same_statement_as_the_plan) {
    const Case &c = GetParam();
    const std::string wanted = testing::in_a_child([&] {
        const BuiltGenerator by_plan = build_generator(c.name, {}, kTarget);
        Options options;
        options.verify = false;  // it makes Funcs on a copy, which would take names
        const Planned planned = plan_pipeline(functions_of(by_plan.pipeline), kTarget, options, c.name);
        apply_schedule(planned.schedule, planned.view);
        use_wide_accesses(by_plan.pipeline, planned.view);
        return statement(by_plan);
    });
    const std::string got = testing::in_a_child([&] {
        const BuiltGenerator by_source = build_generator(c.name, {}, kTarget);
        c.compiled(by_source.pipeline, kTarget);
        return statement(by_source);
    });
    EXPECT_TRUE(got == wanted) << "the statements differ: " << got.size() << " and " << wanted.size() << " characters";
    EXPECT_TRUE(testing::contains(got, "gpu_block"));
}

INSTANTIATE_TEST_SUITE_P(Generators, ScheduleSource,
                         ::testing::Values(Case{"pointwise_chain", apply_schedule_pointwise_chain},
                                           Case{"bias_gelu_residual", apply_schedule_bias_gelu_residual},
                                           Case{"mixed_types", apply_schedule_mixed_types},
                                           Case{"multi_output", apply_schedule_multi_output},
                                           Case{"transpose_sandwich", apply_schedule_transpose_sandwich},
                                           Case{"broadcast_chain", apply_schedule_broadcast_chain},
                                           Case{"softmax", apply_schedule_softmax},
                                           Case{"column_mean", apply_schedule_column_mean},
                                           Case{"trimmed_mean", apply_schedule_trimmed_mean},
                                           Case{"bilateral_grid", apply_schedule_bilateral_grid},
                                           Case{"small_branches", apply_schedule_small_branches}),
                         [](const auto &info) { return info.param.name; });

TEST(ScheduleSourceBranches, are_part_of_what_is_compared) {
    const BuiltGenerator built = build_generator("pointwise_chain", {}, kTarget);
    apply_schedule_pointwise_chain(built.pipeline, kTarget);
    const auto &branches = built.pipeline.outputs()[0].function().definition().specializations();
    EXPECT_EQ(branches.size(), 2u) << "flat and rows";
    EXPECT_TRUE(testing::contains(statement(built), "output.stride.1"));
    EXPECT_NE(statement(built), statement(build_generator("pointwise_chain", {}, kTarget)))
        << "the comparison sees a schedule";
}

TEST(ScheduleSourceOfAReduction, factors_it_for_threads_and_rewrites_its_math) {
    const BuiltGenerator built = build_generator("softmax", {}, kTarget);
    apply_schedule_softmax(built.pipeline, kTarget);
    const std::string got = statement(built);
    EXPECT_TRUE(testing::contains(got, "_intm"));
    EXPECT_TRUE(testing::contains(got, "gpu_thread"));
    EXPECT_TRUE(testing::contains(got, "ex2.approx.ftz"));
    EXPECT_TRUE(testing::contains(got, "GPUShared"));
}

}  // namespace
}  // namespace fusion

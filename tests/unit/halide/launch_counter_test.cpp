#include "fusion/halide/launch_counter.h"

#include "fusion/halide/execute.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

TEST(LaunchCounter, counts_the_launches_of_a_run_one_a_stage_whatever_the_branch) {
    const std::string api = device_api();
    if (api.empty()) {
        GTEST_SKIP() << "neither a CUDA nor an OpenCL device";
    }
    const Var x("x");
    Buffer<float> image(1000);
    fill(image, 1);
    ImageParam in(Float(32), 1, "in");
    Func first("first"), output("output");
    first(x) = in(x) + 1;
    output(x) = first(x) * 2;
    output.set_estimate(x, 0, 1 << 20);
    const Planned p = testing::planned({output}, "unfused", false, target_for(api));
    apply_schedule(p.schedule, p.view);
    Pipeline pipeline(output);
    count_launches(pipeline);
    in.set(image);
    take_launches();
    for (const int size : {1000, 3}) {
        Buffer<float> result(size);
        pipeline.realize(result, target_for(api));
        EXPECT_EQ(take_launches(), 2) << size;
        EXPECT_EQ(take_launches(), 0) << "taken";
        result.copy_to_host();
        EXPECT_EQ(result(2), (image(2) + 1) * 2);
    }
}

}  // namespace
}  // namespace fusion

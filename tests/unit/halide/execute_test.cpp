#include "fusion/halide/execute.h"

#include <cmath>
#include <set>

#include "fusion/halide/reference.h"
#include "fusion/halide/user_schedule.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

TEST(Execute, fills_the_same_data_for_the_same_seed) {
    Buffer<float> a(1000), b(1000), c(1000);
    fill(a, 1);
    fill(b, 1);
    fill(c, 2);
    EXPECT_EQ(largest_difference(a, b), 0);
    EXPECT_GT(largest_difference(a, c), 0);
    std::set<float> values(a.begin(), a.end());
    EXPECT_GT(values.size(), 50u);
    for (const float v : values) {
        EXPECT_EQ(v * 64, std::round(v * 64));
        EXPECT_LE(std::abs(v), 1);
    }
}

TEST(Execute, fills_every_type_with_more_than_one_value) {
    for (const Type &type :
         {Float(16), Float(64), Bool(), Int(8), UInt(8), Int(16), UInt(16), Int(32), UInt(32), Int(64), UInt(64)}) {
        Buffer<> a(type, {100}), b(type, {100});
        fill(a, 1);
        fill(b, 2);
        EXPECT_GT(largest_difference(a, b), 0) << type;
        EXPECT_EQ(largest_difference(a, a), 0) << type;
    }
}

TEST(Execute, a_difference_is_relative_above_one_and_infinite_for_a_nan) {
    Buffer<float> a(2), b(2);
    a.fill(0);
    b.fill(0);
    a(1) = 101;
    b(1) = 100;
    EXPECT_NEAR(largest_difference(a, b), 0.01, 1e-6);
    a(1) = b(1) = NAN;
    EXPECT_EQ(largest_difference(a, b), 0);
    a(1) = 0;
    EXPECT_TRUE(std::isinf(largest_difference(a, b)));
    a(1) = INFINITY;
    b(1) = 1;
    EXPECT_TRUE(std::isinf(largest_difference(a, b)));
}

TEST(Execute, a_difference_is_relative_to_the_largest_value_where_all_are_small) {
    Buffer<float> a(2), b(2);
    a(0) = 0.0011f;
    b(0) = 0.0010f;
    a(1) = b(1) = 0.0020f;
    EXPECT_NEAR(largest_difference(a, b), 0.05, 1e-4);
    b.fill(0);
    EXPECT_NEAR(largest_difference(a, b), 0.002, 1e-6);
}

TEST(Execute, integers_have_no_tolerance) {
    EXPECT_EQ(tolerance(Int(32)), 0);
    EXPECT_EQ(tolerance(Bool()), 0);
    EXPECT_LT(tolerance(Float(64)), tolerance(Float(32)));
    EXPECT_LT(tolerance(Float(32)), tolerance(Float(16)));
}

TEST(Reference, computes_every_func_at_root_and_gives_the_right_answer) {
    const Var x("x"), y("y");
    Buffer<float> image(40, 30);
    fill(image, 3);
    Func blurred("blurred"), output("output");
    blurred(x, y) = image(clamp(x, 0, 39), clamp(y, 0, 29)) * 2;
    output(x, y) = blurred(x - 1, y) + blurred(x + 1, y);
    output.set_estimates({{0, 40}, {0, 30}});
    const PipelineView view = testing::read({output});
    schedule_reference(view);
    EXPECT_TRUE(has_own_loops(blurred.function()));
    std::vector<Buffer<>> outputs = make_outputs(view.outputs, estimated_regions(view));
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].width(), 40);
    Pipeline(output).realize(Realization(outputs), target_for(""));
    const Buffer<float> result = outputs[0];
    EXPECT_EQ(result(5, 5), image(4, 5) * 2 + image(6, 5) * 2);
    EXPECT_EQ(result(0, 0), image(0, 0) * 2 + image(1, 0) * 2);
}

}  // namespace
}  // namespace fusion

#include "fusion/halide/gpu_support.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::planned;
using testing::user_error;

class GpuSupport : public ::testing::Test {
protected:
    const Var x{"x"};
    Func f{"f"}, output{"output"};

    static std::string refusal(const Func &f) { return gpu_refusal(f.function(), f.function().definition()); }
};

TEST_F(GpuSupport, takes_every_other_type) {
    for (const Type &type : {Float(16), Float(32), Float(64), Int(8), UInt(16), Int(32), Bool()}) {
        Func g("g");
        g(x) = cast(type, x);
        EXPECT_EQ(refusal(g), "") << type;
    }
}

TEST_F(GpuSupport, refuses_bfloat16_by_the_name_of_the_func) {
    f(x) = cast<bfloat16_t>(x);
    EXPECT_NE(refusal(f).find("\"" + f.name() + "\""), std::string::npos);
    EXPECT_NE(refusal(f).find("bfloat16"), std::string::npos);
}

TEST_F(GpuSupport, refuses_bfloat16_in_the_middle_of_an_expression_and_in_an_index) {
    f(x) = cast<float>(cast<bfloat16_t>(x)) + 1.0f;
    EXPECT_NE(refusal(f), "");
    Func table("table"), indexed("indexed");
    table(x) = x;
    indexed(x) = table(clamp(cast<int>(cast<bfloat16_t>(x)), 0, 9));
    EXPECT_NE(refusal(indexed), "");
    EXPECT_EQ(refusal(table), "");
}

TEST_F(GpuSupport, refuses_reading_a_bfloat16_input) {
    ImageParam in(BFloat(16), 1, "in");
    f(x) = cast<float>(in(x));
    EXPECT_NE(refusal(f), "");
}

TEST_F(GpuSupport, looks_at_each_definition_for_itself) {
    f(x) = 0.0f;
    f(x) += cast<float>(cast<bfloat16_t>(x));
    EXPECT_EQ(refusal(f), "");
    EXPECT_NE(gpu_refusal(f.function(), f.function().update(0)), "");
}

TEST_F(GpuSupport, stops_planning_before_the_compiler_is_reached) {
    ImageParam in(Float(32), 1, "in");
    Func narrow("narrow");
    narrow(x) = cast<bfloat16_t>(in(x));
    output(x) = cast<float>(narrow(x)) * 2.0f;
    output.set_estimate(x, 0, 1 << 20);
    for (const char *variant : {"fused", "unfused", "inlined"}) {
        const std::string message = user_error([&] { planned({output}, variant, true); });
        EXPECT_NE(message.find("bfloat16"), std::string::npos) << message;
        EXPECT_NE(message.find("\"narrow\""), std::string::npos) << message;
    }
}

}  // namespace
}  // namespace fusion

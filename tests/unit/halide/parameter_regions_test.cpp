#include "fusion/halide/parameter_regions.h"

#include <gtest/gtest.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

class ParameterRegions : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    const Param<int> shift{"shift"};
    ImageParam in{Float(32), 2, "in"};
    Func middle{"middle"}, output{"output"};

    bool decides() { return decide_how_much_is_read(reach(testing::functions({output})).nodes, {"shift"}); }
};

TEST_F(ParameterRegions, ThroughFuncs) {
    middle(x, y) = in(x, y) * 2;
    output(x, y) = middle(x + shift, y);
    EXPECT_TRUE(decides());
}

TEST_F(ParameterRegions, NotAsAValue) {
    middle(x, y) = in(x, y) * shift;
    output(x, y) = middle(x + 1, y);
    EXPECT_FALSE(decides());
}

TEST_F(ParameterRegions, NotBehindAClampToTheInput) {
    middle(x, y) = in(clamp(x, in.dim(0).min(), in.dim(0).max()), y);
    output(x, y) = middle(x + shift, y);
    EXPECT_FALSE(decides());
}

TEST_F(ParameterRegions, BehindAClampToSomethingElse) {
    middle(x, y) = in(clamp(x, 0, 100), y);
    output(x, y) = middle(x + shift, y);
    EXPECT_TRUE(decides());
}

TEST_F(ParameterRegions, ADimensionThatItDoesNotMoveNeedsNoClamp) {
    middle(x, y) = in(clamp(x, in.dim(0).min(), in.dim(0).max()), y);
    output(x, y) = middle(x + shift, y + 5);
    EXPECT_FALSE(decides());
}

TEST_F(ParameterRegions, ByTheDomainOfAReduction) {
    const RDom r(0, shift);
    middle(x, y) = 0.0f;
    middle(x, y) += in(x + r, y);
    output(x, y) = middle(x, y);
    EXPECT_TRUE(decides());
}

}  // namespace
}  // namespace fusion

#include "fusion/halide/mentions.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::ElementsAre;
using ::testing::Key;
using ::testing::SizeIs;

TEST(Mentions, VariablesParametersAndReads) {
    const Var x{"x"}, y{"y"};
    const Param<int> size("size");
    const Mentioned mentioned(x + size);
    EXPECT_THAT(mentioned.variables, ElementsAre("size", "x"));
    EXPECT_THAT(mentioned.scalars, ElementsAre(Key("size")));
    EXPECT_FALSE(mentioned.reads);
    EXPECT_TRUE(mentioned.has({"x", "z"}));
    EXPECT_FALSE(mentioned.has({"y", "z"}));
    Func f("f");
    f(x) = x;
    EXPECT_TRUE(Mentioned(f(y)).reads);
    EXPECT_TRUE(Mentioned(Expr()).variables.empty());
}

TEST(Mentions, CallsAndDefinitions) {
    const Var x{"x"};
    Func f("f"), g("g");
    f(x) = x;
    g(x) = f(x) + f(f(x + 1));
    g(x) += 1;
    EXPECT_THAT(calls_in({g.function().values()[0]}), SizeIs(3));
    EXPECT_THAT(all_definitions(g.function()), SizeIs(2));
}

}  // namespace
}  // namespace fusion

#include "fusion/rewrites/fixed_parameters.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

/// A sum over a window of which the size is a parameter.
class FixedParameters : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Param<int> window{"window"};
    Param<float> gain{"gain"};
    Func across{"across"}, output{"output"};

    FixedParameters() {
        window.set_estimate(7);
        gain.set_estimate(2.0f);
    }
    std::vector<Internal::Function> summed(const Func &image) {
        const RDom r(-(window / 2), window);
        across(x, y) += image(x + r, y) * gain;
        output(x, y) = across(x, y) / gain;
        return testing::functions({output});
    }
};

TEST_F(FixedParameters, ParametersThatDecideSizes) {
    const auto outputs = summed(BoundaryConditions::repeat_edge(in, {{0, 100}, {0, 100}}));
    const auto fixed = parameters_of_sizes(outputs);
    ASSERT_EQ(fixed.size(), 1u);
    EXPECT_EQ(text_of(fixed), "window = 7");
}

TEST_F(FixedParameters, OneInAnIndexDecidesASizeToo) {
    output(x, y) = in(clamp(x, 0, 10), cast<int>(gain));
    EXPECT_EQ(text_of(parameters_of_sizes(testing::functions({output}))), "gain = 2.000000f");
}

TEST_F(FixedParameters, OneWithoutAnEstimateIsNotKnown) {
    const Param<int> unknown("unknown");
    output(x, y) = in(x, clamp(y, 0, unknown));
    EXPECT_TRUE(parameters_of_sizes(testing::functions({output})).empty());
}

TEST_F(FixedParameters, ACopyHasNumbersAndNamesOfItsOwn) {
    const auto outputs = summed(BoundaryConditions::repeat_edge(in));
    const auto copies = with_fixed(outputs, parameters_of_sizes(outputs));
    const auto environment = Internal::build_environment(copies);
    bool found = false;
    for (const auto &[name, f] : environment) {
        EXPECT_NE(name, across.name());
        if (f.has_update_definition()) {
            found = true;
            const Internal::ReductionVariable &r = f.update(0).schedule().rvars()[0];
            EXPECT_TRUE(Internal::is_const(r.min, -3));
            EXPECT_TRUE(Internal::is_const(r.extent, 7));
        }
    }
    EXPECT_TRUE(found);
    EXPECT_FALSE(Internal::is_const(across.function().update(0).schedule().rvars()[0].extent));
}

TEST_F(FixedParameters, AnInputBehindAClampIsNeededNoFurther) {
    const auto outputs = summed(BoundaryConditions::repeat_edge(in));
    EXPECT_TRUE(can_choose(outputs, parameters_of_sizes(outputs)).allowed());
}

TEST_F(FixedParameters, AnInputWithoutAClampWouldBeNeededFurther) {
    const auto outputs = summed(Func(in));
    const Decision decision = can_choose(outputs, parameters_of_sizes(outputs));
    EXPECT_FALSE(decision.allowed());
    EXPECT_THAT(decision.why(), ::testing::HasSubstr("how much of an input"));
}

TEST_F(FixedParameters, AnUpdateThatReadsItsFuncAsFarAsAParameterSaysMovesItsInputs) {
    const RDom r(1, 50);
    across(x, y) = in(x, y);
    across(r, y) += across(r - window, y);
    output(x, y) = across(x, y);
    const auto outputs = testing::functions({output});
    EXPECT_FALSE(can_choose(outputs, parameters_of_sizes(outputs)).allowed());
}

TEST_F(FixedParameters, AnOutputWithUpdatesCannotChoose) {
    const RDom r(0, window);
    output(x, y) += BoundaryConditions::repeat_edge(in)(x + r, y);
    const auto outputs = testing::functions({output});
    EXPECT_FALSE(can_choose(outputs, parameters_of_sizes(outputs)).allowed());
}

TEST_F(FixedParameters, OutputsChooseAndAreAsTheyWere) {
    const auto outputs = summed(BoundaryConditions::repeat_edge(in));
    const auto fixed = parameters_of_sizes(outputs);
    const Expr before = outputs[0].values()[0];
    choose_fixed(outputs, with_fixed(outputs, fixed), fixed);
    const auto *choice = outputs[0].values()[0].as<Internal::Select>();
    ASSERT_TRUE(choice);
    EXPECT_TRUE(choice->false_value.same_as(before));
    choose_no_more(outputs);
    EXPECT_TRUE(outputs[0].values()[0].same_as(before));
}

}  // namespace
}  // namespace fusion

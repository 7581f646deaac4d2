/// Which reductions the rewrites recognise, and which they must leave alone. What they compute: tests/pipelines.
#include "fusion/rewrites/rewrite.h"

#include <gmock/gmock.h>

#include "fusion/rewrites/first_index.h"
#include "fusion/rewrites/online_softmax.h"
#include "fusion/rewrites/single_pass_variance.h"
#include "fusion/rewrites/written_out.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Rows of an image, reduced over x.
class Rewrites : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    const RDom r{in.dim(0).min(), in.dim(0).extent(), "r"};
    Func output{"output"};

    Rewrites() { in.set_estimates({{0, 65536}, {0, 2048}}); }

    std::vector<Internal::Function> outputs() {
        output.set_estimate(y, 0, 2048);
        if (output.dimensions() == 2) {
            output.set_estimate(x, 0, 65536);
        }
        return testing::functions({output});
    }
    Func maximum_of(const std::function<Expr(Expr)> &sample) {
        Func largest("largest");
        largest(y) = Float(32).min();
        largest(y) = max(largest(y), sample(r));
        return largest;
    }
    void best(const Expr &better_than, const Tuple &init, const std::function<Expr(Func)> &condition) {
        Func found("found");
        found(y) = init;
        const Expr better = condition(found);
        found(y) = Tuple(select(better, r, found(y)[0]), select(better, better_than, found(y)[1]));
        output(y) = found(y)[0];
    }
};

TEST_F(Rewrites, FirstIndexFindsEveryComparison) {
    for (const int comparison : {0, 1, 2, 3, 4, 5}) {
        output = Func("output");
        const Expr v = in(r, y);
        best(v, {0, 0.0f}, [&](const Func &f) {
            const Expr so_far = f(y)[1];
            return comparison == 0   ? v > so_far
                   : comparison == 1 ? v >= so_far
                   : comparison == 2 ? v < so_far
                   : comparison == 3 ? v <= so_far
                   : comparison == 4 ? so_far < v
                                     : so_far >= v;
        });
        EXPECT_THAT(use_first_index(outputs()), SizeIs(1)) << comparison;
        EXPECT_THAT(use_first_index(outputs()), IsEmpty()) << "what was put in is none";
    }
}

TEST_F(Rewrites, FirstIndexFindsHalidesOwnArgmax) {
    output(y) = argmax(r, in(r, y))[0];
    EXPECT_THAT(use_first_index(outputs()), SizeIs(1));
}

TEST_F(Rewrites, FirstIndexLeavesWhatIsNoSearchAlone) {
    const Expr v = in(r, y);
    best(v, {0, 0.0f}, [&](const Func &f) { return v > f(y)[1] + 1; });
    EXPECT_THAT(use_first_index(outputs()), IsEmpty()) << "a margin";
    output = Func("output");
    best(v * 2, {0, 0.0f}, [&](const Func &f) { return v > f(y)[1]; });
    EXPECT_THAT(use_first_index(outputs()), IsEmpty()) << "another value is kept than is compared";
    output = Func("output");
    best(v, {0, in(0, y)}, [&](const Func &f) { return v > f(y)[1]; });
    EXPECT_THAT(use_first_index(outputs()), IsEmpty()) << "may begin with NaN";
}

TEST_F(Rewrites, OnlineSoftmaxFindsScaledRowsWhateverTheyAreCalled) {
    Func scaled("apple"), e("pear"), total("plum");
    scaled(x, y) = in(x, y) * 0.125f + cast<float>(x);
    const Func largest = maximum_of([&](const Expr &i) { return scaled(i, y); });
    e(x, y) = exp(scaled(x, y) - largest(y));
    total(y) = 0.0f;
    total(y) += e(r, y);
    output(x, y) = e(x, y) / total(y);
    EXPECT_THAT(use_online_softmax(outputs()), ElementsAre(total.name()));
    EXPECT_THAT(use_online_softmax(outputs()), IsEmpty());
}

TEST_F(Rewrites, OfOneAfterTheOtherTheSecondReadsWhatTheFirstPutIn) {
    Func first("first"), total("total"), second_total("second_total");
    const Func largest = maximum_of([&](const Expr &i) { return in(i, y); });
    total(y) = 0.0f;
    total(y) += exp(in(r, y) - largest(y));
    first(x, y) = exp(in(x, y) - largest(y)) / total(y);
    const Func second_largest = maximum_of([&](const Expr &i) { return first(i, y); });
    second_total(y) = 0.0f;
    second_total(y) += exp(first(r, y) - second_largest(y));
    output(x, y) = first(x, y) / second_total(y);
    EXPECT_THAT(use_online_softmax(outputs()), SizeIs(2));
    const auto reached = Halide::Internal::build_environment(outputs());
    for (const Func &replaced : {largest, total, second_largest, second_total}) {
        EXPECT_EQ(reached.count(replaced.name()), 0u) << replaced.name();
    }
}

TEST_F(Rewrites, OnlineSoftmaxLeavesOtherSumsAlone) {
    const Func largest = maximum_of([&](const Expr &i) { return in(i, y); });
    const auto sum_of = [&](const Expr &term) {
        Func total("total");
        total(y) = 0.0f;
        total(y) += term;
        output = Func("output");
        output(x, y) = in(x, y) / total(y);
        return use_online_softmax(outputs());
    };
    EXPECT_THAT(sum_of(exp(in(r, y) - largest(y))), SizeIs(1));
    EXPECT_THAT(sum_of(exp(in(r, y) * 2 - largest(y))), IsEmpty()) << "the maximum of something else";
    EXPECT_THAT(sum_of(exp(in(r, y) - largest(y + 1))), IsEmpty()) << "of another row";
    EXPECT_THAT(sum_of(in(r, y) * exp(in(r, y) - largest(y))), IsEmpty()) << "a weighted sum";
    in.set_estimates({{0, 256}, {0, 2048}});
    EXPECT_THAT(sum_of(exp(in(r, y) - largest(y))), IsEmpty()) << "rows too short to slice";
}

class Variance : public Rewrites {
protected:
    /// The sum of `term`, of which `mean` is a part.
    std::vector<std::string> squares(const std::function<Expr(Func)> &term) {
        Func sum("sum"), mean("mean"), spread("spread");
        sum(y) = 0.0f;
        sum(y) += in(r, y);
        mean(y) = sum(y) / cast<float>(in.dim(0).extent());
        spread(y) = 0.0f;
        spread(y) += term(mean);
        output = Func("output");
        output(y) = spread(y) + mean(y);
        return use_single_pass_variance(outputs());
    }
};

TEST_F(Variance, IsFoundAsProductPowerAndThroughFuncs) {
    Func centred("centred");
    EXPECT_THAT(squares([&](const Func &mean) { return (in(r, y) - mean(y)) * (in(r, y) - mean(y)); }), SizeIs(1));
    EXPECT_THAT(squares([&](const Func &mean) { return pow(mean(y) - in(r, y), 2); }), SizeIs(1));
    EXPECT_THAT(squares([&](const Func &mean) {
                    centred(x, y) = in(x, y) - mean(y);
                    return centred(r, y) * centred(r, y);
                }),
                SizeIs(1));
}

TEST_F(Variance, OtherSumsAreLeftAlone) {
    EXPECT_THAT(squares([&](const Func &mean) { return abs(in(r, y) - mean(y)); }), IsEmpty());
    EXPECT_THAT(squares([&](const Func &) { return in(r, y) * in(r, y); }), IsEmpty()) << "needs no sum first";
    EXPECT_THAT(squares([&](const Func &mean) { return (in(r, y) * 2 - mean(y)) * (in(r, y) * 2 - mean(y)); }),
                IsEmpty())
        << "the mean of something else";
}

TEST_F(Rewrites, AreMadeOnlyWhereAllowedAndCheaper) {
    const auto plan = [&](const std::string &rewrites, const Target &target, int rows) {
        output = Func("output");
        best(in(r, y), {0, Float(32).min()}, [&](const Func &f) { return in(r, y) > f(y)[1]; });
        Options options;
        options.rewrites = rewrites;
        const std::vector<Internal::Function> functions = outputs();
        output.set_estimate(y, 0, rows);
        return plan_pipeline(functions, target, options, "tested");
    };
    const Planned made = plan("all", testing::cuda(), 2048);
    EXPECT_EQ(made.plan.fallback, "");
    ASSERT_THAT(made.plan.rewrites, SizeIs(1));
    EXPECT_EQ(made.plan.rewrites[0].id, "first-index");
    EXPECT_NE(schedule_source(made, Pipeline(output)).find("Only for the pipeline after the rewrite first-index"),
              std::string::npos);
    EXPECT_GT(made.ledger.unfused.time_us, made.ledger.planned.time_us);
    EXPECT_THAT(plan("first-index", testing::opencl(), 2048).plan.rewrites, SizeIs(1));
    EXPECT_THAT(plan("none", testing::cuda(), 2048).plan.rewrites, IsEmpty());
    EXPECT_THAT(plan("native-math", testing::cuda(), 2048).plan.rewrites, IsEmpty());
    EXPECT_THAT(plan("all", testing::cuda().with_feature(Target::StrictFloat), 2048).plan.rewrites, IsEmpty());
}

TEST(ReductionRewrites, AreIdsOfTheOption) {
    for (const std::string &id : reduction_rewrites()) {
        EXPECT_NO_THROW(parse_options({{"rewrites", id}})) << id;
    }
}

/// Reductions over a domain of constant size.
class WrittenOut : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func window{"window"}, output{"output"};

    std::vector<std::string> written_out() {
        output(x, y) = window(x, y) * 2;
        output.set_estimates({{0, 100}, {0, 100}});
        return write_out_reductions(testing::functions({output}));
    }
};

TEST_F(WrittenOut, TakesSmallWindowsInTheOrderOfTheirLoop) {
    const RDom r(-1, 3, 0, 2);
    window(x, y) = 0.0f;
    window(x, y) += in(x + r.x, y + r.y);
    EXPECT_THAT(written_out(), SizeIs(1));
    const Expr sum = Internal::Function(output.value().as<Internal::Mul>()->a.as<Internal::Call>()->func).values()[0];
    std::ostringstream text;
    text << Internal::simplify(sum);
    EXPECT_THAT(text.str(),
                ::testing::MatchesRegex(".*x \\+ 1, y \\+ 1.*x, y \\+ 1.*x \\+ -1, y \\+ 1.*x \\+ 1, y\\).*"))
        << "the last step is outermost";
}

TEST_F(WrittenOut, KeepsNoInfinityOfAMaximum) {
    const RDom r(0, 2);
    window(x, y) = Float(32).min();
    window(x, y) = max(window(x, y), in(x + r, y));
    EXPECT_THAT(written_out(), SizeIs(1));
    const Expr most = Internal::Function(output.value().as<Internal::Mul>()->a.as<Internal::Call>()->func).values()[0];
    std::ostringstream text;
    text << most;
    EXPECT_EQ(text.str().find("inf"), std::string::npos) << text.str();
    EXPECT_TRUE(most.as<Internal::Max>()) << text.str();
}

TEST_F(WrittenOut, LeavesLargeAndUnknownDomainsAndTuplesAlone) {
    const RDom large(0, 6, 0, 6), unknown(0, in.dim(0).extent());
    for (const RDom &r : {large, unknown}) {
        window = Func("window");
        output = Func("output");
        window(x, y) = 0.0f;
        window(x, y) += in(x + r.x, y);
        EXPECT_THAT(written_out(), IsEmpty());
    }
    const RDom r(0, 3);
    Func best("best");
    best(x, y) = Tuple(0.0f, 0);
    best(x, y) = Tuple(max(best(x, y)[0], in(x + r, y)), select(in(x + r, y) > best(x, y)[0], r, best(x, y)[1]));
    window = Func("window");
    output = Func("output");
    window(x, y) = best(x, y)[0];
    EXPECT_THAT(written_out(), IsEmpty());
}

}  // namespace
}  // namespace fusion

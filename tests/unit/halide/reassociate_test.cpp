#include "fusion/halide/reassociate.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::stage;

class Reassociate : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    const RDom r{0, 100, "r"};
    ImageParam in{Float(32), 2, "in"}, whole{Int(32), 2, "whole"}, bits{UInt(8), 2, "bits"};
    Func f{"f"};

    bool update_is(int update = 0) const { return is_reassociable(f.function(), f.function().update(update)); }

    /// f(y) starts at `start` and becomes `folded(f(y), value)`.
    template<typename Fold>
    bool folds(const Expr &start, const Expr &value, const Fold &fold) {
        Func g("g");
        g(y) = start;
        g(y) = fold(Expr(g(y)), value);
        return is_reassociable(g.function(), g.function().update(0));
    }
};

TEST_F(Reassociate, sums_products_and_extremes_are) {
    const auto sum = [](const Expr &a, const Expr &b) { return a + b; };
    const auto product = [](const Expr &a, const Expr &b) { return a * b; };
    const auto most = [](const Expr &a, const Expr &b) { return max(a, b); };
    const auto least = [](const Expr &a, const Expr &b) { return min(a, b); };
    for (const Expr &value :
         {Expr(in(r, y)), Expr(whole(r, y)), Expr(bits(r, y)), in(r, y) * in(r, y) + 1.0f, cast<float>(whole(r, y))}) {
        const Expr zero = cast(value.type(), 0);
        EXPECT_TRUE(folds(zero, value, sum)) << value;
        EXPECT_TRUE(folds(zero + cast(value.type(), 1), value, product)) << value;
        EXPECT_TRUE(folds(value.type().min(), value, most)) << value;
        EXPECT_TRUE(folds(value.type().max(), value, least)) << value;
    }
}

TEST_F(Reassociate, the_order_of_operands_does_not_matter) {
    EXPECT_TRUE(folds(0.0f, in(r, y), [](const Expr &a, const Expr &b) { return b + a; }));
    EXPECT_TRUE(folds(0.0f, in(r, y), [](const Expr &a, const Expr &b) { return max(b, a); }));
}

TEST_F(Reassociate, the_helpers_of_halide_are) {
    f(y) = sum(in(r, y)) + maximum(in(r, y));
    f.set_estimate(y, 0, 100);
    const PipelineView view = testing::read({f});
    EXPECT_TRUE(stage(view, "sum", 1).reassociable);
    EXPECT_TRUE(stage(view, "maximum", 1).reassociable);
    EXPECT_FALSE(stage(view, "sum", 0).reassociable) << "where it starts";
}

TEST_F(Reassociate, a_condition_on_the_value_or_the_rdom_is_allowed) {
    RDom some(0, 100, "some");
    some.where(in(some, y) > 0);
    f(y) = 0.0f;
    f(y) += in(some, y);
    EXPECT_TRUE(update_is());
    EXPECT_TRUE(folds(0.0f, select(in(r, y) > 0, in(r, y), 0.0f), [](const Expr &a, const Expr &b) { return a + b; }));
}

TEST_F(Reassociate, the_last_write_wins_is_not) {
    f(y) = 0.0f;
    f(y) = in(r, y);
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, the_last_that_fulfils_a_condition_is_not) {
    EXPECT_FALSE(folds(0.0f, in(r, y), [](const Expr &a, const Expr &b) { return select(b > 0.0f, b, a); }));
}

TEST_F(Reassociate, a_fold_in_order_is_not) {
    EXPECT_FALSE(folds(0.0f, in(r, y), [](const Expr &a, const Expr &b) { return a * 0.5f + b; })) << "a filter";
    EXPECT_FALSE(folds(0.0f, in(r, y), [](const Expr &a, const Expr &b) { return b - a; }));
    EXPECT_FALSE(folds(1.0f, in(r, y), [](const Expr &a, const Expr &b) { return a / b; }));
}

TEST_F(Reassociate, a_scan_is_not) {
    f(x, y) = in(x, y);
    f(r + 1, y) += f(r, y);
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, an_update_without_an_rdom_is_not) {
    f(y) = 0.0f;
    f(y) += in(0, y);
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, a_scatter_is_not) {
    Func histogram("histogram"), rows("rows");
    histogram(x) = 0;
    histogram(clamp(whole(r, 0), 0, 255)) += 1;
    EXPECT_FALSE(is_reassociable(histogram.function(), histogram.function().update(0)));
    rows(x, y) = 0.0f;
    rows(r, y) += in(r, y);
    EXPECT_FALSE(is_reassociable(rows.function(), rows.function().update(0))) << "each point once";
    Func turned("turned");
    turned(x, y) = 0.0f;
    turned(x, 3) += in(r, x);
    EXPECT_FALSE(is_reassociable(turned.function(), turned.function().update(0))) << "one row of it";
}

TEST_F(Reassociate, argmax_that_selects_is_not) {
    f(y) = Tuple(0, in.type().min());
    const Expr better = in(r, y) > f(y)[1];
    f(y) = Tuple(select(better, r, f(y)[0]), select(better, in(r, y), f(y)[1]));
    EXPECT_FALSE(update_is()) << "which of equal values wins depends on the order";
    Func helper("helper");
    helper(y) = argmax(in(r, y))[0];
    helper.set_estimate(y, 0, 100);
    EXPECT_FALSE(stage(testing::read({helper}), "argmax", 1).reassociable);
}

TEST_F(Reassociate, two_independent_folds_in_a_tuple_are) {
    f(y) = Tuple(0.0f, 0.0f);
    f(y) = Tuple(f(y)[0] + in(r, y), f(y)[1] + in(r, y) * in(r, y));
    EXPECT_TRUE(update_is());
    Func mixed("mixed");
    mixed(y) = Tuple(0.0f, in.type().min());
    mixed(y) = Tuple(mixed(y)[0] + in(r, y), max(mixed(y)[1], in(r, y)));
    EXPECT_TRUE(is_reassociable(mixed.function(), mixed.function().update(0)));
}

TEST_F(Reassociate, a_tuple_of_which_one_is_no_fold_is_not) {
    f(y) = Tuple(0.0f, 0.0f);
    f(y) = Tuple(f(y)[0] + in(r, y), in(r, y));
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, a_fold_that_reads_the_other_is_not) {
    f(y) = Tuple(0.0f, 0.0f);
    f(y) = Tuple(f(y)[0] + in(r, y), f(y)[1] + f(y)[0]);
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, strict_float_is_not) {
    f(y) = 0.0f;
    f(y) = strict_float(f(y) + in(r, y));
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, an_update_that_its_author_specialised_is_not) {
    f(y) = 0.0f;
    f(y) += in(r, y);
    f.update().specialize(in.dim(0).stride() == 1);
    EXPECT_FALSE(update_is());
}

TEST_F(Reassociate, only_the_single_update_of_a_func_is_a_reduction_of_the_graph) {
    f(y) = 0.0f;
    f(y) += in(r, y);
    f(y) = f(y) / 100.0f;
    f.set_estimate(y, 0, 100);
    EXPECT_TRUE(update_is());
    EXPECT_FALSE(stage(testing::read({f}), "f", 1).reassociable);
}

TEST_F(Reassociate, sums_of_floats_are_not_where_the_target_is_strict_but_maxima_and_integers_are) {
    Func most("most"), count("count");
    f(y) = 0.0f;
    f(y) += in(r, y);
    most(y) = in.type().min();
    most(y) = max(most(y), in(r, y));
    count(y) = 0;
    count(y) += whole(r, y);
    for (Func *func : {&f, &most, &count}) {
        func->set_estimate(y, 0, 100);
    }
    const auto together = [](const Func &func, const Target &target) {
        return testing::planned({func}, "fused", false, target).plan.groups.back().tile.reducing;
    };
    const Target strict = testing::cuda().with_feature(Target::StrictFloat);
    EXPECT_GT(together(f, testing::cuda()), 1);
    EXPECT_EQ(together(f, strict), 1);
    EXPECT_GT(together(most, strict), 1);
    EXPECT_GT(together(count, strict), 1);
}

class Scatters : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, i{"i"};
    const RDom r{0, 100, "r"};
    ImageParam bits{UInt(8), 2, "bits"}, whole{Int(32), 2, "whole"};
    Func f{"f"}, output{"output"};

    Stage update() {
        output(x, y) = f(clamp(x, 0, 99), y);
        output.set_estimates({{0, 100}, {0, 100}});
        for (ImageParam *image : {&bits, &whole}) {
            image->set_estimates({{0, 100}, {0, 100}});
        }
        return stage(testing::read({output}), "f", 1);
    }
};

TEST_F(Scatters, sums_of_32_bit_integers_at_bounded_places_do) {
    f(i, y) = 0;
    f(clamp(whole(r, y), 0, 99), y) += cast<int>(bits(r, y));
    EXPECT_TRUE(update().scatters);
    EXPECT_EQ(update().independent, std::vector<int>{1});
    EXPECT_EQ(update().places, Places::Data);
    EXPECT_FALSE(update().reassociable);
}

TEST_F(Scatters, floats_bytes_and_extremes_do_not) {
    const auto scatters = [&](const std::function<void()> &define) {
        f = Func("f");
        output = Func("output");
        define();
        return update().scatters;
    };
    const Expr at = cast<int>(bits(r, y));
    EXPECT_FALSE(scatters([&] { f(i, y) = 0.0f, f(at, y) += 1.0f; })) << "their rounding depends on the order";
    EXPECT_FALSE(scatters([&] { f(i, y) = cast<uint8_t>(0), f(at, y) += cast<uint8_t>(1); })) << "no atomic form";
    EXPECT_FALSE(scatters([&] { f(i, y) = 0, f(at, y) = max(f(at, y), whole(r, y)); })) << "compares and swaps";
    EXPECT_FALSE(scatters([&] { f(i, y) = 0, f(at, y) = whole(r, y); })) << "the last one wins";
    EXPECT_FALSE(scatters([&] { f(i, y) = 0, f(i, y) += whole(r, y); })) << "a reduction";
}

TEST_F(Scatters, a_table_at_numbers_keeps_its_own_places_and_a_scan_follows_its_loop) {
    f(i, y) = 0;
    f(3, y) = f(2, y) + 1;
    EXPECT_EQ(update().places, Places::Own);
    f = Func("f");
    output = Func("output");
    f(i, y) = 0;
    f(r, y) = f(r - 1, y) + 1;
    EXPECT_EQ(update().places, Places::Loops);
}

TEST_F(Scatters, few_steps_of_constant_number_are_numbers) {
    const auto places = [&](const RDom &steps) {
        f = Func("f");
        output = Func("output");
        f(i, y) = 0;
        f(steps, y) = f(steps - 1, y) + 1;
        return update().places;
    };
    EXPECT_EQ(places(RDom(1, 64)), Places::Own);
    EXPECT_EQ(places(RDom(1, 65)), Places::Loops);
    EXPECT_EQ(places(RDom(1, whole.width())), Places::Loops);
}

TEST_F(Scatters, variables_whose_steps_do_not_meet_have_no_order) {
    const RDom steps(0, 31, 1, 9);
    f(i, y) = 0;
    f(steps.x, steps.y) = f(31, steps.y - 1) + f(steps.x, steps.y);
    EXPECT_THAT(update().unordered, ::testing::ElementsAre(0, 1));
    f = Func("f");
    output = Func("output");
    f(i, y) = 0;
    f(steps.x, steps.y) = f(30, steps.y - 1) + f(steps.x, steps.y);
    EXPECT_THAT(update().unordered, ::testing::IsEmpty()) << "reads what another step writes";
    f = Func("f");
    output = Func("output");
    f(i, y) = 0;
    f(steps.x, steps.y) = f(steps.x, steps.y - 1) + 1;
    EXPECT_THAT(update().unordered, ::testing::ElementsAre(0));
}

}  // namespace
}  // namespace fusion

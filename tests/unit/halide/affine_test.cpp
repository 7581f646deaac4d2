#include "fusion/halide/affine.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using Coefficients = std::map<std::string, int64_t>;

const Var x("x"), y("y");

TEST(Affine, sums_and_constant_factors_are_affine) {
    const AffineIndex a = read_index(2 * (x - 1) + y + 5);
    EXPECT_TRUE(a.affine);
    EXPECT_EQ(a.coefficient, (Coefficients{{"x", 2}, {"y", 1}}));
    EXPECT_EQ(a.constant, 3);
    EXPECT_FALSE(a.divided || a.clamped || a.data_dependent || a.symbolic);
}

TEST(Affine, a_constant_depends_on_nothing) {
    const AffineIndex a = read_index(Expr(-7));
    EXPECT_TRUE(a.affine);
    EXPECT_TRUE(a.coefficient.empty());
    EXPECT_EQ(a.constant, -7);
}

TEST(Affine, what_cancels_is_gone) {
    const AffineIndex a = read_index(x + y - x);
    EXPECT_TRUE(a.affine);
    EXPECT_EQ(a.coefficient, (Coefficients{{"y", 1}}));
}

TEST(Affine, a_mirrored_index_has_a_negative_coefficient) {
    EXPECT_EQ(read_index(99 - x).coefficient, (Coefficients{{"x", -1}}));
    EXPECT_EQ(read_index(99 - x).constant, 99);
}

TEST(Affine, a_parameter_added_makes_the_offset_symbolic) {
    const Param<int> p("p");
    const AffineIndex a = read_index(x + p);
    EXPECT_TRUE(a.affine);
    EXPECT_TRUE(a.symbolic);
    EXPECT_EQ(a.coefficient, (Coefficients{{"x", 1}}));
}

TEST(Affine, a_parameter_multiplied_is_not_affine_but_its_variable_is_known) {
    const Param<int> p("p");
    const AffineIndex a = read_index(x * p);
    EXPECT_FALSE(a.affine);
    EXPECT_EQ(a.coefficient.count("x"), 1u);
}

TEST(Affine, a_product_of_variables_is_not_affine) {
    const AffineIndex a = read_index(x * y);
    EXPECT_FALSE(a.affine);
    EXPECT_EQ(a.coefficient.size(), 2u);
}

TEST(Affine, division_remainder_and_shift_are_not_affine) {
    for (const Expr &e : {Expr(x) / 2, Expr(x) % 3}) {
        const AffineIndex a = read_index(e);
        EXPECT_FALSE(a.affine);
        EXPECT_TRUE(a.divided);
        EXPECT_EQ(a.coefficient.count("x"), 1u);
    }
    EXPECT_FALSE(read_index(Expr(x) >> 1).affine);
}

TEST(Affine, a_clamp_keeps_the_index_inside_it) {
    const Param<int> last("last");
    for (const Expr &e : {clamp(x - 1, 0, 9), clamp(x - 1, 0, last)}) {
        const AffineIndex a = read_index(e);
        EXPECT_TRUE(a.affine);
        EXPECT_TRUE(a.clamped);
        EXPECT_EQ(a.coefficient, (Coefficients{{"x", 1}}));
        EXPECT_EQ(a.constant, -1);
    }
}

TEST(Affine, a_minimum_of_two_variables_is_not_affine) {
    const AffineIndex a = read_index(min(x, y));
    EXPECT_FALSE(a.affine);
    EXPECT_EQ(a.coefficient.size(), 2u);
}

TEST(Affine, a_select_between_indices_is_not_affine) {
    const AffineIndex a = read_index(select(x > 3, x, 0));
    EXPECT_FALSE(a.affine);
    EXPECT_EQ(a.coefficient.count("x"), 1u);
}

TEST(Affine, a_value_read_from_a_func_is_data_dependent) {
    Func table("table");
    table(x) = x * 2;
    EXPECT_TRUE(read_index(table(x) + 1).data_dependent);
    EXPECT_TRUE(read_index(clamp(table(x), 0, 9)).data_dependent);
    EXPECT_TRUE(read_index(table(x) / 2).data_dependent);
}

TEST(Affine, a_value_read_at_a_constant_place_is_data_dependent_too) {
    Func table("table");
    table(x) = x * 2;
    EXPECT_TRUE(read_index(table(0)).data_dependent);
    EXPECT_TRUE(read_index(min(x, table(0))).data_dependent);
}

TEST(Affine, likely_and_widening_casts_change_nothing) {
    EXPECT_EQ(read_index(likely(x + 2)).coefficient, (Coefficients{{"x", 1}}));
    EXPECT_EQ(read_index(likely(x + 2)).constant, 2);
    EXPECT_EQ(read_index(unsafe_promise_clamped(x + 2, 0, 9)).constant, 2);
    EXPECT_FALSE(read_index(unsafe_promise_clamped(x + 2, 0, 9)).clamped);
    const AffineIndex a = read_index(cast<int>(cast<int64_t>(x) + 2));
    EXPECT_TRUE(a.affine);
    EXPECT_EQ(a.coefficient, (Coefficients{{"x", 1}}));
}

TEST(Affine, a_cast_that_wraps_around_is_not_affine) {
    const AffineIndex a = read_index(cast<int>(cast<uint8_t>(x)));
    EXPECT_FALSE(a.affine);
    EXPECT_EQ(a.coefficient.count("x"), 1u);
}

TEST(Affine, a_movement_is_of_one_loop_that_rises) {
    const auto moves = [](const Expr &e, int64_t steps, int64_t of, double low, double high, const std::string &shape) {
        const auto movement = movement_of(e);
        ASSERT_TRUE(movement) << e;
        EXPECT_EQ(movement->variable, "x");
        EXPECT_EQ(movement->steps, steps) << e;
        EXPECT_EQ(movement->of, of) << e;
        EXPECT_DOUBLE_EQ(movement->low, low) << e;
        EXPECT_DOUBLE_EQ(movement->high, high) << e;
        EXPECT_EQ(movement->shape, shape) << e;
    };
    moves(x, 1, 1, 0, 0, "");
    moves(3 * x + 2, 3, 1, 2, 2, "");
    moves(2 * (x - 1), 2, 1, -2, -2, "");
    moves(x / 8, 1, 8, -7.0 / 8, 0, "/8");
    moves((x + 1) / 2 - 1, 1, 2, -1, -0.5, "/2");
    moves((x / 2) / 2, 1, 4, -0.75, 0, "/2/2");
    moves(likely(clamp(2 * x + 1, 0, 9)), 2, 1, 1, 1, "min9max0");
    moves(clamp(x, 0, 9) - 1, 1, 1, -1, -1, "min9max0");
    for (const Expr &e : {7 - x, x + y, x % 4, x / y, Expr(4), x - x / 2, x * y, clamp(x, 0, y)}) {
        EXPECT_FALSE(movement_of(e)) << e;
    }
}

TEST(Affine, a_movement_behind_a_clamp_says_so) {
    EXPECT_TRUE(movement_of(clamp(x, 0, 9) / 2)->is_clamped);
    EXPECT_FALSE(movement_of(x / 2)->is_clamped);
}

}  // namespace
}  // namespace fusion

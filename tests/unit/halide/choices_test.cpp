#include "fusion/halide/choices.h"

#include "fusion/halide/classify_reads.h"
#include "fusion/halide/expr_cost.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

class Choices : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, c{"c"};
    Func f{"f"}, g{"g"};
    const std::vector<std::string> names = {"x", "y"};
    const std::vector<Extent> dims = {{"x", 0, 100}, {"y", 0, 100}};

    void SetUp() override {
        f(x, y) = x + y;
        g(x, y) = x - y;
    }

    Period period_of(const Expr &e) const { return points_of_period(dims, choices_by({e}, names)); }
};

TEST_F(Choices, are_of_a_remainder_or_of_more) {
    const Expr a = f(x, y), b = f(x, y + 1);
    EXPECT_EQ(choices_by({select(x % 2 == 0, a, b)}, names), (std::vector<int64_t>{2, 0}));
    EXPECT_EQ(choices_by({select(x % 2 == 0, a, y % 3 == 1, b, f(y, x))}, names), (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(choices_by({select((x + 1) % 2 == 0, a, b)}, names), (std::vector<int64_t>{2, 0}));
    EXPECT_EQ(choices_by({select((x + y) % 2 == 0, a, b)}, names), (std::vector<int64_t>{1, 1})) << "of both";
    EXPECT_EQ(choices_by({select(x % 2 == 0 && x < 9, a, b)}, names), (std::vector<int64_t>{1, 0}));
    EXPECT_EQ(choices_by({select(x % 2 == 0, 1, 2) * a}, names), (std::vector<int64_t>{0, 0})) << "reads the same";
    EXPECT_EQ(choices_by({select(a > b, a, b)}, names), (std::vector<int64_t>{0, 0})) << "by data";
}

TEST_F(Choices, a_mux_is_one) {
    EXPECT_EQ(choices_by({mux(y, {f(x, 0), g(x, 0)})}, names), (std::vector<int64_t>{0, 1}));
    EXPECT_EQ(choices_by({mux(y % 2, {f(x, 0), g(x, 0)})}, names), (std::vector<int64_t>{0, 2}));
    EXPECT_EQ(choices_by({mux(y, {Expr(1), Expr(2)})}, names), (std::vector<int64_t>{0, 0})) << "reads nothing";
}

TEST_F(Choices, a_period_has_all_remainders_together) {
    EXPECT_EQ(points_of_period(dims, {2, 3}).size(), 6u);
    EXPECT_EQ(points_of_period(dims, {0, 0}).size(), 0u);
    EXPECT_EQ(points_of_period(dims, {1, 0}).size(), 0u) << "100 values are more than a thread computes";
    EXPECT_EQ(points_of_period({{"x", 0, 100}, {"y", 5, 3}}, {2, 1}).size(), 6u);
    EXPECT_EQ(points_of_period(dims, {64, 0}).size(), 64u);
    EXPECT_EQ(points_of_period(dims, {64, 2}).size(), 0u);
}

TEST_F(Choices, a_point_takes_one_arm) {
    const Expr e = select(x % 2 == 0, f(x / 2, y), g(x / 2, y));
    const Period period = period_of(e);
    ASSERT_EQ(period.size(), 2u);
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[0], true)[0], f(x / 2, y)));
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[1], true)[0], g(x / 2, y)));
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[1], false)[0], g(x, y))) << "half of an odd number";
    EXPECT_TRUE(Internal::equal(taken_at({f(x + 1, y)}, period[1], false)[0], f(x + 1, y))) << "divides nothing";
}

TEST_F(Choices, of_a_mux_the_last_value_stands_for_those_behind_it) {
    const Expr e = mux(y, {f(x, 0), g(x, 0)});
    const Period period = points_of_period({{"x", 0, 100}, {"y", 0, 3}}, choices_by({e}, names));
    ASSERT_EQ(period.size(), 3u);
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[0], true)[0], f(x, 0)));
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[1], true)[0], g(x, 0)));
    EXPECT_TRUE(Internal::equal(taken_at({e}, period[2], true)[0], g(x, 0)));
}

TEST_F(Choices, data_are_not_looked_into) {
    const Expr e = select(f(x, y) % 2 == 0, g(x, y), select(x % 2 == 0, g(x + 1, y), g(x - 1, y)));
    const std::vector<Expr> taken = taken_at({e}, period_of(e)[0], true);
    EXPECT_TRUE(Internal::equal(taken[0], select(f(x, y) % 2 == 0, g(x, y), g(x + 1, y))));
}

TEST_F(Choices, work_and_reads_of_a_point_are_the_mean) {
    const Expr e = select(x % 2 == 0, f(x / 2, y) + f(x / 2, y + 1), g(x / 2, y));
    const Period period = period_of(e);
    EXPECT_EQ(chosen_work({e}, period, names).total(), (4 + 1) / 2.0) << "two loads, y + 1 and their sum, or a load";
    auto reads = classify_reads({e}, names, {});
    find_taken({e}, period, names, reads);
    EXPECT_EQ(reads.at(f.name())[0].taken, 0.5);
    EXPECT_EQ(reads.at(g.name())[0].taken, 0.5);
    const Expr all = e + f(x / 2, y);
    reads = classify_reads({all}, names, {});
    find_taken({all}, period, names, reads);
    EXPECT_EQ(reads.at(f.name())[0].taken, (2 + 1) / 2.0 / 2);
}

}  // namespace
}  // namespace fusion

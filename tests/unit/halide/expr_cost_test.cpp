#include "fusion/halide/expr_cost.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

class ExprCost : public ::testing::Test {
protected:
    const Var x{"x"};
    ImageParam in{Float(32), 1, "in"}, wide{Float(64), 1, "wide"}, whole{Int(32), 1, "whole"};
    const Expr a = in(x), b = in(x + 1), c = in(x + 2);

    static double arithmetic(const Expr &e) { return work_of({e}, {}).arithmetic; }
    static double special(const Expr &e) { return work_of({e}, {}).special; }
};

TEST_F(ExprCost, a_load_and_each_operation_are_one_instruction) {
    EXPECT_EQ(arithmetic(a), 1);
    EXPECT_EQ(arithmetic(a + 1.0f), 2);
    EXPECT_EQ(arithmetic(min(a, 1.0f)), 2);
    EXPECT_EQ(arithmetic(select(a > 0, a, 0.0f)), 3);
    EXPECT_EQ(special(a + 1.0f), 0);
}

TEST_F(ExprCost, a_product_added_is_one_instruction_of_floats_and_two_of_integers) {
    EXPECT_EQ(arithmetic(a * 2.0f + 1.0f), 2);
    EXPECT_EQ(arithmetic(whole(x) * 3 + 1), 3);
}

TEST_F(ExprCost, a_shared_subexpression_counts_once) {
    const Expr shared = a * 2.0f;
    EXPECT_EQ(arithmetic(max(shared, 0.0f) - min(shared, 1.0f)), 5);
    EXPECT_EQ(work_of({shared, shared}, {}).arithmetic, arithmetic(shared)) << "two elements of a Tuple";
    EXPECT_EQ(work_of({shared, shared - 1.0f}, {}).total(), 3);
}

TEST_F(ExprCost, a_shared_subexpression_of_a_deep_graph_is_not_walked_again) {
    Expr e = a;
    for (int i = 0; i < 200; i++) {
        e = max(e, 0.5f) - min(e, 0.25f);
    }
    EXPECT_EQ(arithmetic(e), 1 + 3 * 200);
}

TEST_F(ExprCost, functions_cost_their_expansion) {
    EXPECT_GE(special(exp(a)), 8);
    EXPECT_GT(special(tanh(a)), special(exp(a)));
    EXPECT_GT(special(pow(a, b)), special(exp(a)));
    EXPECT_GT(special(a / b), 0);
}

TEST_F(ExprCost, dividing_by_a_constant_is_cheaper_for_integers) {
    EXPECT_LT(special(whole(x) / 3), special(whole(x) / whole(x + 1)));
    EXPECT_LT(special(whole(x) / 3), special(whole(x) % 3));
}

TEST_F(ExprCost, doubles_weigh_twice) {
    EXPECT_EQ(arithmetic(wide(x) + cast<double>(1)), 1 + 2);
    EXPECT_EQ(special(sqrt(wide(x))), 2 * special(sqrt(a)));
}

TEST_F(ExprCost, work_of_a_constant_is_none) {
    EXPECT_EQ(work_of({Expr(1.0f)}, {}).total(), 0);
}

TEST_F(ExprCost, a_running_sum_keeps_two_values) {
    EXPECT_EQ(live_values_of({a}), 1);
    EXPECT_EQ(live_values_of({a + b + c}), 2);
}

TEST_F(ExprCost, a_balanced_tree_keeps_one_value_a_level) {
    const auto leaf = [&](int i) { return in(x + i) * in(x - i - 1); };  // two
    const Expr four = (leaf(0) + leaf(1)) + (leaf(2) + leaf(3));
    EXPECT_EQ(live_values_of({leaf(0)}), 2);
    EXPECT_EQ(live_values_of({leaf(0) + leaf(1)}), 3);
    EXPECT_EQ(live_values_of({four}), 4);
}

TEST_F(ExprCost, a_double_takes_two_registers_and_a_function_needs_room) {
    EXPECT_EQ(live_values_of({wide(x)}), 2);
    EXPECT_GT(live_values_of({sin(a)}), live_values_of({abs(a)}));
}

}  // namespace
}  // namespace fusion

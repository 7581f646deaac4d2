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

TEST_F(ExprCost, loads_that_a_select_picks_are_counted_through_conversions) {
    const auto selected = [](const Expr &e) { return work_of({e}, {}).selected_loads; };
    EXPECT_EQ(selected(select(a > 0, a, b)), 2);
    EXPECT_EQ(selected(select(whole(x) > 0, cast<float>(whole(x)), 0.0f)), 1);
    EXPECT_EQ(selected(select(a > 0, b + 1.0f, 0.0f)), 0) << "computed from a load";
    EXPECT_EQ(selected(max(a, 0.0f)), 0);
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

class Invariant : public ExprCost {
protected:
    const Var y{"y"};
    ImageParam plane{Float(32), 2, "plane"};
    const Expr along = plane(x, y), of_row = in(y);

    /// Of the work along x: what is the same for all of a row.
    static double same(const std::vector<Expr> &values, const std::vector<std::string> &loops = {"x"}) {
        double instructions = 0;
        for (const Share &share : work_of(values, loops).shares) {
            instructions += share.loops == 0 ? share.instructions : 0;
        }
        return instructions;
    }
};

TEST_F(Invariant, what_does_not_use_the_walked_loop_is_counted_once_a_row) {
    EXPECT_EQ(same({along + 1.0f}), 0);
    EXPECT_EQ(same({of_row}), 1);
    EXPECT_EQ(same({along * of_row}), 1) << "the load";
    EXPECT_EQ(same({along - exp(of_row)}), work_of({exp(of_row)}, {}).total());
    EXPECT_EQ(work_of({along - exp(of_row)}, {"x"}).total(), work_of({along - exp(of_row)}, {}).total());
}

TEST_F(Invariant, only_the_part_that_is_the_same_counts) {
    EXPECT_EQ(same({exp(along + of_row * 2.0f)}), work_of({of_row * 2.0f}, {}).total());
    EXPECT_EQ(same({1.0f / (along * sqrt(of_row))}), work_of({sqrt(of_row)}, {}).total());
}

TEST_F(Invariant, a_shared_part_counts_once) {
    const Expr scale = 1.0f / of_row;
    EXPECT_EQ(same({along * scale + max(along, scale)}), work_of({scale}, {}).total());
    EXPECT_EQ(same({along * scale, along + scale}), work_of({scale}, {}).total());
}

TEST_F(Invariant, all_of_it_is_where_no_loop_is_walked) {
    EXPECT_EQ(same({along * of_row}, {}), work_of({along * of_row}, {}).total());
}

TEST_F(Invariant, shares_are_told_apart_by_the_loops_that_they_use) {
    const Work work = work_of({along * exp(of_row)}, {"x", "y"});
    double total = 0;
    std::set<uint64_t> loops;
    for (const Share &share : work.shares) {
        total += share.instructions;
        loops.insert(share.loops);
    }
    EXPECT_EQ(total, work.total());
    EXPECT_EQ(loops, (std::set<uint64_t>{2, 3})) << "the exponential, and the product with its other load";
}

TEST_F(Invariant, what_halide_has_named_depends_on_its_loops_all_the_same) {
    Func f("f");
    const Expr apart = plane(x, y) - 1.0f;
    f(x, y) = apart * exp(apart * apart);  // Halide defines `apart` as a let
    const Work work = work_of({f.value()}, {"x", "y"});
    ASSERT_FALSE(work.shares.empty());
    for (const Share &share : work.shares) {
        EXPECT_EQ(share.loops, 3u) << share.instructions;
    }
}

TEST_F(Invariant, a_deep_graph_is_not_walked_again) {
    Expr e = along, row = of_row;
    for (int i = 0; i < 200; i++) {
        e = max(e, row) - min(e, row);
        row = max(row, 0.5f) - min(row, 0.25f);
    }
    EXPECT_EQ(same({e}), work_of({row}, {}).total() - 3) << "the last row is read by nobody";
}

TEST_F(Invariant, a_reduction_walks_its_rdom_and_another_stage_its_contiguous_dimension) {
    const RDom r(0, 64, "r");
    Func sum("sum"), output("output");
    sum(y) = 0.0f;
    sum(y) += plane(r, y) * exp(in(y));
    output(x, y) = plane(x, y) / sqrt(sum(y));
    output.set_estimates({{0, 64}, {0, 1024}});
    const PipelineView view = testing::read({output});
    EXPECT_EQ(loops_of(testing::stage(view, "sum", 1)), (std::vector<std::string>{y.name(), r.x.name()}));
    EXPECT_EQ(testing::stage(view, "sum", 1).invariant(), work_of({exp(of_row)}, {}).total() + 1) << "and sum itself";
    EXPECT_EQ(testing::stage(view, "output").invariant(), work_of({sqrt(sum(y))}, {}).total());
}

}  // namespace
}  // namespace fusion

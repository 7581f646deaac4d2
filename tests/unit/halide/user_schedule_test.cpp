#include "fusion/halide/user_schedule.h"

#include "fusion/halide/verify.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::planned;
using testing::vertex;

class UserSchedule : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, t{"t"};
    const RDom r{0, 8, "r"};
    ImageParam in{Float(32), 2, "in"};
    Func f{"f"}, g{"g"};

    void SetUp() override {
        f(x, y) = in(x, y) + 1;
        f(x, y) += in(x, y + r);
        g(x, y) = f(x, y) * 2;
    }
    static bool scheduled(const Func &f) { return is_scheduled_by_user(f.function()); }
    static bool own_loops(const Func &f) { return has_own_loops(f.function()); }
};

TEST_F(UserSchedule, of_an_untouched_func_is_none) {
    g.set_estimate(x, 0, 100);
    EXPECT_FALSE(scheduled(g) || own_loops(g));
    EXPECT_FALSE(scheduled(f) || own_loops(f));
}

TEST_F(UserSchedule, compute_root_gives_loops) {
    f.compute_root();
    EXPECT_TRUE(scheduled(f) && own_loops(f));
    EXPECT_FALSE(scheduled(g));
}

TEST_F(UserSchedule, compute_at_gives_loops) {
    f.compute_at(g, y);
    EXPECT_TRUE(scheduled(f) && own_loops(f));
}

TEST_F(UserSchedule, a_split_is_found) {
    g.split(x, x, t, 8);
    EXPECT_TRUE(scheduled(g));
    EXPECT_FALSE(own_loops(g));
}

TEST_F(UserSchedule, a_lone_vectorize_is_found) {
    g.vectorize(x);
    EXPECT_TRUE(scheduled(g));
}

TEST_F(UserSchedule, a_lone_parallel_reorder_or_unroll_is_found) {
    Func a("a"), b("b"), c("c");
    for (Func *each : {&a, &b, &c}) {
        (*each)(x, y) = x + y;
    }
    a.parallel(y);
    b.reorder(y, x);
    c.unroll(x);
    EXPECT_TRUE(scheduled(a) && scheduled(b) && scheduled(c));
}

TEST_F(UserSchedule, a_schedule_of_an_update_is_found) {
    f.update(0).vectorize(x);
    EXPECT_TRUE(scheduled(f));
}

TEST_F(UserSchedule, a_specialization_is_found) {
    g.specialize(in.width() > 10);
    EXPECT_TRUE(scheduled(g));
}

TEST_F(UserSchedule, a_bound_is_found_and_is_no_loop) {
    g.bound(x, 0, 16);
    EXPECT_TRUE(is_bounded_by_user(g.function()));
    EXPECT_FALSE(is_bounded_by_user(f.function()));
    EXPECT_FALSE(scheduled(g));
}

TEST_F(UserSchedule, a_bounded_output_is_planned_and_another_func_is_left) {
    Func inner("inner"), output("output");
    inner(x, y) = in(x, y) * 2;
    output(x, y) = inner(x, y) + 1;
    output.set_estimate(x, 0, 64).set_estimate(y, 0, 64);
    output.bound(x, 0, 64);
    const Planned alone = planned({output}, "fused", true);
    EXPECT_EQ(alone.plan.fallback, "");
    ASSERT_EQ(alone.plan.groups.size(), 1u);
    EXPECT_EQ(alone.plan.groups[0].kind, Template::Pointwise);
    inner.bound(x, 0, 64);
    EXPECT_TRUE(read_pipeline({output.function()}).graph[vertex(alone.view, "inner")].scheduled_by_user);
}

TEST_F(UserSchedule, a_wrapper_is_found) {
    f.in(g);
    EXPECT_TRUE(scheduled(f));
}

TEST_F(UserSchedule, keeps_the_loops_of_the_user_and_lets_others_fuse_up_to_it) {
    Func before("before"), kept("kept"), after("after"), output("output");
    before(x, y) = in(x, y) * 2;
    kept(x, y) = before(x, y) + 1;
    after(x, y) = kept(x, y) - 3;
    output(x, y) = after(x, y) * 4;
    output.set_estimate(x, 0, 4096).set_estimate(y, 0, 4096);
    kept.compute_root().gpu_tile(x, y, Var("bx"), Var("by"), Var("tx"), Var("ty"), 32, 8);
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(p.plan.placement[vertex(p.view, "before")], Placement::Inlined);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "after")], Placement::Inlined);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "kept")], Placement::Root);
    ASSERT_EQ(p.plan.groups.size(), 2u);
    EXPECT_EQ(p.plan.groups[0].kind, Template::UserLoops);
    for (const Directive &d : p.schedule) {
        EXPECT_NE(p.view.graph[vertex(p.view, "kept")].func_id, d.func_id) << "nothing is added to it";
    }
    const std::string ptx = ptx_of(p, testing::cuda());
    EXPECT_EQ(testing::count_matches(ptx, "\\.entry _kernel_kept_\\S*s0_"), 1);
    EXPECT_GE(testing::count_matches(ptx, "\\.entry _kernel_output_\\S*s0_"), 1);
}

}  // namespace
}  // namespace fusion

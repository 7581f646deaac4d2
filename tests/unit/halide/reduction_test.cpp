/// What the template of blocks that reduce together lowers to.
#include <algorithm>

#include "schedules/apply.h"
#include "schedules/block_reduce.h"
#include "tests/unit/halide/reduction_template.h"

namespace fusion {
namespace {

TEST_F(ReductionTemplate, three_barriers_a_reduction_of_128_threads) {
    const Planned softmax = planned({this->softmax(1024, 65536)});
    EXPECT_EQ(barriers(with_tile(softmax, {.vector = 4, .threads = 128, .reducing = 128})), 2 * 3);
}

TEST_F(ReductionTemplate, slices_of_a_row_share_the_kernel_and_its_registers) {
    const Planned p = planned({softmax(65536, 2048)});
    ASSERT_EQ(p.plan.groups.size(), 1u) << "online, in one pass and one kernel";
    EXPECT_EQ(p.plan.rewrites.at(0).id, "online-softmax");
    const Decision sound = verified(p);
    EXPECT_TRUE(sound.allowed()) << sound.why();
    const Kernel kernel = kernels(p).at(0);
    // Its slices, then two reductions of them.
    EXPECT_LE(count_matches(kernel.text, "bar\\.sync"), 1 + 2 * 3 + 1);
    EXPECT_LE(kernel.resources.registers, 40);
    EXPECT_EQ(kernel.resources.spilled_bytes, 0);
}

TEST_F(ReductionTemplate, few_long_rows_take_two_launches) {
    const Planned p = planned({softmax(1000000, 8)});
    EXPECT_EQ(p.plan.groups.size(), 2u);
    EXPECT_EQ(p.ledger.planned.launches, 2);
    EXPECT_GT(p.plan.groups[1].tile.bands, 8);
    const Decision sound = verified(p);
    EXPECT_TRUE(sound.allowed()) << sound.why();
}

TEST_F(ReductionTemplate, one_more_exchange_where_more_threads_than_one_can_fold) {
    const Planned p = planned({this->softmax(1024, 65536)});
    EXPECT_EQ(barriers(with_tile(p, {.vector = 1, .threads = 128, .reducing = 16})), 2 * 2);
    EXPECT_EQ(barriers(with_tile(p, {.vector = 1, .threads = 128, .reducing = 32})), 2 * 3);
}

TEST_F(ReductionTemplate, holds_no_memory_that_the_plan_does_not_know) {
    const Planned p = planned({softmax(1024, 65536)});
    ASSERT_EQ(p.plan.groups.size(), 1u);
    for (const Tile &tile :
         {Tile{.vector = 4, .threads = 128, .reducing = 128}, Tile{.vector = 1, .threads = 256, .reducing = 32},
          Tile{.vector = 1, .threads = 512, .reducing = 512}}) {
        const Decision sound = verified(with_tile(p, tile));
        EXPECT_TRUE(sound.allowed()) << tile.threads << "/" << tile.reducing << ": " << sound.why();
    }
}

TEST_F(ReductionTemplate, has_no_more_threads_than_planned_where_more_rows_than_threads_of_a_row_are_held) {
    for (const Func &output : {softmax(31, 65536), row_sum(31, 65536)}) {
        const Planned p = planned({output});
        const Decision sound = verified(with_tile(p, {.threads = 512, .reducing = 8}));
        EXPECT_TRUE(sound.allowed()) << output.name() << ": " << sound.why();
    }
    const Decision parts =
        verified(with_tile(planned({row_sum(4096, 64)}), {.threads = 512, .reducing = 8, .chunks = 8}));
    EXPECT_TRUE(parts.allowed()) << parts.why();
}

// One reduction walks rows and the other columns of what it reads, but a block has one shape.
TEST_F(ReductionTemplate, has_no_more_threads_than_planned_where_reductions_walk_different_ways) {
    ImageParam turned(Float(32), 2, "turned");
    Func sum("sum"), most("most"), output("output");
    const RDom r(0, 64, "r");
    sum(y) = 0.0f;
    sum(y) += in(r, y);
    most(y) = 0.0f;
    most(y) = max(most(y), turned(y, r));
    output(x, y) = in(x, y) / sum(y) - most(y);
    output.set_estimates({{0, 64}, {0, 65536}});
    const Planned p = planned({output});
    ASSERT_EQ(p.plan.groups.size(), 1u);
    const Decision sound = verified(with_tile(p, {.threads = 512, .reducing = 8}));
    EXPECT_TRUE(sound.allowed()) << sound.why();
}

TEST_F(ReductionTemplate, has_no_more_threads_than_planned_where_the_output_lies_across_its_rows) {
    Func output = softmax(64, 64);
    output.output_buffer().dim(0).set_stride(Expr()).dim(1).set_stride(1);
    const Planned p = planned({output});
    ASSERT_EQ(p.plan.groups.size(), 1u);
    const Decision sound = verified(with_tile(p, {.threads = 512, .reducing = 8}));
    EXPECT_TRUE(sound.allowed()) << sound.why();
}

TEST_F(ReductionTemplate, loads_rows_of_1024_in_vectors_through_the_read_only_path) {
    const std::vector<Kernel> found = kernels(planned({softmax(1024, 65536)}));
    ASSERT_GE(found.size(), 2u) << "the sizes of the estimates, and all others";
    const int wide = wide_loads(found[0].text);
    EXPECT_GE(wide, 2) << "two vectors a thread";
    EXPECT_EQ(count_matches(found[0].text, "ld\\.global"), wide);
    EXPECT_EQ(count_matches(found[0].text, "st\\.global\\.v4"), 2);
    EXPECT_EQ(count_matches(found[0].text, "st\\.global"), 2);
}

TEST_F(ReductionTemplate, takes_fewer_than_40_registers_where_the_sizes_are_known) {
    if (find_ptxas().empty()) {
        GTEST_SKIP() << "no ptxas";
    }
    for (const int width : {256, 1024}) {
        const std::vector<Kernel> found = kernels(planned({softmax(width, 65536)}));
        ASSERT_GE(found.size(), 2u);
        EXPECT_GT(found[0].resources.registers, 8) << width;
        EXPECT_LT(found[0].resources.registers, 40) << width;
        EXPECT_EQ(found[0].resources.spilled_bytes, 0) << width;
    }
}

TEST_F(ReductionTemplate, uses_the_native_exponential_in_both_branches) {
    for (const Kernel &kernel : kernels(planned({softmax(1024, 65536)}))) {
        EXPECT_GE(count_matches(kernel.text, "ex2\\.approx\\.ftz"), 2) << kernel.resources.entry;
    }
}

TEST_F(ReductionTemplate, passes_the_check_for_rows_of_any_shape) {
    struct Shape {
        int width, height;
    };
    for (const Shape &shape : {Shape{1, 1}, Shape{33, 1000}, Shape{1024, 4096}, Shape{5003, 2}}) {
        const Planned p = planned({row_sum(shape.width, shape.height)}, "fused", true);
        EXPECT_EQ(p.plan.fallback, "") << shape.width << " x " << shape.height;
    }
}

TEST_F(ReductionTemplate, parts_in_blocks_of_their_own_are_stored_and_folded_by_a_second_launch) {
    const Planned p = planned({row_sum(1 << 24, 2)}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_GT(p.plan.groups.back().tile.chunks, 1) << "the case is not the one meant";
    EXPECT_EQ(p.plan.groups.back().price.launches, 2);
    int stored = 0;
    for (const Directive &d : p.schedule) {
        stored += d.verb == Verb::ComputeRoot;
    }
    EXPECT_EQ(stored, 1) << "the parts";
}

TEST_F(ReductionTemplate, sums_of_doubles_compile) {
    Func sum("sum"), output("output");
    sum(y) = cast<double>(0);
    sum(y) += cast<double>(in(row(), y));
    output(x, y) = in(x, y) / cast<float>(sum(y));
    in.set_estimates({{0, 1024}, {0, 64}});
    output.set_estimates({{0, 1024}, {0, 64}});
    EXPECT_EQ(planned({output}, "fused", true).plan.fallback, "");
}

TEST_F(ReductionTemplate, a_predicate_on_data_compiles) {
    RDom r = row();
    r.where(in(r, y) > 0.25f);
    Func sum("sum");
    sum(y) = 0.0f;
    sum(y) += in(r, y);
    in.set_estimates({{0, 1000}, {0, 64}});
    sum.set_estimate(y, 0, 64);
    const Planned p = planned({sum}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    const auto moves = [](const Directive &d) { return d.verb == Verb::IdentityWhere; };
    EXPECT_EQ(std::count_if(p.schedule.begin(), p.schedule.end(), moves), 1) << "or it reads behind the end of the row";
}

TEST_F(ReductionTemplate, a_thread_reduces_a_point_of_three_dimensions) {
    Var x("x"), y("y"), c("c");
    ImageParam in(Float(32), 3, "in");
    RDom r(0, 33);
    Func sum("sum"), half("half");
    sum(x, y, c) = in(x, y, c);
    sum(x, y, c) += in(x + r % 3, y, c) * cast<float>(r);
    half(x, y, c) = sum(x, y, c) / sum(x, y, 3);
    in.set_estimates({{0, 200}, {0, 300}, {0, 4}});
    half.set_estimates({{0, 192}, {0, 300}, {0, 3}});
    const Planned p = planned({half}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "") << "Halide cannot bound what three loops fused as one index";
    EXPECT_EQ(p.ledger.planned.launches, 2);
}

TEST_F(ReductionTemplate, blocks_reduce_points_of_four_dimensions) {
    Var x("x"), y("y"), c("c"), b("b");
    ImageParam in(Float(32), 4, "in"), filter(Float(32), 2, "filter");
    RDom r(0, filter.dim(1).extent());
    Func wide("wide"), sum("sum"), output("output");
    wide(x, y, c, b) = 0.0f;
    wide(x, y, c, b) += filter(x, r) * in(x, y + r, c, b);
    sum(y, c, b) = 0.0f;
    sum(y, c, b) += wide(RDom(0, 32), y, c, b);
    output(x, y, c, b) = wide(x, y, c, b) / sum(y, c, b);
    in.set_estimates({{0, 32}, {0, 120}, {0, 112}, {0, 4}});
    filter.set_estimates({{0, 32}, {0, 9}});
    output.set_estimates({{0, 32}, {0, 112}, {0, 112}, {0, 4}});
    EXPECT_EQ(planned({output}, "fused", true).plan.fallback, "");
}

TEST(UnrolledSteps, divide_the_steps_where_they_can) {
    EXPECT_EQ(unrolled_steps(1, 4), 1);
    EXPECT_EQ(unrolled_steps(0, 4), 1);
    EXPECT_EQ(unrolled_steps(8, 4), 4);
    EXPECT_EQ(unrolled_steps(9, 4), 3);
    EXPECT_EQ(unrolled_steps(10, 4), 2);
    EXPECT_EQ(unrolled_steps(11, 4), 2) << "with a guard";
    EXPECT_EQ(unrolled_steps(8, 2), 2);
}

TEST(UnrolledSteps, are_all_of_them_where_they_are_few) {
    EXPECT_EQ(unrolled_steps(5, 4), 5);
    EXPECT_EQ(unrolled_steps(3, 2), 3);
}

}  // namespace
}  // namespace fusion

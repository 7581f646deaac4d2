/// schedules/contraction.cpp: what Halide makes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/contraction_kernel.h"
#include "fusion/halide/measure_registers.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::count_matches;
using testing::planned;

class Contraction : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam a{Float(32), 2, "a"}, b{Float(32), 2, "b"};
    Func product{"product"}, output{"output"};
    const RDom r{0, 1024};

    void SetUp() override {
        product(x, y) = 0.0f;
        product(x, y) += a(x, r) * b(r, y);
        output(x, y) = max(product(x, y), 0.0f);
        a.set_estimates({{0, 1024}, {0, 1024}});
        b.set_estimates({{0, 1024}, {0, 1024}});
        output.set_estimates({{0, 1024}, {0, 1024}});
    }
};

TEST_F(Contraction, is_one_kernel_with_a_branch_for_vectors_one_for_tiles_and_one_for_any_size) {
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 1u);
    EXPECT_TRUE(is_contraction(p.plan.groups[0].tile));
    EXPECT_EQ(std::count_if(p.schedule.begin(), p.schedule.end(),
                            [](const Directive &d) { return d.verb == Verb::Specialize; }),
              2);
    const std::string ptx = ptx_of(p, testing::cuda());
    EXPECT_EQ(count_matches(ptx, "\\.entry _kernel_output_\\S*s0_"), 3);
    EXPECT_GE(count_matches(ptx, "ld\\.global\\.nc\\.v4"), 4) << "four steps of whole vectors of a";
    EXPECT_EQ(count_matches(ptx, "ld\\.local"), 0) << "the points of a thread are in registers";
}

TEST_F(Contraction, is_stored_where_its_reader_cannot_be_in_its_kernel) {
    Func far("far");
    far(x, y) = product(x, y) + product(1023 - x, y);
    far.set_estimates({{0, 1024}, {0, 1024}});
    const Planned p = planned({far}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 2u);
    EXPECT_TRUE(is_contraction(p.plan.groups[0].tile));
}

TEST_F(Contraction, keeps_to_single_points_without_guarded_vectors_but_shares_rows) {
    const Planned p = planned({output}, "fused", true, testing::opencl());
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_TRUE(is_contraction(p.plan.groups[0].tile));
    EXPECT_EQ(std::count_if(p.schedule.begin(), p.schedule.end(),
                            [](const Directive &d) { return d.verb == Verb::Vectorize; }),
              0);
}

}  // namespace
}  // namespace fusion

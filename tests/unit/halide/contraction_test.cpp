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

TEST_F(Contraction, writes_the_steps_of_a_window_along_its_rows_out) {
    ImageParam image(Float(32), 3, "image"), filter(Float(32), 3, "filter");
    const RDom window(0, 64, 0, 3, "window");
    Func folded("folded"), relu("relu");
    const Var c("c");
    folded(c, x, y) += filter(c, window.y, window.x) * image(window.x, x + window.y, y);
    relu(c, x, y) = max(folded(c, x, y), 0.0f);
    relu.set_estimates({{0, 128}, {0, 96}, {0, 64}});
    image.set_estimates({{0, 64}, {0, 98}, {0, 64}});
    filter.set_estimates({{0, 128}, {0, 3}, {0, 64}});
    const Planned p = planned({relu}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 1u);
    ASSERT_TRUE(is_contraction(p.plan.groups[0].tile));
    const std::string ptx = ptx_of(p, testing::cuda());
    const int rows = p.plan.groups[0].tile.per_thread;
    EXPECT_EQ(p.plan.groups[0].tile.dims.y, 1);
    // Four steps of a turn. The image: rows + 2 places in the branches for vectors and for tiles, 3 of a single point. The
    // filter: in vectors, as single elements, of a single point.
    const int image_loads = 2 * 4 * (rows + 2) + 4 * 3, filter_loads = 4 * 3 * 4 + 4 * 3;
    EXPECT_LE(count_matches(ptx, "ld\\.global\\.nc\\.[fb]32"), image_loads + filter_loads);
    EXPECT_EQ(count_matches(ptx, "ld\\.local"), 0);
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

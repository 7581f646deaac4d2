/// schedules/private.cpp: what Halide makes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/halide/measure_registers.h"
#include "fusion/private_kernel.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::count_matches;
using testing::planned;

class PrivateTemplate : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, i{"i"};
    ImageParam in{UInt(8), 2, "in"};
    Func counts{"counts"}, output{"output"};
    const RDom r{0, 4096};

    void SetUp() override { in.set_estimates({{0, 4096}, {0, 2048}}); }

    Planned plan_of(const Target &target = testing::cuda()) {
        output.set_estimates({{0, 4096}, {0, 2048}});
        return planned({output}, "fused", true, target);
    }
};

TEST_F(PrivateTemplate, counts_in_shared_memory_by_atomic_additions) {
    counts(i, y) = 0;
    counts(clamp(cast<int>(in(r, y)) * 2 - 3, 0, 299), y) += 1;
    output(x, y) = counts(cast<int>(in(x, y)), y);
    const Planned p = plan_of();
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(p.ledger.planned.launches, 2);
    const std::string ptx = ptx_of(p, testing::cuda());
    EXPECT_GE(count_matches(ptx, "(atom|red)\\.shared\\.\\S*add"), 1);
    EXPECT_EQ(count_matches(ptx, "atom\\S*cas"), 0);
}

TEST_F(PrivateTemplate, adds_what_data_say_in_one_piece_however_its_place_is_simplified) {
    const Expr sample = clamp(cast<float>(in(r, y)) / 16.0f, -5.0f, 8.0f);
    const Expr place = clamp(cast<int>(clamp(floor(sample * 64.0f + 128.0f), -512.0f, 512.0f)) % 303, 0, 299);
    counts(i, y) = 0;
    counts(place, y) += 1 + cast<int>(in(r, y)) % 4;
    output(x, y) = counts(cast<int>(in(x, y)), y);
    EXPECT_EQ(count_matches(ptx_of(plan_of(), testing::cuda()), "atom\\S*cas"), 0);
}

TEST_F(PrivateTemplate, a_table_at_numbers_stays_in_the_registers_of_its_thread) {
    counts(x, y, i) = undef<int>();
    counts(x, y, 0) = cast<int>(in(x, y));
    counts(x, y, 1) = counts(x, y, 0) * 3;
    counts(x, y, 2) = counts(x, y, 1) - counts(x, y, 0);
    output(x, y) = counts(x, y, clamp(cast<int>(in(y, x)), 0, 2));
    output.set_estimates({{0, 2048}, {0, 2048}});
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(p.ledger.planned.launches, 2);
    const std::string ptx = ptx_of(p, testing::cuda());
    EXPECT_EQ(count_matches(ptx, "(ld|st)\\.local"), 0);
    EXPECT_EQ(count_matches(ptx, "atom"), 0);
}

TEST_F(PrivateTemplate, tables_of_neighbouring_cells_are_in_shared_memory_and_a_pixel_is_read_once_for_both_channels) {
    const Var c{"c"};
    const RDom window(0, 8, 0, 8);
    const Expr value = cast<float>(BoundaryConditions::repeat_edge(in)(x * 8 + window.x, y * 8 + window.y));
    counts(x, y, i, c) = 0.0f;
    counts(x, y, cast<int>(clamp(value, 0.0f, 255.0f) / 16.0f), c) += mux(c, {value, 1.0f});
    output(x, y) =
        counts(x / 8, y / 8, cast<int>(in(x, y)) / 16, 0) / counts(x / 8, y / 8, cast<int>(in(x, y)) / 16, 1);
    const Planned p = plan_of();
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 2u);
    EXPECT_EQ(p.plan.groups[0].kind, Template::Private);
    EXPECT_EQ(p.plan.groups[0].tile.slices, 2);
    const std::vector<std::string> kernels = testing::entries(ptx_of(p, testing::cuda()));
    const auto has_tables = [](const std::string &kernel) { return kernel.find("st.shared") != std::string::npos; };
    const auto found = std::find_if(kernels.begin(), kernels.end(), has_tables);
    ASSERT_TRUE(found != kernels.end());
    const std::string &kernel = *found;
    EXPECT_EQ(count_matches(kernel, "(ld|st)\\.local"), 0);
    const int loads = count_matches(kernel, "ld\\.global");
    EXPECT_GE(loads, 8) << "steps that are written out";
    EXPECT_GE(count_matches(kernel, "st\\.shared"), 2 * loads) << "both channels add after one load";
    EXPECT_EQ(count_matches(kernel, "atom"), 0);
}

TEST_F(PrivateTemplate, a_table_that_data_fill_in_order_is_one_block_without_atomics) {
    const RDom column(0, 2048);
    counts(i) = -1;
    counts(cast<int>(in(3, column))) = column;
    output(x, y) = counts(cast<int>(in(x, y)));
    const Planned p = plan_of();
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 2u);
    EXPECT_EQ(p.plan.groups[0].kind, Template::Private);
    const std::string ptx = ptx_of(p, testing::cuda());
    EXPECT_GE(count_matches(ptx, "st\\.shared"), 2);
    EXPECT_EQ(count_matches(ptx, "atom"), 0) << "the last one wins";
}

}  // namespace
}  // namespace fusion

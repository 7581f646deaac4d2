#include "fusion/halide/side_by_side.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::stage;
using Loops = std::vector<std::vector<int>>;

/// Loops of updates of f(x, y): 0 and 1 are its dimensions, then come those of the RDom.
class SideBySide : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"}, places{Int(32), 1, "places"};
    Func f{"f"};

    SideBySide() { f(x, y) = x + y; }
    Loops loops() const { return side_by_side(f.function(), f.function().update(0), {0, 1}); }
};

TEST_F(SideBySide, a_fill_of_a_part) {
    const RDom r(1, 50, 2, 60);
    f(r.x, r.y) = in(r.x, r.y) * 2;
    EXPECT_EQ(loops(), (Loops{{2, 3}, {}}));
}

TEST_F(SideBySide, the_dimension_with_stride_1_first) {
    const RDom r(1, 50, 2, 60);
    f(r.y, r.x) = in(r.x, r.y) * 2;
    EXPECT_EQ(loops(), (Loops{{3, 2}, {}}));
    EXPECT_EQ(side_by_side(f.function(), f.function().update(0), {1, 0}), (Loops{{2, 3}, {}}));
}

TEST_F(SideBySide, own_points_may_be_read) {
    const RDom r(1, 50, 2, 60);
    f(r.x, r.y) = f(r.x, r.y) * 3 + 1;
    EXPECT_EQ(loops(), (Loops{{2, 3}, {}}));
}

TEST_F(SideBySide, a_scan_along_rows_keeps_its_order) {
    const RDom r(1, 50);
    f(r, y) += f(r - 1, y);
    EXPECT_EQ(loops(), (Loops{{1}}));
}

TEST_F(SideBySide, a_row_after_the_other_from_neighbours_above) {
    const RDom r(1, 50, 1, 60);
    f(r.x, r.y) += min(f(r.x - 1, r.y - 1), f(r.x + 1, r.y - 1));
    EXPECT_EQ(loops(), (Loops{{}, {2}}));
}

TEST_F(SideBySide, nothing_where_a_row_reads_itself_too) {
    const RDom r(1, 50, 1, 60);
    f(r.x, r.y) += f(r.x - 1, r.y) + f(r.x, r.y - 1);
    EXPECT_EQ(loops(), (Loops{{}, {}}));
}

TEST_F(SideBySide, the_two_colours_of_a_board) {
    const RDom r(1, 50);
    f(2 * r, y) += f(2 * r - 1, y) + f(2 * r + 1, y);
    EXPECT_EQ(loops(), (Loops{{2, 1}}));
}

TEST_F(SideBySide, steps_of_time_of_a_stencil) {
    const Var t{"t"};
    Func g("g");
    const RDom r(1, 50, 1, 60, 1, 5);
    g(x, y, t) = in(x, y);
    g(r.x, r.y, r.z) = g(r.x - 1, r.y, r.z - 1) + g(r.x + 1, r.y + 1, r.z - 1);
    EXPECT_EQ(side_by_side(g.function(), g.function().update(0), {0, 1, 2}), (Loops{{}, {3, 4}, {}}));
}

TEST_F(SideBySide, not_where_data_or_the_func_itself_say_where) {
    const RDom r(1, 50, 1, 60);
    f(places(r.x), r.y) = 1;
    EXPECT_EQ(loops(), (Loops{{3}, {}}));
    f = Func("g");
    f(x, y) = x;
    f(r.x, r.y) = f(f(r.x, r.y - 1), r.y - 1);
    EXPECT_EQ(loops(), (Loops{{}, {}}));
}

TEST_F(SideBySide, a_step_inside_of_a_launch_stays_inside) {
    // r.z is folded into points that r.x and r.y name: within a thread, in its order.
    const RDom r(0, 3, 1, 50, 1, 60);
    f(r.y, r.z) = f(r.y, r.z) * 2 + in(r.y + r.x, r.z);
    EXPECT_EQ(loops(), (Loops{{3, 4}, {}, {}}));
}

TEST_F(SideBySide, a_condition_on_the_func_itself_counts_as_a_read) {
    RDom r(1, 50, 1, 60);
    r.where(f(r.x - 1, r.y) > 3);
    f(r.x, r.y) = 0;
    EXPECT_EQ(loops(), (Loops{{3}, {}}));
}

}  // namespace
}  // namespace fusion

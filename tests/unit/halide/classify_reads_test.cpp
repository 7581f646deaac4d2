#include "fusion/halide/classify_reads.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using Follows = std::vector<int>;

class ClassifyReads : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    Func f{"f"}, row{"row"}, cube{"cube"};
    const RDom r{0, 8, "r"};

    void SetUp() override {
        f(x, y) = x + y;
        row(x) = x;
        cube(x, y, c) = x + y + c;
    }

    /// How a consumer over (x, y) that computes `e` reads `of`.
    std::vector<Read> classify(const Expr &e, const Func &of) const {
        const auto all = classify_reads({e}, {"x", "y"}, {r.x.name()});
        const auto found = all.find(of.name());
        return found == all.end() ? std::vector<Read>() : found->second;
    }

    Read only(const Expr &e, const Func &of) const {
        const std::vector<Read> reads = classify(e, of);
        EXPECT_EQ(reads.size(), 1u);
        return reads.empty() ? Read() : reads[0];
    }

    const Var c{"c"};
};

TEST_F(ClassifyReads, the_same_point_is_pointwise) {
    const Read read = only(f(x, y) * 2, f);
    EXPECT_EQ(read.kind, ReadKind::Pointwise);
    EXPECT_EQ(read.follows, (Follows{0, 1}));
    EXPECT_EQ(read.points, 1);
}

TEST_F(ClassifyReads, the_same_point_twice_is_one_point) {
    const Read read = only(f(x, y) * f(x, y), f);
    EXPECT_EQ(read.kind, ReadKind::Pointwise);
    EXPECT_EQ(read.points, 1);
}

TEST_F(ClassifyReads, offsets_are_known_and_make_a_box) {
    const Read read = only(f(x - 1, y) + f(x + 2, y + 3), f);
    EXPECT_EQ(read.reach, (std::vector<Reach>{{-1, 2}, {0, 3}}));
    EXPECT_TRUE(read.is_box);
    EXPECT_TRUE(only(cube(x + 1, y, 0) + cube(x, y, 2), cube).is_box);
}

TEST_F(ClassifyReads, clamps_strides_parameters_and_reductions_make_no_box) {
    const Param<int> p("p");
    EXPECT_FALSE(only(f(clamp(x - 1, 0, 9), y), f).is_box);
    EXPECT_FALSE(only(f(x * 2, y), f).is_box);
    EXPECT_FALSE(only(f(x + p, y), f).is_box);
    EXPECT_FALSE(only(f(x + r, y), f).is_box);
}

TEST_F(ClassifyReads, strides_halves_and_one_clamp_make_a_box_of_constant_size) {
    const Read down = only(f(2 * x - 1, y) + f(2 * x + 1, y), f);
    EXPECT_TRUE(down.is_sized);
    EXPECT_EQ(down.rates[0], (Rate{.loop = 0, .steps = 2, .low = -1, .high = 1}));
    const Read up = only(f(x / 2, y) + f((x + 1) / 2, y), f);
    EXPECT_TRUE(up.is_sized);
    EXPECT_EQ(up.rates[0].of, 2);
    EXPECT_EQ(up.rates[0].low, -0.5);
    EXPECT_EQ(up.rates[0].high, 0.5);
    const Param<int> p("p");
    EXPECT_TRUE(only(f(clamp(x - 1, 0, p), y) + f(clamp(x + 1, 0, p), y), f).is_sized);
    EXPECT_TRUE(only(f(x + p, y) + f(x + p + 1, y), f).is_sized);
    EXPECT_FALSE(only(f(clamp(x, 0, p), y) + f(x, y), f).is_sized) << "far apart where x is far from p";
    EXPECT_FALSE(only(f(clamp(x, 0, 9), y) + f(clamp(x, 20, 29), y), f).is_sized);
    EXPECT_FALSE(only(f(2 * x, y) + f(x / 2, y), f).is_sized);
    EXPECT_FALSE(only(f(x + r, y), f).is_sized);
    EXPECT_FALSE(only(f(cast<int>(abs(x)), y), f).is_sized) << "a mirror";
}

TEST_F(ClassifyReads, an_index_that_halide_has_named_is_still_one) {
    Func g("g");
    const Expr at = clamp(x, 0, 9);
    g(x, y) = f(at, y) + f(at, y + 1);  // Halide defines it as a let
    const auto read = classify_reads({g.value()}, {"x", "y"}, {}).at(f.name());
    ASSERT_EQ(read.size(), 1u);
    EXPECT_TRUE(read[0].is_sized);
}

TEST_F(ClassifyReads, numbers_are_known_where_they_are_read_whatever_the_data_are) {
    EXPECT_EQ(only(cube(x, y, 0) + cube(x, y, 3), cube).rates[2], (Rate{.low = 0, .high = 3, .is_number = true}));
    EXPECT_EQ(only(cube(x, y, 1) + select(x > 3, cube(x, y, 3), 0), cube).rates[2].high, 1);
    EXPECT_FALSE(only(select(x > 3, cube(x, y, 3), 0), cube).rates[2].is_number);
}

TEST_F(ClassifyReads, a_window_slides_along_the_loop_that_it_is_added_to) {
    const Read read = only(f(x, y + r), f);
    EXPECT_EQ(read.runs, (Follows{0, 1}));
    EXPECT_EQ(read.slides, (Follows{-1, 2}));
    EXPECT_EQ(only(f(x, y + 2 * r), f).slides, (Follows{-1, -1}));
    EXPECT_EQ(only(f(x, y), f).slides, (Follows{-1, -1}));
}

TEST_F(ClassifyReads, a_missing_dimension_is_a_broadcast) {
    EXPECT_EQ(only(row(x), row).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(row(x), row).follows, (Follows{0}));
    EXPECT_EQ(only(row(y), row).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(row(y), row).follows, (Follows{1}));
}

TEST_F(ClassifyReads, a_constant_place_is_a_broadcast) {
    EXPECT_EQ(only(f(0, y), f).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(f(3, 4), f).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(f(3, 4), f).follows, (Follows{-1, -1}));
}

TEST_F(ClassifyReads, neighbouring_numbers_are_counted_where_they_are_read_whatever_the_data_are) {
    using Numbers = std::vector<int64_t>;
    EXPECT_EQ(only(cube(x, y, 0) + cube(x, y, 2) + cube(x, y, 1), cube).numbers, (Numbers{0, 0, 3}));
    EXPECT_EQ(only(cube(x, y, 0) + cube(x, y, 2), cube).numbers, (Numbers{0, 0, 1})) << "a gap";
    EXPECT_EQ(only(cube(x, y, 0) + select(x > 3, cube(x, y, 1), 0), cube).numbers, (Numbers{0, 0, 1}));
    EXPECT_EQ(only(f(x, y), f).numbers, (Numbers{0, 0}));
}

TEST_F(ClassifyReads, a_slice_of_more_dimensions_that_covers_the_consumer_is_a_broadcast) {
    EXPECT_EQ(only(cube(x, y, 2), cube).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(cube(x, y, 2), cube).follows, (Follows{0, 1, -1}));
}

TEST_F(ClassifyReads, another_order_of_dimensions_is_transposed) {
    EXPECT_EQ(only(f(y, x), f).kind, ReadKind::Transposed);
    EXPECT_EQ(only(f(y, x), f).follows, (Follows{1, 0}));
    EXPECT_EQ(only(cube(1, y, x), cube).kind, ReadKind::Transposed);
}

TEST_F(ClassifyReads, two_ways_of_following_the_loops_are_two_reads) {
    const std::vector<Read> reads = classify(f(x, y) + f(y, x), f);
    ASSERT_EQ(reads.size(), 2u);
    EXPECT_EQ(reads[0].kind, ReadKind::Pointwise);
    EXPECT_EQ(reads[1].kind, ReadKind::Transposed);
}

TEST_F(ClassifyReads, a_diagonal_is_strided) {
    EXPECT_EQ(only(f(x, x), f).kind, ReadKind::Strided);
    EXPECT_EQ(only(f(x, x), f).follows, (Follows{0, 0}));
}

TEST_F(ClassifyReads, constant_offsets_are_one_stencil_of_as_many_points) {
    const Read read = only(f(x - 1, y) + f(x, y) + f(x + 1, y) + f(x, y + 2), f);
    EXPECT_EQ(read.kind, ReadKind::Stencil);
    EXPECT_EQ(read.points, 4);
    EXPECT_EQ(read.follows, (Follows{0, 1}));
}

TEST_F(ClassifyReads, one_constant_offset_is_a_stencil_too) {
    EXPECT_EQ(only(f(x + 1, y), f).kind, ReadKind::Stencil);
}

TEST_F(ClassifyReads, a_clamped_index_is_a_stencil) {
    EXPECT_EQ(only(f(clamp(x, 0, 9), y), f).kind, ReadKind::Stencil);
    EXPECT_EQ(only(f(clamp(x, 0, 9), y), f).follows, (Follows{0, 1}));
}

TEST_F(ClassifyReads, a_parameter_as_offset_is_a_stencil) {
    const Param<int> p("p");
    EXPECT_EQ(only(f(x + p, y), f).kind, ReadKind::Stencil);
}

TEST_F(ClassifyReads, a_transposed_read_with_an_offset_is_a_stencil) {
    EXPECT_EQ(only(f(y + 1, x), f).kind, ReadKind::Stencil);
}

TEST_F(ClassifyReads, factors_divisions_and_sums_of_loops_are_strided) {
    for (const FuncRef &e : {f(2 * x, y), f(x / 2, y), f(x % 4, y), f(x + y, y), f(9 - x, y)}) {
        EXPECT_EQ(only(e, f).kind, ReadKind::Strided) << Expr(e);
        EXPECT_EQ(only(e, f).follows, (Follows{-1, 1})) << Expr(e);
    }
}

TEST_F(ClassifyReads, an_index_through_an_rdom_is_a_reduction) {
    EXPECT_EQ(only(f(r, y), f).kind, ReadKind::Reduction);
    EXPECT_EQ(only(f(x + r, y), f).kind, ReadKind::Reduction);
    EXPECT_EQ(only(f(2 * x + r, y), f).kind, ReadKind::Reduction);
    EXPECT_EQ(only(f(r, y), f).follows, (Follows{2, 1})) << "loops of the RDom come after the two dimensions";
    EXPECT_EQ(only(f(x + r, y), f).follows, (Follows{-1, 1}));
}

TEST_F(ClassifyReads, a_computed_index_is_a_gather) {
    Func table("table");
    table(x) = x;
    const Expr e = f(clamp(table(x), 0, 9), y);
    EXPECT_EQ(only(e, f).kind, ReadKind::Gather);
    EXPECT_EQ(only(e, table).kind, ReadKind::Broadcast) << "the table itself is read at x";
}

TEST_F(ClassifyReads, a_computed_index_is_decided_by_the_loops_that_it_mentions) {
    Func table("table");
    table(x) = x;
    const Param<float> scale("scale");
    const Expr place = cast<int>(floor(x * scale));
    EXPECT_EQ(only(f(place, y), f).rates[0].decided_by, Share::bit(0));
    EXPECT_EQ(only(f(place - x, y), f).rates[0].decided_by, Share::bit(0)) << "a difference of what is not affine";
    EXPECT_EQ(only(f(clamp(table(y), 0, 9), y), f).rates[0].decided_by, Share::bit(1))
        << "data at places that y decides";
    EXPECT_EQ(only(f(place + cast<int>(sqrt(cast<float>(y))), y), f).rates[0].decided_by,
              Share::bit(0) | Share::bit(1));
}

TEST_F(ClassifyReads, a_computed_index_through_an_rdom_stays_a_gather) {
    Func table("table");
    table(x) = x;
    EXPECT_EQ(only(f(clamp(table(r), 0, 9), y), f).kind, ReadKind::Gather);
}

TEST_F(ClassifyReads, an_index_that_is_not_affine_is_strided) {
    const Param<int> p("p");
    EXPECT_EQ(only(f(x * p, y), f).kind, ReadKind::Strided);
    EXPECT_EQ(only(f(x * y, y), f).kind, ReadKind::Strided);
    EXPECT_EQ(only(f(cast<int>(sqrt(cast<float>(x))), y), f).kind, ReadKind::Strided);
    EXPECT_EQ(only(f(cast<int>(cast<uint8_t>(x)), y), f).kind, ReadKind::Strided);
}

TEST_F(ClassifyReads, calls_inside_indices_and_conditions_are_found) {
    const Expr e = select(row(x) > 3, f(x, y), 0);
    EXPECT_EQ(only(e, row).kind, ReadKind::Broadcast);
    EXPECT_EQ(only(e, f).kind, ReadKind::Pointwise);
}

TEST_F(ClassifyReads, the_least_local_of_equal_paths_decides) {
    const Read read = only(f(x, y) + f(clamp(x, 0, 9), y), f);
    EXPECT_EQ(read.kind, ReadKind::Stencil);
    EXPECT_EQ(read.points, 2);
}

}  // namespace
}  // namespace fusion

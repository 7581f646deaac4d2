#include "fusion/halide/regions.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::functions;
using testing::user_error;

struct Interval {
    int64_t min, extent;
    bool operator==(const Interval &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Interval &i) {
    return out << "[" << i.min << ", +" << i.extent << ")";
}

using Box = std::vector<Interval>;

/// The name that regions have a Func by: that of the image for the Func that wraps one.
std::string image_behind(const Func &f) {
    const auto *call = f.value().as<Internal::Call>();
    return call && call->call_type == Internal::Call::Image ? call->name : f.name();
}

/// `producers_first` ends with the output.
Box region_of(const Func &f, const std::vector<Func> &producers_first) {
    const std::string name = image_behind(f);
    const auto all = functions(producers_first);
    const Regions regions = required_regions(all, {all.back()});
    const auto found = regions.find(name);
    Box box;
    if (found == regions.end() || !found->second) {
        ADD_FAILURE() << name << " has no region";
        return box;
    }
    for (const Extent &dim : *found->second) {
        box.push_back({dim.min, dim.extent});
    }
    return box;
}

class RequiredRegions : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func producer{"producer"}, output{"output"};
};

TEST_F(RequiredRegions, come_from_set_estimate_of_the_output) {
    output(x, y) = in(x, y);
    output.set_estimate(x, 3, 100).set_estimate(y, -2, 50);
    EXPECT_EQ(region_of(output, {output}), (Box{{3, 100}, {-2, 50}}));
}

TEST_F(RequiredRegions, follow_what_is_fixed_before_what_is_expected) {
    output(x, y) = in(x, y);
    output.set_estimate(x, 3, 100).set_estimate(y, -2, 50);
    output.output_buffer().dim(0).set_bounds(0, 128);
    output.bound(y, 0, 80);
    in.dim(0).set_bounds(0, 7).set_estimate(0, 9);
    EXPECT_EQ(region_of(output, {output}), (Box{{0, 128}, {0, 80}}));
    const RDom taps(0, in.dim(0).extent());
    Func folded{"folded"};
    folded(x, y) += in(taps, y);
    folded.set_estimate(x, 0, 4).set_estimate(y, 0, 4);
    EXPECT_EQ(region_of(in, {in, folded}), (Box{{0, 7}, {0, 4}}));
}

TEST_F(RequiredRegions, come_from_estimates_of_the_output_buffer) {
    output(x, y) = in(x, y);
    output.output_buffer().dim(0).set_estimate(1, 64);
    output.output_buffer().dim(1).set_estimate(0, 32);
    EXPECT_EQ(region_of(output, {output}), (Box{{1, 64}, {0, 32}}));
}

TEST_F(RequiredRegions, may_come_half_from_one_and_half_from_the_other) {
    output(x, y) = in(x, y);
    output.set_estimate(x, 0, 10);
    output.output_buffer().dim(1).set_estimate(0, 20);
    EXPECT_EQ(region_of(output, {output}), (Box{{0, 10}, {0, 20}}));
}

TEST_F(RequiredRegions, grow_by_the_halo_of_each_stencil) {
    producer(x, y) = in(x, y - 1) + in(x, y + 2);
    output(x, y) = producer(x - 1, y) + producer(x + 3, y);
    output.set_estimate(x, 0, 100).set_estimate(y, 0, 10);
    EXPECT_EQ(region_of(producer, {producer, output}), (Box{{-1, 104}, {0, 10}}));
    EXPECT_EQ(region_of(in, {in, producer, output}), (Box{{-1, 104}, {-1, 13}}));
}

TEST_F(RequiredRegions, cover_all_consumers) {
    Func left("left"), right("right");
    producer(x, y) = in(x, y);
    left(x, y) = producer(x - 5, y);
    right(x, y) = producer(x + 7, y);
    output(x, y) = left(x, y) + right(x, y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 1);
    EXPECT_EQ(region_of(producer, {producer, left, right, output}), (Box{{-5, 22}, {0, 1}}));
}

TEST_F(RequiredRegions, put_constant_rdom_extents_in) {
    const RDom r(-2, 5, "r");
    output(x, y) = 0.0f;
    output(x, y) += in(x + r, y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 4);
    EXPECT_EQ(region_of(in, {in, output}), (Box{{-2, 14}, {0, 4}}));
}

TEST_F(RequiredRegions, put_rdom_extents_of_parameters_in_at_their_estimates) {
    Param<int> taps("taps");
    taps.set_estimate(9);
    const RDom r(0, taps, "r");
    output(x, y) = 0.0f;
    output(x, y) += in(x + r, y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 4);
    EXPECT_EQ(region_of(in, {in, output}), (Box{{0, 18}, {0, 4}}));
    const std::vector<Extent> dims = reduction_dims(output.function().update(0));
    ASSERT_EQ(dims.size(), 1u);
    EXPECT_EQ(dims[0].extent, 9);
}

TEST_F(RequiredRegions, put_rdom_extents_of_buffers_in_at_their_estimates) {
    in.dim(0).set_estimate(0, 33);
    const RDom r(0, in.width(), "r");
    output(x) = 0.0f;
    output(x) += in(r, x);
    output.set_estimate(x, 0, 10);
    EXPECT_EQ(region_of(in, {in, output}), (Box{{0, 33}, {0, 10}}));
}

TEST_F(RequiredRegions, follow_a_stride) {
    producer(x, y) = in(x, y);
    output(x, y) = producer(2 * x + 1, y / 2);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 9);
    EXPECT_EQ(region_of(producer, {producer, output}), (Box{{1, 19}, {0, 5}}));
}

TEST_F(RequiredRegions, are_bounded_by_a_clamp_and_not_without_one) {
    Func table("table");
    table(x) = cast<int>(in(x, 0));
    producer(x) = in(x, 0);
    output(x) = producer(clamp(table(x), 5, 14));
    output.set_estimate(x, 0, 10);
    EXPECT_EQ(region_of(producer, {table, producer, output}), (Box{{5, 10}}));
    Func unclamped("unclamped");
    unclamped(x) = producer(table(x));
    unclamped.set_estimate(x, 0, 10);
    const auto all = functions({table, producer, unclamped});
    const auto region = required_regions(all, {all.back()}).at(producer.name());
    // The int32 index is the only bound there is.
    EXPECT_TRUE(!region || (*region)[0].extent > INT32_MAX);
}

TEST_F(RequiredRegions, without_an_estimate_name_the_func_and_the_dimension) {
    output(x, y) = in(x, y);
    output.set_estimate(x, 0, 10);
    const std::string message = user_error([&] { required_regions(functions({output}), functions({output})); });
    EXPECT_NE(message.find("\"" + output.name() + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("dimension 1 (y)"), std::string::npos) << message;
    EXPECT_NE(message.find("set_estimate(y"), std::string::npos) << message;
}

TEST_F(RequiredRegions, without_the_estimate_of_a_parameter_name_it) {
    Param<int> taps("taps");
    const RDom r(0, taps, "r");
    output(x, y) = 0.0f;
    output(x, y) += in(x + r, y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 4);
    const std::string message = user_error([&] { required_regions(functions({output}), functions({output})); });
    EXPECT_NE(message.find("\"taps\""), std::string::npos) << message;
    EXPECT_NE(message.find("taps.set_estimate(value)"), std::string::npos) << message;
}

TEST_F(RequiredRegions, without_the_estimate_of_a_buffer_name_it_and_the_dimension) {
    producer(x, y) = in(clamp(x, 0, in.width() - 1), clamp(y, 0, in.height() - 1));
    output(x, y) = producer(x, y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 4);
    in.dim(0).set_estimate(0, 10);
    const auto all = functions({producer, output});
    const std::string message = user_error([&] { required_regions(all, {all.back()}); });
    EXPECT_NE(message.find("\"in\""), std::string::npos) << message;
    EXPECT_NE(message.find("in.dim(1).set_estimate(min, extent)"), std::string::npos) << message;
}

TEST_F(RequiredRegions, without_a_bound_are_named_by_dimension) {
    producer(x, y) = 0;
    producer(x, y) += cast<int>(in(x, y));
    output(x, y) = producer(cast<int>(in(x, y)), y);
    output.set_estimate(x, 0, 10).set_estimate(y, 0, 4);
    const auto all = functions({producer, output});
    const Regions regions = required_regions(all, {all.back()});
    EXPECT_FALSE(regions.at(producer.name()));
    EXPECT_EQ(unbounded_dims(producer.function(), all, regions, value_bounds_of(all)), x.name());
}

TEST(AtEstimates, is_a_number_of_parameters_and_nothing_else) {
    Param<int> p("p");
    p.set_estimate(5);
    EXPECT_EQ(at_estimates(p * 2 + 1), 11);
    EXPECT_EQ(at_estimates(Expr(Var("x")) + 1), std::nullopt);
}

TEST(ExpressionsOf, hold_values_left_hand_indices_and_predicate) {
    const Var x("x");
    Func f("f"), g("g");
    g(x) = x;
    RDom r(0, 10, "r");
    r.where(r.x > 3);
    f(x) = 0;
    f(g(r)) += r.x;
    EXPECT_EQ(expressions_of(f.function().update(0)).size(), 3u);
    EXPECT_EQ(expressions_of(f.function().definition()).size(), 3u)
        << "the value, the index and a predicate that is true";
}

}  // namespace
}  // namespace fusion

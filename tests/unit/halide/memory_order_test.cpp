#include "fusion/halide/memory_order.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using Order = std::vector<int>;

TEST(MemoryOrder, is_that_of_the_dimensions_without_constraints) {
    EXPECT_EQ(memory_order_of(ImageParam(Float(32), 3).parameter(), 3), (Order{0, 1, 2}));
    EXPECT_EQ(memory_order_of(Parameter(), 2), (Order{0, 1}));
    EXPECT_EQ(memory_order_of(Parameter(), 0), Order{});
}

TEST(MemoryOrder, of_an_interleaved_image_begins_with_its_channels) {
    ImageParam in(UInt(8), 3, "in");
    in.dim(0).set_stride(3);
    in.dim(2).set_stride(1);
    EXPECT_EQ(memory_order_of(in.parameter(), 3), (Order{2, 0, 1}));
}

TEST(MemoryOrder, follows_constant_strides_whatever_their_sign) {
    ImageParam in(UInt(8), 3, "in");
    in.dim(0).set_stride(-100);
    in.dim(1).set_stride(1000);
    in.dim(2).set_stride(10);
    EXPECT_EQ(memory_order_of(in.parameter(), 3), (Order{2, 0, 1}));
}

TEST(MemoryOrder, takes_a_stride_that_is_not_constant_for_an_outer_one) {
    ImageParam in(UInt(8), 3, "in");
    in.dim(0).set_stride(in.dim(2).extent());
    in.dim(2).set_stride(1);
    EXPECT_EQ(memory_order_of(in.parameter(), 3), (Order{2, 0, 1}));
}

TEST(MemoryOrder, of_stages_is_read_from_their_buffers) {
    const Var x("x"), y("y"), c("c");
    ImageParam in(Float(32), 3, "in");
    in.dim(0).set_stride(4);
    in.dim(2).set_stride(1);
    Func output("output");
    output(x, y, c) = in(x, y, c) + 1;
    output.output_buffer().dim(0).set_stride(4);
    output.output_buffer().dim(2).set_stride(1);
    output.set_estimates({{0, 64}, {0, 64}, {0, 4}});
    const PipelineView view = testing::read({output});
    EXPECT_EQ(testing::stage(view, "in").memory_order, (Order{2, 0, 1}));
    EXPECT_EQ(testing::stage(view, "output").memory_order, (Order{2, 0, 1}));
}

}  // namespace
}  // namespace fusion

#include "fusion/halide/constant_regions.h"

#include <gmock/gmock.h>

#include "fusion/halide/regions.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::ElementsAre;

class ConstantExtents : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, i{"i"};
    ImageParam in{UInt(8), 2, "in"};
    Func table{"table"}, output{"output"};

    std::vector<int64_t> of_table() {
        const std::vector<Internal::Function> all = testing::functions({table, output});
        return constant_extents(all, {output.function()}, value_bounds_of(all)).at(table.name());
    }
};

TEST_F(ConstantExtents, a_byte_reads_256_places) {
    table(i) = i * 2;
    output(x, y) = table(cast<int>(in(x, y)));
    EXPECT_THAT(of_table(), ElementsAre(256));
}

TEST_F(ConstantExtents, a_clamp_bounds_and_the_size_of_the_output_does_not) {
    table(i, y) = i + y;
    output(x, y) = table(clamp(cast<int>(in(x, y)) - 40, -3, 9), y);
    EXPECT_THAT(of_table(), ElementsAre(13, 0));
}

TEST_F(ConstantExtents, what_an_update_writes_counts_although_nobody_reads_it) {
    table(i, y) = i + y;
    table(i, 70) = 1;
    output(x, y) = table(clamp(x, 0, 3), clamp(y, 10, 12));
    EXPECT_THAT(of_table(), ElementsAre(4, 61));
}

TEST_F(ConstantExtents, a_parameter_is_no_constant) {
    Param<int> most("most");
    table(i) = i;
    output(x, y) = table(clamp(x, 0, most));
    EXPECT_THAT(of_table(), ElementsAre(0));
}

TEST_F(ConstantExtents, offsets_of_a_bounded_reader_add_up) {
    Func wide("wide");
    table(i) = i;
    wide(i) = table(i - 2) + table(i + 2);
    output(x, y) = wide(clamp(x, 0, 9));
    const std::vector<Internal::Function> all = testing::functions({table, wide, output});
    EXPECT_THAT(constant_extents(all, {output.function()}, value_bounds_of(all)).at(table.name()), ElementsAre(14));
}

TEST_F(ConstantExtents, are_those_of_regions_whose_ends_are_numbers) {
    table(i, y) = i + y;
    output(x, y) = table(clamp(x, -3, 9), y);
    const auto region = constant_regions(testing::functions({output})).at(table.name());
    EXPECT_TRUE(is_const(region[0].min, -3));
    EXPECT_TRUE(is_const(region[0].max, 9));
    EXPECT_FALSE(region[1].is_bounded());
}

}  // namespace
}  // namespace fusion

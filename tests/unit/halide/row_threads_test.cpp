/// How many threads share a row of some width.
#include "schedules/row_threads.h"

#include <gtest/gtest.h>

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class ThreadsOfARow : public ::testing::Test {
protected:
    const ImageParam in{Float(32), 2, "in"};
    const BufferLookup lookup = [this](const BufferRef &) { return in.parameter(); };
    const BufferField width{BufferField::Extent, {0, -1}, 0};
    const fusion::RowThreads planned{.width = width, .estimate = 4096, .vector = 4, .turns = 2, .most = 512};

    int64_t threads(int columns) const {
        const Expr number = substitute("in.extent.0", columns, row_threads_expr(planned, lookup));
        return as_const_int(simplify(number)).value_or(-1);
    }

    /// What the simplifier makes of the number where the condition holds.
    static Expr known_where(const Condition &condition, const fusion::RowThreads &planned, const BufferLookup &lookup) {
        const Expr number = row_threads_expr(planned, lookup);
        const Stmt use = Evaluate::make(Call::make(Int(32), "use", {number}, Call::Extern));
        const Stmt simple = simplify(IfThenElse::make(to_expr(condition, lookup), use));
        const auto *branch = simple.as<IfThenElse>();
        return branch->then_case.as<Evaluate>()->value.as<Call>()->args[0];
    }
};

TEST_F(ThreadsOfARow, are_those_of_the_plan_at_its_width) {
    EXPECT_EQ(threads(4096), 512);
}

TEST_F(ThreadsOfARow, are_whole_warps_and_fewer_of_narrow_rows) {
    EXPECT_EQ(threads(0), 32);
    EXPECT_EQ(threads(1), 32);
    EXPECT_EQ(threads(256), 32);
    EXPECT_EQ(threads(257), 64);
    EXPECT_EQ(threads(1004), 128);
    EXPECT_EQ(threads(2048), 256);
}

TEST_F(ThreadsOfARow, walk_twice_as_far_before_there_are_rows_of_twice_the_width) {
    EXPECT_EQ(threads(4097), 288);
    EXPECT_EQ(threads(5000), 320);
    EXPECT_EQ(threads(8192), 512);
    EXPECT_EQ(threads(100000), 512);
}

TEST_F(ThreadsOfARow, are_constant_where_they_are_known_to_be) {
    for (const Condition &known : known_threads(planned)) {
        EXPECT_EQ(as_const_int(known_where(known, planned, lookup)), 512);
    }
    const Condition wide = {{.kind = Fact::AtLeast, .left = width, .value = 7000}};
    EXPECT_FALSE(as_const_int(known_where(wide, planned, lookup))) << "480 threads walk 7000 columns";
}

TEST_F(ThreadsOfARow, read_alike_as_text) {
    EXPECT_EQ(row_threads_cpp(planned, {"f0"}), "threads_of_row(field(input_of(f0), \"extent\", 0), 4, 2, 512)");
    EXPECT_NE(row_threads_source().find("const auto threads_of_row = ["), std::string::npos);
}

}  // namespace
}  // namespace fusion

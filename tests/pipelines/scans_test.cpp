/// Running sums, extremes and the like in chunks, against the loop as it is written: of any length, in both directions, along
/// every dimension.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

enum class Op { Add, Multiply, Least, Most, Any, All, Xor };

struct Scan {
    const char *name;
    Op op;
    Type type;
    std::vector<int> planned;  ///< sizes of the estimates
    int dim = 0;
    bool down = false;  ///< from the end to the start
};

void PrintTo(const Scan &scan, std::ostream *out) {
    *out << scan.name;
}

Expr combined(Op op, const Expr &a, const Expr &b) {
    switch (op) {
    case Op::Add:
        return a + b;
    case Op::Multiply:
        return a * b;
    case Op::Least:
        return min(a, b);
    case Op::Most:
        return max(a, b);
    case Op::Any:
        return a || b;
    case Op::All:
        return a & b;
    case Op::Xor:
        return a ^ b;
    }
    return Expr();
}

std::vector<Var> vars_of(size_t dims) {
    const std::vector<Var> all = {Var("x"), Var("y"), Var("z")};
    return {all.begin(), all.begin() + (ptrdiff_t)dims};
}

/// Of all that the input holds of the dimension. Read at two places, of which one may lie beyond the ends.
Built scanned(const Scan &scan) {
    const std::vector<Var> vars = vars_of(scan.planned.size());
    std::vector<Expr> at(vars.begin(), vars.end()), before = at, beside = at;
    const Type stored = scan.type.is_bool() ? UInt(8) : scan.type;
    ImageParam in(stored, (int)vars.size(), "in");
    Func s{"s"}, output{"output"};
    const Expr low = in.dim(scan.dim).min(), extent = in.dim(scan.dim).extent();
    const RDom r(1, extent - 1);
    s(vars) = scan.type.is_bool() ? in(at) > 97 : cast(scan.type, in(at));
    at[scan.dim] = scan.down ? low + extent - 1 - r : low + r;
    before[scan.dim] = at[scan.dim] + (scan.down ? 1 : -1);
    s(at) = combined(scan.op, s(before), s(at));
    const Expr own = vars[scan.dim], next = clamp(own + 3, low, low + extent - 1);
    at[scan.dim] = own;
    beside[scan.dim] = next;
    const Expr value = cast(stored, s(at)), other = cast(stored, s(beside));
    output(vars) = scan.op == Op::Add ? value + other : max(value, other);
    for (size_t d = 0; d < vars.size(); d++) {
        output.set_estimate(vars[d], 0, scan.planned[d]);
        in.dim((int)d).set_estimate(0, scan.planned[d]);
    }
    return {Pipeline(output), {in.parameter()}};
}

class Scans : public ::testing::TestWithParam<Scan> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }

    static bool is_chunked(const Planned &planned) {
        const auto is_it = [](const Rewrite &rewrite) { return rewrite.id == "chunked-scan"; };
        return std::any_of(planned.plan.rewrites.begin(), planned.plan.rewrites.end(), is_it);
    }
};

TEST_P(Scans, AreRightAtEveryLength) {
    const Scan &scan = GetParam();
    Runner runner([&] { return scanned(scan); }, Options());
    runner.allow_fewer_launches();  // no step at all where there is one element
    EXPECT_TRUE(is_chunked(runner.planned()));
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const int length : {1, 2, 31, 33, 1000, 4095, 100003}) {
        std::vector<int> extent(scan.planned.size(), length > 5000 ? 2 : 7);
        extent[scan.dim] = length;
        const Region all = of(extent);
        runner.check({all}, Memory::Dense, 1, {{"in", all}});
    }
    std::vector<int> extent(scan.planned.size(), 5), min(scan.planned.size(), -3);
    extent[scan.dim] = 1237;
    const Region all = at(min, extent);
    runner.check({all}, Memory::Padded, 2, {{"in", all}});
    extent[scan.dim] = 300;
    min[scan.dim] = 411;
    runner.check({at(min, extent)}, Memory::Misplaced, 3, {{"in", all}});
}

const Scan kScans[] = {
    {"row_sum", Op::Add, Int(32), {4096, 2160}},
    {"row_sum_down", Op::Add, UInt(16), {4096, 2160}, 0, true},
    {"row_sum_of_floats", Op::Add, Float(32), {5000, 1000}},
    {"column_sum", Op::Add, Int(32), {4096, 2160}, 1},
    {"column_sum_down", Op::Add, Float(32), {1000, 5000}, 1, true},
    {"column_product", Op::Multiply, UInt(32), {1000, 5000}, 1},
    {"long_sum", Op::Add, Int(32), {1000000}},
    {"long_sum_of_floats", Op::Add, Float(32), {4000000}},
    {"longest_sum", Op::Add, UInt(8), {100000000}},
    {"long_maximum", Op::Most, Float(32), {1000000}},
    {"long_maximum_down", Op::Most, Float(32), {4000000}, 0, true},
    {"row_minimum", Op::Least, Int(16), {100000, 16}},
    {"column_minimum", Op::Least, Float(32), {64, 100000}, 1},
    {"long_any", Op::Any, Bool(), {1000000}},
    {"column_any_down", Op::Any, Bool(), {1024, 4096}, 1, true},
    {"long_all_bits", Op::All, UInt(8), {1000000}},
    {"plane_xor", Op::Xor, UInt(32), {64, 2048, 64}, 1},
    {"depth_sum", Op::Add, Int(32), {64, 64, 4096}, 2},
    {"rows_of_planes", Op::Add, Float(32), {2048, 32, 64}, 0, true},
};

INSTANTIATE_TEST_SUITE_P(All, Scans, ::testing::ValuesIn(kScans),
                         [](const auto &info) { return std::string(info.param.name); });

/// One after the other along both dimensions, and a term of the loop's own.
TEST(ScansTogether, AreRightOneAfterTheOther) {
    SKIP_WITHOUT_DEVICE();
    const Builder build = [] {
        const Var x{"x"}, y{"y"};
        ImageParam in(Int(32), 2, "in");
        Func s{"s"}, output{"output"};
        const RDom across(1, in.width() - 1), down(1, in.height() - 1);
        s(x, y) = in(x, y) * 3;
        s(across, y) += s(across - 1, y);
        s(x, 0) = s(x, 0) + x;
        s(x, down) = s(x, down - 1) + in(x, down) * down;
        output(x, y) = s(x, y) - s(in.width() - 1 - x, y);
        in.set_estimates({{0, 4096}, {0, 2048}});
        output.set_estimates({{0, 4096}, {0, 2048}});
        return Built{Pipeline(output), {in.parameter()}};
    };
    Runner runner(build, Options());
    runner.allow_fewer_launches();
    EXPECT_EQ(runner.planned().plan.rewrites.size(), 2u);
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] :
         std::vector<std::pair<int, int>>{{1, 1}, {2, 33}, {700, 1}, {4095, 65}, {5000, 2049}}) {
        const Region all = of({width, height});
        runner.check({all}, Memory::Dense, 1, {{"in", all}});
    }
}

/// Recursive filters, of which each value keeps a part of the one before: both ways along both dimensions.
TEST(ScansTogether, OfRecursiveFiltersAreRight) {
    SKIP_WITHOUT_DEVICE();
    for (const int dim : {0, 1}) {
        const Builder build = [dim] {
            const Var x{"x"}, y{"y"};
            ImageParam in(Float(32), 2, "in");
            Param<float> keep("keep");
            Func s{"s"}, output{"output"};
            const Expr extent = in.dim(dim).extent();
            const RDom r(1, extent - 1);
            const auto at = [&](const Expr &i) { return s(dim == 0 ? i : x, dim == 0 ? y : i); };
            s(x, y) = in(x, y);
            at(r) = keep * at(r - 1) + (1 - keep) * at(r);
            at(extent - 1 - r) = 0.75f * at(extent - r) + at(extent - 1 - r);
            output(x, y) = s(x, y);
            keep.set_estimate(0.9f);
            in.set_estimates({{0, 4096}, {0, 4096}});
            output.set_estimates({{0, 4096}, {0, 4096}});
            return Built{Pipeline(output), {in.parameter(), keep.parameter()}};
        };
        Runner runner(build, Options());
        runner.allow_fewer_launches();
        EXPECT_EQ(runner.planned().plan.rewrites.size(), 2u) << dim;
        EXPECT_EQ(runner.planned().plan.fallback, "");
        for (const int length : {1, 2, 31, 33, 1000, 4095, 100003}) {
            const Region all = dim == 0 ? of({length, 5}) : of({5, length});
            for (const double keep : {0.9, -0.5, 0.0}) {
                runner.set("keep", keep);
                runner.check({all}, Memory::Dense, 1, {{"in", all}});
            }
        }
    }
}

TEST(ScansTogether, RunAtASizeOfTheGenerators) {
    SKIP_WITHOUT_DEVICE();
    for (const auto &[width, height] : std::vector<std::pair<int, int>>{{4096, 200}, {1000, 777}, {300, 65}}) {
        Runner runner(
            generator("integral_image", {{"width", std::to_string(width)}, {"height", std::to_string(height)}}),
            Options());
        EXPECT_EQ(runner.planned().plan.fallback, "");
        const Region all = of({width, height});
        runner.check({all}, Memory::Dense);
    }
}

TEST(ScansTogether, OfTheGeneratorOfOneDimensionAreRight) {
    SKIP_WITHOUT_DEVICE();
    for (const char *width : {"4194304", "5000"}) {
        Runner runner(generator("cumulative_sum", {{"width", width}}), Options());
        runner.allow_fewer_launches();
        EXPECT_EQ(runner.planned().plan.rewrites.size(), 1u);
        for (const int length : {1, 300, 4097, 100003}) {
            const Region all = of({length});
            runner.check({all}, Memory::Dense, 1, {{"input", all}});
        }
    }
}

}  // namespace
}  // namespace fusion

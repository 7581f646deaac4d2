/// Which scans are recognised and cut, and which must stay as they are. What they compute: tests/pipelines/scans_test.cpp.
#include "fusion/rewrites/chunked_scan.h"

#include <gmock/gmock.h>

#include <cmath>

#include "fusion/rewrites/scan_func.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::count_matches;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ChunkedScan : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"}, whole{Int(32), 2, "whole"};
    const RDom r{1, in.width() - 1, "r"};
    Func s{"s"}, output{"output"};

    ChunkedScan() { set_sizes(4096, 2048); }

    void set_sizes(int width, int height) {
        for (ImageParam *image : {&in, &whole}) {
            image->set_estimates({{0, width}, {0, height}});
        }
        sizes = {width, height};
    }
    std::vector<Internal::Function> outputs() {
        output = Func("output");
        output(x, y) = s(x, y);
        output.set_estimates({{0, sizes.first}, {0, sizes.second}});
        return testing::functions({output});
    }
    /// Of the Func that `define` makes.
    std::vector<ScanFunc> scans_of(const std::function<void()> &define) {
        s = Func("s");
        define();
        return scan_funcs(outputs());
    }
    std::pair<int, int> sizes;
};

TEST_F(ChunkedScan, IsFoundInBothDirectionsWithBothOrdersOfOperands) {
    const Expr last = in.width() - 1;
    s(x, y) = in(x, y);
    s(r, y) += s(r - 1, y);
    std::vector<ScanFunc> found = scan_funcs(outputs());
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].step, 1);
    EXPECT_EQ(found[0].dim, 0);
    EXPECT_TRUE(found[0].adds_own);
    EXPECT_TRUE(is_const_zero(found[0].first));
    found = scans_of([&] { s(x, y) = in(x, y), s(last - r, y) = s(last - r + 1, y) + s(last - r, y); });
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].step, -1);
    EXPECT_TRUE(is_const_zero(Internal::simplify(found[0].first - last)));
    found = scans_of([&] { s(y, x) = in(x, y), s(y, r) = max(in(r, y) * 2, s(y, r - 1)); });
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].dim, 1);
    EXPECT_FALSE(found[0].adds_own);
}

TEST_F(ChunkedScan, IsFoundWithEveryAssociativeOperator) {
    const auto with = [&](const std::function<Expr(Expr, Expr)> &op) {
        return scans_of([&] { s(x, y) = whole(x, y), s(r, y) = op(s(r - 1, y), s(r, y)); }).size();
    };
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a + b; }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a * b; }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return min(a, b); }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return max(b, a); }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a & b; }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a | b; }), 1u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a ^ b; }), 1u);
    EXPECT_THAT(scans_of([&] { s(x, y) = whole(x, y) > 3, s(r, y) = s(r - 1, y) || s(r, y); }), SizeIs(1));
    EXPECT_THAT(scans_of([&] { s(x, y) = whole(x, y) > 3, s(r, y) = s(r - 1, y) && s(r, y); }), SizeIs(1));
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a - b; }), 0u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a / 2 + b; }), 0u);
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return a + a * b; }), 0u) << "twice";
    EXPECT_EQ(with([](const Expr &a, const Expr &b) { return select(b > 3, a + b, b); }), 0u) << "starts anew";
}

TEST_F(ChunkedScan, IsNoneWhereAnythingElseDecidesWhatComesBefore) {
    const auto none = [&](const std::function<void()> &define) { return scans_of(define).empty(); };
    EXPECT_TRUE(none([&] { s(x, y) = in(x, y), s(r, y) += s(r - 2, y); })) << "every other";
    EXPECT_TRUE(none([&] { s(x, y) = in(x, y), s(2 * r, y) += s(2 * r - 2, y); })) << "strides";
    EXPECT_TRUE(none([&] { s(x, y) = in(x, y), s(r, y) += s(r + 1, y); })) << "not there yet: neighbours add up";
    EXPECT_TRUE(none([&] { s(x, y) = in(x, y), s(r, y) = s(r - 1, y) + s(r + 1, y); })) << "and of the next";
    EXPECT_TRUE(none([&] { s(x, y) = whole(x, y), s(r, y) = s(r - 1, y) + s(clamp(s(r, y), 0, 9), y); })) << "data";
    EXPECT_TRUE(none([&] {
        s(x, y) = Tuple(in(x, y), whole(x, y));
        s(r, y) = Tuple(s(r - 1, y)[0] + s(r, y)[0], s(r - 1, y)[1] + s(r, y)[1]);
        Func first("s");
        first(x, y) = s(x, y)[0];
        s = first;
    })) << "a Tuple";
    EXPECT_TRUE(none([&] {
        RDom some(1, in.width() - 1);
        some.where(in(some, 0) > 0);
        s(x, y) = in(x, y), s(some, y) += s(some - 1, y);
    })) << "a condition";
    EXPECT_TRUE(none([&] {
        s(x, y) = in(x, y), s(r, y) += s(r - 1, y);
        s.compute_root();
    })) << "scheduled by its author";
}

TEST_F(ChunkedScan, OfARecursiveFilterHasAFactorThatIsTheSameForAllPoints) {
    Param<float> alpha{"alpha"};
    alpha.set_estimate(0.1f);
    std::vector<ScanFunc> found =
        scans_of([&] { s(x, y) = in(x, y), s(r, y) = (1 - alpha) * s(r - 1, y) + alpha * in(r, y); });
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_TRUE(equal(found[0].factor, 1 - alpha));
    EXPECT_FALSE(found[0].identity.defined());
    EXPECT_THAT(scans_of([&] { s(x, y) = in(x, y), s(r, y) += s(r - 1, y) * in(r, y); }), IsEmpty());
    EXPECT_THAT(scans_of([&] { s(x, y) = in(x, y), s(r, y) += s(r - 1, y) * cast<float>(y); }), IsEmpty());
    EXPECT_THAT(scans_of([&] { s(x, y) = in(x, y), s(r, y) = max(s(r - 1, y) * alpha, s(r, y)); }), IsEmpty());
}

// Powers overflow where the values need not: of int32 Halide refuses the pipeline, of floats an infinity times nothing is no
// number.
TEST_F(ChunkedScan, OfAWholeOrALargeFactorStaysAsItIs) {
    EXPECT_THAT(scans_of([&] { s(x, y) = whole(x, y), s(r, y) += 2 * s(r - 1, y); }), IsEmpty());
    EXPECT_THAT(scans_of([&] { s(x, y) = in(x, y), s(r, y) += 1.5f * s(r - 1, y); }), IsEmpty());
    EXPECT_THAT(scans_of([&] { s(x, y) = in(x, y), s(r, y) += -1.0f * s(r - 1, y); }), SizeIs(1));
}

TEST_F(ChunkedScan, ContinuesByThePowerOfTheFactor) {
    const std::vector<ScanFunc> found = scans_of([&] { s(x, y) = in(x, y), s(r, y) = 0.5f * s(r - 1, y) + s(r, y); });
    ASSERT_THAT(found, SizeIs(1));
    for (const int steps : {1, 2, 7, 16, 18}) {
        const Expr value = Internal::simplify(continued(found[0], 1.0f, 5.0f, steps, 18));
        EXPECT_TRUE(equal(value, Expr(std::ldexp(1.0f, -steps) + 5))) << steps << ": " << value;
    }
}

TEST_F(ChunkedScan, LeavesWhatIsUndefinedInPartAloneUnlessNobodyReadsIt) {
    const auto cut = [&](const Expr &start, const Expr &place) {
        s = Func("s");
        const RDom all(1, 4095);
        s(x, y) = start;
        s(0, y) = in(0, y);
        s(all, y) = s(all - 1, y) + in(all, y);
        output = Func("output");
        output(x, y) = s(place, y);
        output.set_estimates({{0, 4096}, {0, 2048}});
        return use_chunked_scans(testing::functions({output}));
    };
    const Expr partly = select(x > 5000, in(x, y), undef<float>());
    EXPECT_THAT(cut(partly, x), IsEmpty());
    EXPECT_THAT(cut(partly, clamp(x, 0, 4095)), SizeIs(1));
    EXPECT_THAT(cut(undef<float>(), x), SizeIs(1)) << "any value will do where the walk does not come to";
}

TEST_F(ChunkedScan, OfAnOutputStaysAsItIs) {
    output(x, y) = in(x, y);
    output(r, y) += output(r - 1, y);
    output.set_estimates({{0, 4096}, {0, 2048}});
    EXPECT_THAT(use_chunked_scans(testing::functions({output})), IsEmpty());
}

TEST_F(ChunkedScan, CutsWhatIsLongAndNothingThatItHasPutIn) {
    const auto cut = [&](int width, int height, bool down) {
        set_sizes(width, height);
        const RDom rows(1, in.height() - 1);
        s = Func("s");
        s(x, y) = in(x, y);
        down ? s(x, rows) += s(x, rows - 1) : s(r, y) += s(r - 1, y);
        return use_chunked_scans(outputs());
    };
    EXPECT_THAT(cut(256, 1000, false), SizeIs(1));
    EXPECT_THAT(cut(255, 1000, false), IsEmpty());
    EXPECT_THAT(cut(1000, 64, true), SizeIs(1));
    EXPECT_THAT(cut(1000, 63, true), IsEmpty());
    EXPECT_THAT(use_chunked_scans(outputs()), IsEmpty());
    EXPECT_THAT(cut(100000000, 1, false), SizeIs(2)) << "the sums of 24415 chunks are a scan again";
}

TEST_F(ChunkedScan, TakesEachOfSeveralUpdates) {
    const RDom down(1, in.height() - 1);
    s(x, y) = in(x, y);
    s(r, y) += s(r - 1, y);
    s(x, 0) = s(x, 0) * 2;
    s(x, down) += s(x, down - 1);
    EXPECT_THAT(use_chunked_scans(outputs()), SizeIs(2));
}

TEST_F(ChunkedScan, IsOneBlockARowAndThreadsOfAColumnInRegisters) {
    const RDom across(1, 4095), down(1, 2047);
    const auto plan = [&](const Target &target) {
        s = Func("s");
        s(x, y) = whole(x, y);
        s(across, y) += s(across - 1, y);
        s(x, down) += s(x, down - 1);
        output = Func("output");
        output(x, y) = s(clamp(x + 8, 0, 4095), clamp(y + 8, 0, 2047));
        output.set_estimates({{0, 4096}, {0, 2048}});
        return testing::planned({output}, "fused", true, target);
    };
    const Planned p = plan(testing::cuda());
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_THAT(p.plan.rewrites, SizeIs(2));
    EXPECT_EQ(p.plan.rewrites[0].id, "chunked-scan");
    ASSERT_THAT(p.plan.groups, SizeIs(4)) << "rows, columns, what the chunks before come to, and the reader";
    EXPECT_EQ(p.plan.groups[0].kind, Template::Private);
    EXPECT_GT(p.plan.groups[0].tile.reducing, 1);
    EXPECT_EQ(p.plan.groups[1].kind, Template::Private);
    EXPECT_EQ(p.plan.groups[1].tile.reducing, 1);
    const std::vector<std::string> kernels = testing::entries(ptx_of(p, testing::cuda()));
    ASSERT_GE(kernels.size(), 2u);
    EXPECT_GT(count_matches(kernels[0], "st\\.shared"), 8);
    EXPECT_EQ(count_matches(kernels[1], "(ld|st)\\.(local|shared)"), 0);
    EXPECT_EQ(count_matches(kernels[1], "ld\\.global"), 32);
    EXPECT_EQ(plan(testing::opencl()).plan.fallback, "");
    EXPECT_THAT(plan(testing::cuda().with_feature(Target::StrictFloat)).plan.rewrites, IsEmpty());
}

}  // namespace
}  // namespace fusion

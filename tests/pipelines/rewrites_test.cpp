/// What the rewrites of reductions compute: special values as the pipeline as written does, ties as its order says, digits
/// against float64.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "fusion/halide/execute.h"
#include "fusion/halide/planning.h"
#include "fusion/halide/reference.h"
#include "schedules/apply.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

constexpr float kInf = std::numeric_limits<float>::infinity(), kNaN = std::numeric_limits<float>::quiet_NaN();

/// Defines the output Func from rows of `in`, reduced over `r`.
using Define = std::function<Func(ImageParam in, RDom r)>;

class RewrittenRows : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    /// Few long rows, which blocks share, and many that each have a block.
    const std::vector<std::pair<int, int>> estimates = {{16000000, 4}, {65536, 2048}};
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }

    /// Computed as written on the CPU where `rewrite` is empty, else on the device with that rewrite (or "none").
    Buffer<float> computed(const Define &define, Buffer<float> rows, const std::string &rewrite,
                           const std::pair<int, int> &estimated = {16000000, 4}) {
        ImageParam in(Float(32), 2, "in");
        Func output = define(in, RDom(in.dim(0).min(), in.dim(0).extent()));
        const auto [width, height] = estimated;
        in.set_estimates({{0, width}, {0, height}});
        output.set_estimate(output.args().back(), 0, height);
        if (output.dimensions() == 2) {
            output.set_estimate(output.args()[0], 0, width);
        }
        Pipeline pipeline(output);
        const Target target = target_for(rewrite.empty() ? "" : device_api());
        if (rewrite.empty()) {
            schedule_reference(read_pipeline(functions_of(pipeline)));
        } else {
            Options options;
            options.rewrites = rewrite;
            const Planned planned = plan_pipeline(functions_of(pipeline), target, options, "rewritten");
            EXPECT_EQ(planned.plan.rewrites.size(), rewrite == "none" ? 0u : 1u);
            EXPECT_EQ(planned.plan.fallback, "");
            apply_schedule(planned.schedule, planned.view);
        }
        rows.set_host_dirty();
        in.set(rows);
        std::vector<int> sizes = {rows.height()};
        if (output.dimensions() == 2) {
            sizes.insert(sizes.begin(), rows.width());
        }
        Buffer<float> result = pipeline.realize(sizes, target);
        result.copy_to_host();
        return result;
    }

    static Buffer<float> normal_rows(int width, int height, float mean, float deviation) {
        Buffer<float> rows(width, height);
        std::mt19937 random(1);
        std::normal_distribution<float> normal(mean, deviation);
        rows.for_each_value([&](float &v) { v = normal(random); });
        return rows;
    }
};

Func softmax(ImageParam in, const RDom &r) {
    const Var x("x"), y("y");
    Func largest("largest"), e("e"), total("total"), output("output");
    largest(y) = Float(32).min();
    largest(y) = max(largest(y), in(r, y));
    e(x, y) = exp(in(x, y) - largest(y));
    total(y) = 0.0f;
    total(y) += e(r, y);
    output(x, y) = e(x, y) / total(y);
    return output;
}

Func logsumexp(ImageParam in, const RDom &r) {
    const Var y("y");
    Func largest("largest"), total("total"), output("output");
    largest(y) = Float(32).min();
    largest(y) = max(largest(y), in(r, y));
    total(y) = 0.0f;
    total(y) += exp(in(r, y) - largest(y));
    output(y) = largest(y) + log(total(y));
    return output;
}

/// Rows of what softmax must get right, each value at a few places among ordinary ones.
Buffer<float> special_rows(Buffer<float> rows) {
    const std::vector<std::vector<float>> special = {{-kInf},      {kInf},  {kInf, kInf},    {kNaN},
                                                     {kNaN, kInf}, {3e38f}, {-3e38f, 3e38f}, {100.0f, 200.0f}};
    for (int y = 0; y < (int)special.size(); y++) {
        for (size_t i = 0; i < special[y].size(); i++) {
            rows((int)((i * 977 + 101) % rows.width()), y) = special[y][i];
        }
    }
    for (int x = 0; x < rows.width(); x++) {
        rows(x, 8) = -kInf;
        rows(x, 9) = x < 3 ? rows(x, 9) : -kInf;  // a causal mask
        rows(x, 10) = -3.4e38f;
    }
    return rows;
}

TEST_F(RewrittenRows, OnlineSoftmaxTreatsSpecialRowsAsTwoPassesDo) {
    for (const int width : {1, 255, 70001}) {
        const Buffer<float> rows = special_rows(normal_rows(width, 12, 0, 3));
        for (const Define &define : {Define(softmax), Define(logsumexp)}) {
            // Not the CPU: exp of NaN is a number there, since Halide expands it.
            const Buffer<float> expected = computed(define, rows, "none");
            for (const auto &estimated : estimates) {
                const Buffer<float> got = computed(define, rows, "online-softmax", estimated);
                for (int y = 0; y < rows.height(); y++) {
                    const int row = got.dimensions() - 1;
                    const Buffer<float> ours(got.cropped(row, y, 1)), theirs(expected.cropped(row, y, 1));
                    EXPECT_LE(largest_difference(ours, theirs), 1e-5)
                        << "width " << width << " planned for " << estimated.first << " row " << y << ": "
                        << *ours.begin() << ", not " << *theirs.begin();
                }
            }
        }
    }
}

TEST_F(RewrittenRows, OnlineSoftmaxIsAsExactAsTwoPasses) {
    const Buffer<float> rows = normal_rows(300001, 2, 0, 4);
    const Buffer<float> two = computed(logsumexp, rows, ""), one = computed(logsumexp, rows, "online-softmax");
    for (int y = 0; y < rows.height(); y++) {
        double largest = -INFINITY, total = 0;
        for (int x = 0; x < rows.width(); x++) {
            largest = std::max<double>(largest, rows(x, y));
        }
        for (int x = 0; x < rows.width(); x++) {
            total += std::exp(rows(x, y) - largest);
        }
        const double exact = largest + std::log(total);
        RecordProperty("online_error", std::to_string(std::abs(one(y) - exact)));
        RecordProperty("two_pass_error", std::to_string(std::abs(two(y) - exact)));
        EXPECT_NEAR(one(y), exact, 4e-6 * std::abs(exact));
    }
}

Func variance(ImageParam in, const RDom &r) {
    const Var y("y");
    Func sum("sum"), mean("mean"), squares("squares"), output("output");
    const Expr count = cast<float>(in.dim(0).extent());
    sum(y) = 0.0f;
    sum(y) += in(r, y);
    mean(y) = sum(y) / count;
    squares(y) = 0.0f;
    squares(y) += (in(r, y) - mean(y)) * (in(r, y) - mean(y));
    output(y) = squares(y) / count;
    return output;
}

double variance_of(const Buffer<float> &rows, int y) {
    double mean = 0, squares = 0;
    for (int x = 0; x < rows.width(); x++) {
        mean += rows(x, y) / rows.width();
    }
    for (int x = 0; x < rows.width(); x++) {
        squares += (rows(x, y) - mean) * (rows(x, y) - mean);
    }
    return squares / rows.width();
}

/// Of rows far from zero: ordinary, all equal, with an outlier in front, with an infinity.
void expect_variances(const Buffer<float> &rows, const Buffer<float> &got) {
    for (const int y : {0, 2}) {
        EXPECT_NEAR(got(y), variance_of(rows, y), 2e-6 * variance_of(rows, y)) << y;
    }
    EXPECT_LE(std::abs(got(1)), 1e-6f) << "mean^2 is 1.5e8";
    EXPECT_TRUE(std::isnan(got(3)));
}

TEST_F(RewrittenRows, SinglePassVarianceKeepsItsDigitsFarFromZero) {
    Buffer<float> rows = normal_rows(65537, 4, 10000, 1);
    for (int x = 0; x < rows.width(); x++) {
        rows(x, 1) = 12345.678f;                          // no spread at all
        rows(x, 2) = x == 0 ? 1e4f : rows(x, 2) - 10000;  // an outlier in front
        rows(x, 3) = x == 7 ? kInf : rows(x, 3);
    }
    for (const auto &estimated : estimates) {
        const Buffer<float> got = computed(variance, rows, "single-pass-variance", estimated);
        expect_variances(rows, got);
    }
}

TEST_F(RewrittenRows, SinglePassVarianceIsRightWhereRowsAreShorterThanTheirSlices) {
    for (const int width : {1, 2, 1023, 1025}) {
        const Buffer<float> rows = normal_rows(width, 3, -3, 2);
        const Buffer<float> got = computed(variance, rows, "single-pass-variance", {65536, 2048});
        for (int y = 0; y < rows.height(); y++) {
            const double exact = variance_of(rows, y);
            EXPECT_NEAR(got(y), exact, 2e-6 * exact + 1e-9) << width;
        }
    }
}

enum class Search { FirstLargest, LastLargest, FirstSmallest, LastSmallest };

/// Of the place (element 0) or of the value.
Define search(Search kind, int element) {
    return [=](ImageParam in, const RDom &r) {
        const Var y("y");
        Func best("best"), output("output");
        const Expr v = in(r, y);
        const bool largest = kind == Search::FirstLargest || kind == Search::LastLargest;
        best(y) = Tuple(-1, largest ? -1000.0f : 1000.0f);
        const Expr so_far = best(y)[1];
        const Expr better = kind == Search::FirstLargest    ? v > so_far
                            : kind == Search::LastLargest   ? v >= so_far
                            : kind == Search::FirstSmallest ? v < so_far
                                                            : v <= so_far;
        best(y) = Tuple(select(better, r, best(y)[0]), select(better, v, best(y)[1]));
        output(y) = cast<float>(best(y)[element]);
        return output;
    };
}

TEST_F(RewrittenRows, FirstIndexTakesTheElementThatTheOrderOfTheLoopDoes) {
    for (const int width : {1, 517}) {
        Buffer<float> rows(width, 4);
        std::mt19937 random(3);
        rows.for_each_value([&](float &v) { v = (float)(random() % 7); });  // many are equal
        for (int x = 0; x < width; x++) {
            rows(x, 1) = -2000;  // never beats where it begins
            rows(x, 2) = 2000;
            rows(x, 3) = x % 2 == 0 ? -1000 : 1000;
        }
        for (const Search kind :
             {Search::FirstLargest, Search::LastLargest, Search::FirstSmallest, Search::LastSmallest}) {
            for (const int element : {0, 1}) {
                const Buffer<float> expected = computed(search(kind, element), rows, "");
                const Buffer<float> got = computed(search(kind, element), rows, "first-index");
                for (int y = 0; y < rows.height(); y++) {
                    EXPECT_EQ(got(y), expected(y)) << "width " << width << " row " << y << " search " << (int)kind;
                }
            }
        }
    }
}

}  // namespace
}  // namespace fusion

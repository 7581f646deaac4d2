/// Every generator with a reduction, every variant, against the reference: rows and columns of any length.
#include <gtest/gtest.h>

#include <algorithm>

#include "schedules/hand/hand.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

/// What the outputs are indexed by.
enum class Shape { Image, Row, Column, Number };

struct Subject {
    const char *name;
    Shape shape;
    bool has_types = true;
};

const Subject kSubjects[] = {
    {"softmax", Shape::Image},        {"log_softmax", Shape::Image},
    {"softmax_masked", Shape::Image}, {"layernorm", Shape::Image},
    {"rmsnorm", Shape::Image},        {"l2_normalize", Shape::Image},
    {"entropy", Shape::Row},          {"argmax_rows", Shape::Row},
    {"variance_rows", Shape::Row},    {"trimmed_mean", Shape::Row},
    {"column_mean", Shape::Column},   {"batchnorm_stats", Shape::Column},
    {"total_sum", Shape::Number},     {"hist_equalize", Shape::Image, false},
};

struct Case {
    Subject subject;
    std::string variant;
};

std::string name_of(const Case &c) {
    return std::string(c.subject.name) + "_" + c.variant;
}

void PrintTo(const Case &c, std::ostream *out) {
    *out << name_of(c);
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    const std::vector<std::string> by_hand = hand_scheduled();
    for (const Subject &subject : kSubjects) {
        for (const char *variant : {"unfused", "inlined", "fused"}) {
            cases.push_back({subject, variant});
        }
        if (std::count(by_hand.begin(), by_hand.end(), subject.name) > 0) {
            cases.push_back({subject, "hand"});
        }
    }
    return cases;
}

class Reductions : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }

    /// Planned for the generator's own estimates, or for others.
    static Runner runner(const std::map<std::string, std::string> &params = {}) {
        Options options;
        options.variant = GetParam().variant;
        return Runner(generator(GetParam().subject.name, params), options);
    }

    /// Runs it where `rows` is all there is to reduce and `used` the part of it that the outputs lie in.
    static void check(Runner &runner, const Region &rows, const Region &used, Memory memory) {
        const auto dim = [&](int d) { return at({used.min[d]}, {used.extent[d]}); };
        const Shape shape = GetParam().subject.shape;
        const Region outputs = shape == Shape::Image    ? used
                               : shape == Shape::Row    ? dim(1)
                               : shape == Shape::Column ? dim(0)
                                                        : of({});
        runner.check({outputs}, memory, 1, {{"input", rows}});
    }
};

const std::vector<std::pair<int, int>> kSizes = {{1, 1},     {2, 3},    {31, 2},   {32, 33},  {33, 1},   {255, 7},
                                                 {1000, 5},  {4095, 2}, {4096, 3}, {5003, 2}, {2048, 3}, {5000, 2},
                                                 {20000, 2}, {1, 257},  {3, 1000}, {65, 513}, {8, 5003}};

TEST_P(Reductions, AreRightAtEveryLength) {
    Runner runner = this->runner();
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] : kSizes) {
        check(runner, of({width, height}), of({width, height}), Memory::Dense);
    }
    for (const auto &[width, height] :
         std::vector<std::pair<int, int>>{{1, 1}, {33, 5}, {257, 3}, {1024, 4}, {2, 509}}) {
        const Region all = at({-5, 7}, {width, height});
        check(runner, all, all, Memory::Padded);
        check(runner, all, all, Memory::Misplaced);
        const Region part = at({-5 + width / 3, 7 + height / 3}, {width - width / 3, height - height / 3});
        check(runner, all, part, Memory::Dense);
        check(runner, all, part, Memory::Misplaced);
    }
    check(runner, of({64, 4}), of({0, 0}), Memory::Dense);
}

TEST_P(Reductions, AreRightFarAboveTheirEstimates) {
    Runner runner = this->runner({{"width", "33"}, {"height", "3"}});
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] :
         std::vector<std::pair<int, int>>{{33, 3}, {2, 1}, {1031, 67}, {20000, 2}, {64, 5003}}) {
        check(runner, of({width, height}), of({width, height}), Memory::Dense);
    }
    check(runner, at({-1031, 67}, {1024, 64}), at({-1031, 67}, {1024, 64}), Memory::Misplaced);
}

/// Plans for rows that no cache holds: parts over blocks, slices of a running maximum, sums in one pass.
TEST_P(Reductions, AreRightWhenPlannedForHugeRows) {
    if (std::string(GetParam().variant) != "fused") {
        GTEST_SKIP() << "the tests of other lengths cover the variant " << GetParam().variant;
    }
    Runner runner = this->runner({{"width", "16000000"}, {"height", "4"}});
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] : std::vector<std::pair<int, int>>{{1, 1}, {33, 3}, {5003, 2}, {140001, 2}}) {
        check(runner, of({width, height}), of({width, height}), Memory::Dense);
    }
    check(runner, at({-1031, 67}, {4097, 3}), at({-1031, 67}, {4097, 3}), Memory::Misplaced);
}

/// PoCL has no float16.
TEST_P(Reductions, AreRightInHalfPrecision) {
    if (device_api() != "cuda") {
        GTEST_SKIP() << "no float16 on this device";
    }
    if (!GetParam().subject.has_types) {
        GTEST_SKIP() << "the generator has one type";
    }
    Runner runner = this->runner({{"type", "float16"}});
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] :
         std::vector<std::pair<int, int>>{{1, 1}, {33, 5}, {255, 3}, {1024, 4}, {4096, 3}}) {
        check(runner, of({width, height}), of({width, height}), Memory::Dense);
        check(runner, at({3, 1}, {width, height}), at({3, 1}, {width, height}), Memory::Misplaced);
    }
}

TEST(WholeArray, IsRightWhereTheSumIsTheOutputItself) {
    SKIP_WITHOUT_DEVICE();
    const Builder sum = [] {
        Halide::ImageParam in(Halide::Float(32), 2, "input");
        const Halide::RDom r(in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent());
        Halide::Func total("total");
        total() = 0.0f;
        total() += in(r.x, r.y);
        in.set_estimates({{0, 16384}, {0, 16384}});
        return Built{Halide::Pipeline(total), {in.parameter()}};
    };
    Runner runner(sum, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const Region &all : {of({1, 1}), of({1000, 37}), at({-3, 5}, {4099, 3})}) {
        runner.check({of({})}, Memory::Dense, 1, {{"input", all}});
    }
}

INSTANTIATE_TEST_SUITE_P(, Reductions, ::testing::ValuesIn(all_cases()),
                         [](const auto &info) { return name_of(info.param); });

}  // namespace
}  // namespace fusion

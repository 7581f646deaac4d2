/// Pipelines whose windows and tables have the size of a parameter, at the value that is expected and far from it. In whole
/// numbers, so that none hangs on a rounding.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/explain.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

bool chooses(const Runner &runner) {
    const auto &rewrites = runner.planned().plan.rewrites;
    return std::any_of(rewrites.begin(), rewrites.end(), [](const Rewrite &r) { return r.id == "fixed-parameters"; });
}

/// Scalar inputs of a pipeline, with their estimates.
struct Scalars {
    std::vector<Parameter> parameters;
    Expr operator()(const std::string &name, int estimate) {
        parameters.emplace_back(Int(32), false, 0, name);
        parameters.back().set_estimate(estimate);
        return Internal::Variable::make(Int(32), name, parameters.back());
    }
    Built built(const Pipeline &pipeline, const ImageParam &in) {
        parameters.insert(parameters.begin(), in.parameter());
        return {pipeline, parameters};
    }
};

/// Means of neighbours weighted by how alike the windows around the two are; both windows are parameters.
Built denoised() {
    const Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, j{"j"};
    Scalars scalar;
    ImageParam in(UInt(8), 3, "in");
    const Expr patch = scalar("patch", 5), search = scalar("search", 5);
    Func seen{"seen"}, squares{"squares"}, across{"across"}, weight{"weight"}, sums{"sums"}, total{"total"}, out{"out"};
    const Func padded = BoundaryConditions::repeat_edge(in);
    seen(x, y, c) = cast<int>(padded(x, y, c));
    const Expr apart = seen(x, y, 0) - seen(x + i, y + j, 1);
    squares(x, y, i, j) = apart * apart;
    const RDom p(-(patch / 2), patch), r(-(search / 2), search, -(search / 2), search);
    across(x, y, i, j) = sum(squares(x + p, y, i, j));
    weight(x, y, i, j) = 1000 / (1 + abs(sum(across(x, y + p, i, j))));
    sums(x, y, c) += weight(x, y, r.x, r.y) * mux(c, {seen(x + r.x, y + r.y, 0), seen(x + r.x, y + r.y, 1), 1});
    out(x, y, c) = sums(x, y, c) / (1 + sums(x, y, 2));
    out.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
    in.set_estimates({{0, 2560}, {0, 1536}, {0, 3}});
    return scalar.built(Pipeline(out), in);
}

/// A grid of space and brightness with as many levels as a parameter says, smoothed along brightness and read back.
Built grid() {
    const Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
    Scalars scalar;
    ImageParam in(UInt(8), 2, "in");
    const Expr levels = scalar("levels", 8), size = scalar("size", 8);
    Func cells{"cells"}, smooth{"smooth"}, out{"out"};
    const Func padded = BoundaryConditions::repeat_edge(in);
    const RDom r(0, size, 0, size);
    const Expr value = cast<int>(padded(x * size + r.x, y * size + r.y));
    cells(x, y, z, c) = 0;
    cells(x, y, value * levels / 256, c) += mux(c, {value, 1});
    smooth(x, y, z, c) = cells(x, y, z - 1, c) + 2 * cells(x, y, z, c) + cells(x, y, z + 1, c);
    const Expr here = cast<int>(padded(x, y)) * levels / 256;
    const auto read = [&](int channel) {
        return smooth(x / size, y / size, here, channel) + smooth(x / size + 1, y / size, here, channel);
    };
    out(x, y) = read(0) / max(1, read(1));
    out.set_estimates({{0, 2560}, {0, 1536}});
    in.set_estimates({{0, 2560}, {0, 1536}});
    return scalar.built(Pipeline(out), in);
}

class FixedParameters : public ::testing::Test {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_F(FixedParameters, WindowsOfAnySize) {
    Runner runner(denoised, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    EXPECT_TRUE(chooses(runner)) << explain_text(runner.planned().explained());
    ASSERT_TRUE(runner.planned().elsewhere);
    const std::map<std::string, Region> image = {{"in", of({70, 50, 3})}};
    for (const auto &[patch, search] : std::vector<std::pair<int, int>>{{5, 5}, {1, 3}, {5, 9}, {30, 2}, {2, 6}}) {
        if (patch != 5 || search != 5) {
            runner.set("patch", patch);
            runner.set("search", search);
        }
        SCOPED_TRACE("patch " + std::to_string(patch) + ", search " + std::to_string(search));
        for (const auto &size : std::vector<std::vector<int>>{{1, 1, 1}, {37, 5, 3}, {131, 77, 3}}) {
            runner.check({at({-3, 2, 0}, size)}, Memory::Padded, 1, image);
        }
        runner.check({at({0, 0, 1}, {160, 96, 2})}, Memory::Misplaced, 1, image);
    }
}

TEST_F(FixedParameters, AsManyLevelsAsGiven) {
    Runner runner(grid, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    EXPECT_TRUE(chooses(runner)) << explain_text(runner.planned().explained());
    const std::map<std::string, Region> image = {{"in", of({300, 200})}};
    for (const auto &[levels, size] : std::vector<std::pair<int, int>>{{8, 8}, {3, 8}, {40, 8}, {8, 5}, {2, 40}}) {
        if (levels != 8 || size != 8) {
            runner.set("levels", levels);
            runner.set("size", size);
        }
        SCOPED_TRACE("levels " + std::to_string(levels) + ", size " + std::to_string(size));
        for (const auto &extent : std::vector<std::vector<int>>{{1, 1}, {37, 5}, {131, 77}, {256, 192}}) {
            runner.check({at({-3, 2}, extent)}, Memory::Padded, 1, image);
        }
    }
}

/// Nothing keeps the window within the input: a caller with a smaller one brings less of it, and that must do.
TEST_F(FixedParameters, AnInputIsAskedForNoMoreThanBefore) {
    const auto build = [] {
        const Var x{"x"}, y{"y"};
        Scalars scalar;
        ImageParam in(Int(32), 2, "in");
        const RDom p(0, scalar("window", 7), "p");
        Func across{"across"}, out{"out"};
        across(x, y) = sum(in(x + p, y) * p);
        out(x, y) = sum(across(x, y + p));
        out.set_estimates({{0, 2560}, {0, 1536}});
        in.set_estimates({{0, 2566}, {0, 1542}});
        return scalar.built(Pipeline(out), in);
    };
    Runner runner(build, Options());
    EXPECT_FALSE(chooses(runner));
    runner.check({of({67, 45})}, Memory::Dense);
    runner.set("window", 3);
    runner.check({of({67, 45})}, Memory::Dense);
}

}  // namespace
}  // namespace fusion

#pragma once
/// What the tests of tables that an update fills where data say have in common.
#include <gmock/gmock.h>

#include "fusion/rewrites/scatter_func.h"
#include "tests/unit/halide/testing.h"

namespace fusion::testing {

class Tables : public ::testing::Test {
protected:
    const Halide::Var level{"level"}, c{"c"};
    Halide::ImageParam in{Halide::UInt(8), 3, "in"};
    Halide::Func counts{"counts"}, output{"output"};
    int width = 8192, height = 8192, channels = 3;

    /// Its output: what `counts`, of one dimension more where `has_channels`, says.
    std::vector<Halide::Internal::Function> outputs(bool has_channels = false) {
        in.set_estimates({{0, width}, {0, height}, {0, channels}});
        if (has_channels) {
            output(level, c) = counts(level, c);
            output.set_estimates({{0, 256}, {0, channels}});
        } else {
            output(level) = counts(level);
            output.set_estimates({{0, 256}});
        }
        return functions({output});
    }
    Halide::Expr pixel(const Halide::Expr &x, const Halide::Expr &y, const Halide::Expr &z = 0) {
        return Halide::cast<int>(in(x, y, z));
    }
    Halide::RDom whole() const { return {in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent()}; }
};

}  // namespace fusion::testing

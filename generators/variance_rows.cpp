// output = the mean of (input - mean)^2 along each row: two reductions, the second of which needs the first.
//
// Two passes, as one writes it to lose no digits where the mean is far larger than the spread. The row is read twice unless
// it stays on chip, or the planner knows a way to do both in one pass that loses none either.
#include "Halide.h"

namespace {

using namespace Halide;

class VarianceRows : public Generator<VarianceRows> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func row_sum{"row_sum"}, mean{"mean"}, centred{"centred"}, squares{"squares"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());
        const Expr count = cast<float>(input.dim(0).extent());

        row_sum(y) = 0.0f;
        row_sum(y) += in(r, y);
        mean(y) = row_sum(y) / count;
        centred(x, y) = in(x, y) - mean(y);
        squares(y) = 0.0f;
        squares(y) += centred(r, y) * centred(r, y);
        output(y) = cast(type, squares(y) / count);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(VarianceRows, variance_rows)

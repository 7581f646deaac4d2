// output = input / max(norm, epsilon) along each row, with norm the root of the sum of squares.
//
// One reduction and a pointwise stage behind it that reads the row again, as rmsnorm without parameters; the division is a
// true one. A row of zeros stays one.
#include "Halide.h"

namespace {

using namespace Halide;

class L2Normalize : public Generator<L2Normalize> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func squares{"squares"}, norm{"norm"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        squares(y) = 0.0f;
        squares(y) += in(r, y) * in(r, y);
        norm(y) = sqrt(squares(y));
        output(x, y) = cast(type, in(x, y) / max(norm(y), 1e-12f));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(L2Normalize, l2_normalize)

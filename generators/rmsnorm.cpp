// output = input / sqrt(mean of input^2 + epsilon) * weight(x) along each row.
//
// The simplest row to keep on chip: one reduction, whose result scales the row it came from. Cut behind the reduction, the
// input is read twice; in one kernel once.
#include "Halide.h"

namespace {

using namespace Halide;

class Rmsnorm : public Generator<Rmsnorm> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Input<Buffer<void, 1>> weight{"weight"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        input.set_type(type);
        weight.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func squares{"squares"}, inverse{"inverse"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());
        const Expr count = cast<float>(input.dim(0).extent());

        squares(y) = 0.0f;
        squares(y) += in(r, y) * in(r, y);
        inverse(y) = 1.0f / sqrt(squares(y) / count + 1e-6f);
        output(x, y) = cast(type, in(x, y) * inverse(y) * cast<float>(weight(x)));

        input.set_estimates({{0, width}, {0, height}});
        weight.set_estimates({{0, width}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Rmsnorm, rmsnorm)

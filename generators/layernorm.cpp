// output = (v - mean) / sqrt(variance + epsilon) * scale(x) + shift(x) along each row, with v = input + residual.
//
// The residual is added in front, as in a transformer: v is read by both reductions and by the output, so it is stored once
// or stays on chip. The variance needs the mean, so the second reduction waits for the first; two rows of parameters are
// broadcast over all rows behind them. Two reads and one write where the row stays on chip.
#include "Halide.h"

namespace {

using namespace Halide;

class Layernorm : public Generator<Layernorm> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Input<Buffer<void, 2>> residual{"residual"};
    Input<Buffer<void, 1>> scale{"scale"};
    Input<Buffer<void, 1>> shift{"shift"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        input.set_type(type);
        residual.set_type(type);
        scale.set_type(type);
        shift.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func v{"v"}, row_sum{"row_sum"}, mean{"mean"}, centred{"centred"}, squares{"squares"}, inverse{"inverse"};
        const RDom r(input.dim(0).min(), input.dim(0).extent());
        const Expr count = cast<float>(input.dim(0).extent());

        v(x, y) = cast<float>(input(x, y)) + cast<float>(residual(x, y));
        row_sum(y) = 0.0f;
        row_sum(y) += v(r, y);
        mean(y) = row_sum(y) / count;
        centred(x, y) = v(x, y) - mean(y);
        squares(y) = 0.0f;
        squares(y) += centred(r, y) * centred(r, y);
        inverse(y) = 1.0f / sqrt(squares(y) / count + 1e-5f);
        output(x, y) = cast(type, centred(x, y) * inverse(y) * cast<float>(scale(x)) + cast<float>(shift(x)));

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        residual.set_estimates(image);
        scale.set_estimates({{0, width}});
        shift.set_estimates({{0, width}});
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Layernorm, layernorm)

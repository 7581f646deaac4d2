// output = residual + gelu(input + bias): the tail of a transformer's feed-forward layer.
//
// A row of biases is broadcast along y, the activation (the tanh form of GELU) reads its argument several times at the
// same point, and a residual is added. One kernel reads two images and a row and writes one image. The value that the
// activation reads several times must be held in a register and not be computed again for each use.
#include "Halide.h"

namespace {

using namespace Halide;

class BiasGeluResidual : public Generator<BiasGeluResidual> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 16384};

    Input<Buffer<float, 2>> input{"input"};
    Input<Buffer<float, 1>> bias{"bias"};
    Input<Buffer<float, 2>> residual{"residual"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func biased{"biased"}, activated{"activated"};

        biased(x, y) = input(x, y) + bias(x);
        const Expr v = biased(x, y);
        activated(x, y) = 0.5f * v * (1.0f + tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
        output(x, y) = residual(x, y) + activated(x, y);

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        bias.set_estimates({{0, width}});
        residual.set_estimates(image);
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BiasGeluResidual, bias_gelu_residual)

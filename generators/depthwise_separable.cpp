// output = max(0, bias + a 1 x 1 convolution of a 3 x 3 convolution of each channel by itself), channels innermost: a block of a
// mobile network.
//
// The first convolution has little arithmetic for its bytes, the second is a product of matrices. Zeros around the image stay
// a select inside of the first.
#include "Halide.h"

namespace {

using namespace Halide;

class DepthwiseSeparable : public Generator<DepthwiseSeparable> {
public:
    GeneratorParam<int> width{"width", 448};
    GeneratorParam<int> height{"height", 448};
    GeneratorParam<int> channels{"channels", 32};

    Input<Buffer<float, 3>> input{"input"};          // channel, x, y
    Input<Buffer<float, 3>> depthwise{"depthwise"};  // channel, x, y
    Input<Buffer<float, 2>> pointwise{"pointwise"};  // output channel, input channel
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var c{"c"}, x{"x"}, y{"y"};
        Func filtered{"filtered"}, mixed{"mixed"};
        const RDom near(0, 3, 0, 3), channel(0, channels);
        const Func padded = BoundaryConditions::constant_exterior(input, 0.0f,
                                                                  {{Expr(), Expr()},
                                                                   {input.dim(1).min(), input.dim(1).extent()},
                                                                   {input.dim(2).min(), input.dim(2).extent()}});
        filtered(c, x, y) = 0.0f;
        filtered(c, x, y) += depthwise(c, near.x, near.y) * padded(c, x + near.x - 1, y + near.y - 1);
        mixed(c, x, y) = bias(c);
        mixed(c, x, y) += pointwise(c, channel) * filtered(channel, x, y);
        output(c, x, y) = max(mixed(c, x, y), 0.0f);

        input.set_estimates({{0, channels}, {0, width}, {0, height}});
        depthwise.set_estimates({{0, channels}, {0, 3}, {0, 3}});
        pointwise.set_estimates({{0, channels}, {0, channels}});
        bias.set_estimates({{0, channels}});
        output.set_estimates({{0, channels}, {0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(DepthwiseSeparable, depthwise_separable)

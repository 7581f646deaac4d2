// output = max(0, bias + a 3 x 3 convolution of all channels), channels innermost: a layer of a convolutional network.
//
// Every input element is read by 9 * channels points and every filter element by all of the image: a thread that computes one
// point loads twice for each multiply-add. One that keeps a tile of points in registers loads once for several of them.
#include "Halide.h"

namespace {

using namespace Halide;

class ConvRelu : public Generator<ConvRelu> {
public:
    GeneratorParam<int> width{"width", 256};
    GeneratorParam<int> height{"height", 256};
    GeneratorParam<int> channels{"channels", 64};

    Input<Buffer<float, 3>> input{"input"};    // channel, x, y; one point more on each side
    Input<Buffer<float, 4>> filter{"filter"};  // output channel, x, y, input channel
    Input<Buffer<float, 1>> bias{"bias"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var c{"c"}, x{"x"}, y{"y"};
        Func conv{"conv"};
        const RDom r(0, channels, 0, 3, 0, 3);
        conv(c, x, y) = bias(c);
        conv(c, x, y) += filter(c, r.y, r.z, r.x) * input(r.x, x + r.y, y + r.z);
        output(c, x, y) = max(conv(c, x, y), 0.0f);

        input.set_estimates({{0, channels}, {0, width + 2}, {0, height + 2}});
        filter.set_estimates({{0, channels}, {0, 3}, {0, 3}, {0, channels}});
        bias.set_estimates({{0, channels}});
        output.set_estimates({{0, channels}, {0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ConvRelu, conv_relu)

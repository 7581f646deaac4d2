// Unsharp masking of a colour image: luminance, a separable Gaussian of seven taps, and each channel scaled by what
// sharpening does to the luminance.
//
// A wide separable filter between pointwise stages of different shapes: the ratio is computed for each pixel and used for
// three channels.
#include "Halide.h"

namespace {

using namespace Halide;

class Unsharp : public Generator<Unsharp> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, c{"c"};
        Func gray{"gray"}, down{"down"}, across{"across"}, sharp{"sharp"}, ratio{"ratio"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        gray(x, y) = 0.299f * padded(x, y, 0) + 0.587f * padded(x, y, 1) + 0.114f * padded(x, y, 2);
        const float weights[] = {0.2660f, 0.2129f, 0.1091f, 0.0358f};  // a Gaussian of sigma 1.5
        Expr column = weights[0] * gray(x, y);
        for (int i = 1; i < 4; i++) {
            column += weights[i] * (gray(x, y - i) + gray(x, y + i));
        }
        down(x, y) = column;
        Expr row = weights[0] * down(x, y);
        for (int i = 1; i < 4; i++) {
            row += weights[i] * (down(x - i, y) + down(x + i, y));
        }
        across(x, y) = row;
        sharp(x, y) = 2 * gray(x, y) - across(x, y);
        ratio(x, y) = sharp(x, y) / max(gray(x, y), 0.05f);
        output(x, y, c) = ratio(x, y) * input(x, y, c);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Unsharp, unsharp)

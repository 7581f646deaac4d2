// An image at any other size, between its four nearest pixels (bilinear), at coordinates that are floating-point numbers.
//
// Each output pixel reads at places that follow from its own by a multiplication: strides that are no whole numbers.
#include "Halide.h"

namespace {

using namespace Halide;

class Resize : public Generator<Resize> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<uint8_t, 3>> input{"input"};
    Input<float> scale{"scale"};  // input pixels a pixel of the output
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, c{"c"};
        Func across{"across"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        const auto place = [&](const Expr &at) { return (cast<float>(at) + 0.5f) * scale - 0.5f; };
        const Expr at_x = place(x), at_y = place(y);
        const Expr xi = cast<int>(floor(at_x)), yi = cast<int>(floor(at_y));
        across(x, y, c) = lerp(cast<float>(padded(xi, y, c)), cast<float>(padded(xi + 1, y, c)), at_x - xi);
        output(x, y, c) = cast<uint8_t>(lerp(across(x, yi, c), across(x, yi + 1, c), at_y - yi) + 0.5f);

        input.set_estimates({{0, width / 2}, {0, height / 2}, {0, 3}});
        scale.set_estimate(0.5f);
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Resize, resize)

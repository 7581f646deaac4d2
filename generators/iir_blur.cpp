// A recursive low-pass filter down the columns and up again: each point needs the one before, in both directions.
//
// The columns are all that can run at once. A thread walks one, with several steps written out so that their loads come
// together and what one step leaves to the next stays in a register.
#include "Halide.h"

namespace {

using namespace Halide;

class IirBlur : public Generator<IirBlur> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 2160};

    Input<Buffer<float, 3>> input{"input"};
    Input<float> alpha{"alpha"};
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, c{"c"};
        Func filtered{"filtered"};
        const RDom r(1, height - 1);
        const Expr last = static_cast<int>(height) - 1;
        const Func padded = BoundaryConditions::repeat_edge(input);

        filtered(x, y, c) = undef<float>();
        filtered(x, 0, c) = padded(x, 0, c);
        filtered(x, r, c) = (1 - alpha) * filtered(x, r - 1, c) + alpha * padded(x, r, c);
        filtered(x, last - r, c) = (1 - alpha) * filtered(x, last - r + 1, c) + alpha * filtered(x, last - r, c);
        output(x, y, c) = filtered(x, clamp(y, 0, last), c);

        alpha.set_estimate(0.1f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(IirBlur, iir_blur)

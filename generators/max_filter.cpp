// The largest value of a square window around each pixel, rows first and then columns.
//
// Two reductions over short windows. Written out, they are stencils: the row maxima that a thread's points share stay in its
// registers.
#include "Halide.h"

namespace {

using namespace Halide;

class MaxFilter : public Generator<MaxFilter> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};
    GeneratorParam<int> radius{"radius", 4};

    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func across{"across"}, down{"down"};
        const Func padded = BoundaryConditions::repeat_edge(input);
        const RDom r(-static_cast<int>(radius), 2 * radius + 1);

        across(x, y) = Float(32).min();
        across(x, y) = max(across(x, y), padded(x + r, y));
        down(x, y) = Float(32).min();
        down(x, y) = max(down(x, y), across(x, y + r));
        output(x, y) = down(x, y);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MaxFilter, max_filter)

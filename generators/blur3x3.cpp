// A 3 x 3 box blur as two stages of three taps: across(x, y), then output down its columns.
//
// The least of stencils: stored between, the row sums cost a trip to memory and back; computed again for each reader, three
// times the arithmetic. A thread that computes several points below each other keeps the row sums that they share in
// registers. The edges repeat.
#include "Halide.h"

namespace {

using namespace Halide;

class Blur3x3 : public Generator<Blur3x3> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func across{"across"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        across(x, y) = padded(x - 1, y) + padded(x, y) + padded(x + 1, y);
        output(x, y) = (across(x, y - 1) + across(x, y) + across(x, y + 1)) * (1.0f / 9);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blur3x3, blur3x3)

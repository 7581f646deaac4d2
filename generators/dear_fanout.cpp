// left = 2 * dear + 1 and right(x, y, z) = dear(x, y) * weight(z): two consumers of a producer worth storing.
//
// `dear` is a chain of `steps` rounds of sine and exponential. `left` reads it once a point, `right` once for each of
// `depth` planes. Computed again wherever it is read, the arithmetic takes far longer than writing one image and
// reading it back, so here the intermediate goes to memory (or both outputs are made where it is in a register). Each
// round mixes the input in again and stays bounded: |dear| <= 1/2 + |input| / 2.
#include "Halide.h"

namespace {

using namespace Halide;

class DearFanout : public Generator<DearFanout> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 4096};
    GeneratorParam<int> depth{"depth", 4};
    GeneratorParam<int> steps{"steps", 24, 1, 1000};

    Input<Buffer<float, 2>> input{"input"};
    Input<Buffer<float, 1>> weight{"weight"};
    Output<Buffer<float, 2>> left{"left"};
    Output<Buffer<float, 3>> right{"right"};

    void generate() {
        Var x{"x"}, y{"y"}, z{"z"};
        Func dear{"dear"};

        const Expr half = input(x, y) * 0.5f;
        Expr v = input(x, y);
        for (int step = 0; step < steps; step++) {
            v = sin(v) * 0.5f + exp(-v * v) * half;
        }
        dear(x, y) = v;
        left(x, y) = dear(x, y) * 2.0f + 1.0f;
        right(x, y, z) = dear(x, y) * weight(z);

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        weight.set_estimates({{0, depth}});
        left.set_estimates(image);
        right.set_estimates({{0, width}, {0, height}, {0, depth}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(DearFanout, dear_fanout)

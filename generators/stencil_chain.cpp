// A chain of stencils of 5 x 5 points, each on the one before.
//
// How many share a kernel is a matter of price: each further stage widens the halo that blocks compute again, each cut is
// a trip to memory.
#include "Halide.h"

namespace {

using namespace Halide;

class StencilChain : public Generator<StencilChain> {
public:
    GeneratorParam<int> width{"width", 1536};
    GeneratorParam<int> height{"height", 2560};
    GeneratorParam<int> stages{"stages", 16};

    Input<Buffer<uint16_t, 2>> input{"input"};
    Output<Buffer<uint16_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func before = BoundaryConditions::repeat_edge(input);
        for (int s = 1; s <= stages; s++) {
            Expr sum = cast<uint16_t>(0);
            for (int j = -2; j <= 2; j++) {
                for (int i = -2; i <= 2; i++) {
                    sum += before(x + i, y + j) * cast<uint16_t>((i + 3) * (j + 3));
                }
            }
            if (s == stages) {
                output(x, y) = sum;
            } else {
                Func stage{"stage" + std::to_string(s)};
                stage(x, y) = sum;
                before = stage;
            }
        }

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(StencilChain, stencil_chain)

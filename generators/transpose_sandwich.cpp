// output = sqrt(|turned|) + 1, turned(x, y) = before(y, x) * gain(x), before = 2 * input + 1: a turn between pointwise
// stages.
//
// The pointwise work on both sides of the transposition may join one kernel, but a kernel that simply inlines reads
// with a stride of a whole row: each 32-byte sector brings in one useful float. Either a tile is turned in shared
// memory, or the stages are cut at the turn. The input is `height` wide and `width` high; the output is
// `width` x `height`.
#include "Halide.h"

namespace {

using namespace Halide;

class TransposeSandwich : public Generator<TransposeSandwich> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<float, 2>> input{"input"};
    Input<Buffer<float, 1>> gain{"gain"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func before{"before"}, turned{"turned"};

        before(x, y) = input(x, y) * 2.0f + 1.0f;
        turned(x, y) = before(y, x) * gain(x);
        output(x, y) = sqrt(abs(turned(x, y))) + 1.0f;

        input.set_estimates({{0, height}, {0, width}});
        gain.set_estimates({{0, width}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(TransposeSandwich, transpose_sandwich)

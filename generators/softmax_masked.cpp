// Causal softmax: row y attends to the columns up to its position, y modulo the width, and to none behind it.
//
// The mask is made from coordinates, so it costs no read; as a stage of its own it would cost a whole image. It enters as
// the lowest finite number, since a GPU compiler that assumes that there are no infinities may do anything with one, and
// its exponential is 0. On average half of each row is work for nothing, which memory does not notice.
#include "Halide.h"

#include <limits>

namespace {

using namespace Halide;

class SoftmaxMasked : public Generator<SoftmaxMasked> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 2>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func masked{"masked"}, row_max{"row_max"}, e{"e"}, total{"total"};
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        const Expr position = y % input.dim(0).extent();
        // Not Float(32).min(), which is minus infinity.
        const float lowest = std::numeric_limits<float>::lowest();
        masked(x, y) = select(x <= position, cast<float>(input(x, y)), lowest);
        row_max(y) = Float(32).min();
        row_max(y) = max(row_max(y), masked(r, y));
        e(x, y) = exp(masked(x, y) - row_max(y));
        total(y) = 0.0f;
        total(y) += e(r, y);
        output(x, y) = cast(type, e(x, y) / total(y));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(SoftmaxMasked, softmax_masked)

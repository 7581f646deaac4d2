// A running sum: every element needs all that come before it.
//
// Written as a loop over the elements, each of which waits for the one before. Addition is associative, so chunks can be summed
// all at once; the sums of the chunks are then few, and are added where the elements are read.
#include "Halide.h"

namespace {

using namespace Halide;

class CumulativeSum : public Generator<CumulativeSum> {
public:
    GeneratorParam<int> width{"width", 1 << 22};

    Input<Buffer<float, 1>> input{"input"};
    Output<Buffer<float, 1>> output{"output"};

    void generate() {
        Var x{"x"};
        Func total{"total"};
        const RDom r(input.dim(0).min() + 1, input.dim(0).extent() - 1);

        total(x) = input(x);
        total(r) += total(r - 1);
        output(x) = total(x);

        input.set_estimates({{0, width}});
        output.set_estimates({{0, width}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CumulativeSum, cumulative_sum)

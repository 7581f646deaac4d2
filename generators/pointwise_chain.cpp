// output = max((a + b) * c, 0): the smallest case for vertical fusion.
//
// Stage by stage this is three kernels and eight trips to memory, two of which write an intermediate and two of which
// read it back; as one kernel it is three reads and one write. Nothing but memory traffic decides its time, so the
// fused kernel should run at the bandwidth of a plain copy.
#include "Halide.h"

namespace {

using namespace Halide;

class PointwiseChain : public Generator<PointwiseChain> {
public:
    GeneratorParam<int> width{"width", 16384};
    GeneratorParam<int> height{"height", 16384};

    Input<Buffer<float, 2>> a{"a"};
    Input<Buffer<float, 2>> b{"b"};
    Input<Buffer<float, 2>> c{"c"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func sum{"sum"}, product{"product"};

        sum(x, y) = a(x, y) + b(x, y);
        product(x, y) = sum(x, y) * c(x, y);
        output(x, y) = max(product(x, y), 0.0f);

        const Region image = {{0, width}, {0, height}};
        a.set_estimates(image);
        b.set_estimates(image);
        c.set_estimates(image);
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(PointwiseChain, pointwise_chain)

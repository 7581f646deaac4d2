// output = clamp((input * gain + row(x)) * column(y), -4, 4): every kind of broadcast in one chain.
//
// A scalar parameter, a row read along x and a column read along y meet an image. All three stay in cache, so one
// kernel moves one image in and one out. The column is the same for a whole vector of x: it is one scalar load and a
// splat, and must not stop the image from being read in vectors.
#include "Halide.h"

namespace {

using namespace Halide;

class BroadcastChain : public Generator<BroadcastChain> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 16384};

    Input<Buffer<float, 2>> input{"input"};
    Input<float> gain{"gain"};
    Input<Buffer<float, 1>> row{"row"};
    Input<Buffer<float, 1>> column{"column"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func scaled{"scaled"}, shifted{"shifted"}, weighted{"weighted"};

        scaled(x, y) = input(x, y) * gain;
        shifted(x, y) = scaled(x, y) + row(x);
        weighted(x, y) = shifted(x, y) * column(y);
        output(x, y) = clamp(weighted(x, y), -4.0f, 4.0f);

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        gain.set_estimate(1.5f);
        row.set_estimates({{0, width}});
        column.set_estimates({{0, height}});
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BroadcastChain, broadcast_chain)

// output = the sum of all elements: a whole array becomes one number.
//
// There is no pure dimension to run in parallel, so the reduction itself has to be cut into pieces for every thread of the
// GPU, and a second stage adds up what they found. Nothing but the input is read: the bandwidth of reading bounds it.
#include "Halide.h"

namespace {

using namespace Halide;

class TotalSum : public Generator<TotalSum> {
public:
    GeneratorParam<int> width{"width", 16384};
    GeneratorParam<int> height{"height", 16384};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 0>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Func total{"total"};
        const RDom r(input.dim(0).min(), input.dim(0).extent(), input.dim(1).min(), input.dim(1).extent());

        total() = 0.0f;
        total() += cast<float>(input(r.x, r.y));
        output() = cast(type, total());

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(TotalSum, total_sum)

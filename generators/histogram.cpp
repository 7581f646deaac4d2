// How often each level of an image occurs: a whole image becomes a table of 256 counts.
//
// The algorithm says nothing of rows or blocks: each pixel adds to a level that it says itself, and all share one table. It has to
// be cut into parts whose tables threads keep on chip and that a second stage adds up. Nothing but the image is read: the
// bandwidth of reading bounds it, and, where all pixels are of one level, the time in which threads add to the same place.
#include "Halide.h"

namespace {

using namespace Halide;

class Histogram : public Generator<Histogram> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};
    GeneratorParam<Type> type{"type", UInt(32)};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() { output.set_type(type); }

    void generate() {
        Var level{"level"};
        Func counts{"counts"};
        const RDom r(input.dim(0).min(), input.dim(0).extent(), input.dim(1).min(), input.dim(1).extent());

        counts(level) = cast(type, 0);
        counts(cast<int>(input(r.x, r.y))) += cast(type, 1);
        output(level) = counts(level);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, 256}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Histogram, histogram)

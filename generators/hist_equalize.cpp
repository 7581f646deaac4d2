// An image with its grey levels spread evenly: a histogram of 256 levels, its running sum, and a table lookup.
//
// Every pixel adds to a level that it says itself. Blocks of threads count rows of the image in shared memory, which are then
// added up; the running sum has 255 steps that wait for each other; the lookup is one read of a small table a pixel.
#include "Halide.h"

namespace {

using namespace Halide;

class HistEqualize : public Generator<HistEqualize> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, level{"level"};
        Func of_row{"of_row"}, histogram{"histogram"}, below{"below"}, spread{"spread"};
        const RDom column(input.dim(0).min(), input.dim(0).extent()), row(input.dim(1).min(), input.dim(1).extent()),
            r(1, 255);

        of_row(level, y) = 0;
        of_row(cast<int>(input(column, y)), y) += 1;
        histogram(level) = 0;
        histogram(level) += of_row(level, row);
        below(level) = histogram(0);
        below(r) = below(r - 1) + histogram(r);
        const Expr pixels = cast<uint64_t>(input.dim(0).extent()) * cast<uint64_t>(input.dim(1).extent());
        spread(level) = cast<uint8_t>(cast<uint64_t>(below(level)) * 255 / pixels);
        output(x, y) = spread(cast<int>(input(x, y)));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(HistEqualize, hist_equalize)

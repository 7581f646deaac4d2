// output(x) = the mean of column x: a reduction over the dimension that is not contiguous.
//
// Neighbouring threads take neighbouring columns, so that every read is coalesced, but a thousand columns are too few
// threads for a GPU: the rows have to be split over blocks too, and what they find has to be added up in a second stage.
#include "Halide.h"

namespace {

using namespace Halide;

class ColumnMean : public Generator<ColumnMean> {
public:
    GeneratorParam<int> width{"width", 1024};
    GeneratorParam<int> height{"height", 65536};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"};
        Func column_sum{"column_sum"};
        const RDom r(input.dim(1).min(), input.dim(1).extent());

        column_sum(x) = 0.0f;
        column_sum(x) += cast<float>(input(x, r));
        output(x) = cast(type, column_sum(x) / cast<float>(input.dim(1).extent()));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ColumnMean, column_mean)

// mean(x) and variance(x) of each column, as batch normalisation needs them: two outputs, one of them from the other.
//
// Two column reductions over one input, the second about the first's result. Taken as written the input is read twice; a
// column never fits on chip, so reading it once takes a way to find both in one pass.
#include "Halide.h"

namespace {

using namespace Halide;

class BatchnormStats : public Generator<BatchnormStats> {
public:
    GeneratorParam<int> width{"width", 1024};
    GeneratorParam<int> height{"height", 65536};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 1>> mean{"mean"};
    Output<Buffer<void, 1>> variance{"variance"};

    void configure() {
        input.set_type(type);
        mean.set_type(type);
        variance.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func column_sum{"column_sum"}, average{"average"}, centred{"centred"}, squares{"squares"};
        const RDom r(input.dim(1).min(), input.dim(1).extent());
        const Expr count = cast<float>(input.dim(1).extent());

        column_sum(x) = 0.0f;
        column_sum(x) += cast<float>(input(x, r));
        average(x) = column_sum(x) / count;
        centred(x, y) = cast<float>(input(x, y)) - average(x);
        squares(x) = 0.0f;
        squares(x) += centred(x, r) * centred(x, r);
        mean(x) = cast(type, average(x));
        variance(x) = cast(type, squares(x) / count);

        input.set_estimates({{0, width}, {0, height}});
        mean.set_estimates({{0, width}});
        variance.set_estimates({{0, width}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BatchnormStats, batchnorm_stats)

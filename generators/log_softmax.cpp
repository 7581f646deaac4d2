// output = input - max - log(total of exp(input - max)) along each row.
//
// Softmax's two reductions, but nothing is divided: the exponentials serve the sum alone and need never exist as an array,
// and the row is needed once more at the end. One read and one write where the row stays on chip.
#include "Halide.h"

namespace {

using namespace Halide;

class LogSoftmax : public Generator<LogSoftmax> {
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
        Func row_max{"row_max"}, shifted{"shifted"}, total{"total"}, log_total{"log_total"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        row_max(y) = Float(32).min();
        row_max(y) = max(row_max(y), in(r, y));
        shifted(x, y) = in(x, y) - row_max(y);
        total(y) = 0.0f;
        total(y) += exp(shifted(r, y));
        log_total(y) = log(total(y));
        output(x, y) = cast(type, shifted(x, y) - log_total(y));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LogSoftmax, log_softmax)

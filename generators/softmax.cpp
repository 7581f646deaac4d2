// output = exp(input - max) / total along each row: two reductions, each of which the whole row has to wait for.
//
// Stage by stage the row is read three times and its exponentials are written and read back. A row that fits on chip is
// read once and written once, and everything in between stays there. The maximum keeps the exponentials below 1; a planner
// that knows how to correct a running sum needs one pass for both reductions, however long the row.
#include "Halide.h"

namespace {

using namespace Halide;

class Softmax : public Generator<Softmax> {
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
        Func row_max{"row_max"}, e{"e"}, total{"total"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        row_max(y) = Float(32).min();
        row_max(y) = max(row_max(y), in(r, y));
        e(x, y) = exp(in(x, y) - row_max(y));
        total(y) = 0.0f;
        total(y) += e(r, y);
        output(x, y) = cast(type, e(x, y) / total(y));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Softmax, softmax)

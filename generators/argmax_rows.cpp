// index and value = where the largest element of each row is, and what it is: a reduction of a Tuple.
//
// Two values are reduced together by one comparison; split in two reductions the row would be read twice. Of equal elements
// the first one counts, so partial results may be combined in order only, or with the index in the comparison; Halide's
// own analysis does not find it associative.
#include "Halide.h"

namespace {

using namespace Halide;

class ArgmaxRows : public Generator<ArgmaxRows> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<int32_t, 1>> index{"index"};
    Output<Buffer<void, 1>> value{"value"};

    void configure() {
        input.set_type(type);
        value.set_type(type);
    }

    void generate() {
        Var y{"y"};
        Func best{"best"};
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        best(y) = Tuple(input.dim(0).min(), Float(32).min());
        const Expr candidate = cast<float>(input(r, y));
        const Expr better = candidate > best(y)[1];
        best(y) = Tuple(select(better, r, best(y)[0]), select(better, candidate, best(y)[1]));
        index(y) = best(y)[0];
        value(y) = cast(type, best(y)[1]);

        input.set_estimates({{0, width}, {0, height}});
        index.set_estimates({{0, height}});
        value.set_estimates({{0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(ArgmaxRows, argmax_rows)

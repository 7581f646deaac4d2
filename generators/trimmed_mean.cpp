// output = the mean of those elements of a row whose magnitude is at most `threshold`; 0 for a row without any.
//
// A predicate on the reduction's domain that looks at the data, and two independent reductions (how many, how much) over
// the same row: one read of the input serves both. With the predicate as a select it is any other row reduction.
#include "Halide.h"

namespace {

using namespace Halide;

class TrimmedMean : public Generator<TrimmedMean> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Input<float> threshold{"threshold"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var y{"y"};
        Func kept{"kept"}, kept_sum{"kept_sum"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom row(input.dim(0).min(), input.dim(0).extent());
        RDom r(input.dim(0).min(), input.dim(0).extent());
        r.where(abs(in(r, y)) <= threshold);

        // Over the whole row: of an update that does not mention its domain, as += 1, Halide makes no loop.
        kept(y) = 0;
        kept(y) += cast<int>(abs(in(row, y)) <= threshold);
        kept_sum(y) = 0.0f;
        kept_sum(y) += in(r, y);
        output(y) = cast(type, kept_sum(y) / cast<float>(max(kept(y), 1)));

        input.set_estimates({{0, width}, {0, height}});
        threshold.set_estimate(0.5f);
        output.set_estimates({{0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(TrimmedMean, trimmed_mean)

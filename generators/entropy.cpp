// output = entropy, in nats, of the distribution whose logits are a row: -sum of p * log(p), p = softmax(input).
//
// Three reductions over one row, each waiting for the one before (maximum, total, entropy), and only a number a row to
// write: time is that of reading the input once, if the row stays on chip. log(p) is taken as the logit less the logarithm
// of the total, so that a p too small for a float contributes 0 and not NaN.
#include "Halide.h"

namespace {

using namespace Halide;

class Entropy : public Generator<Entropy> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 32768};
    GeneratorParam<Type> type{"type", Float(32)};

    Input<Buffer<void, 2>> input{"input"};
    Output<Buffer<void, 1>> output{"output"};

    void configure() {
        input.set_type(type);
        output.set_type(type);
    }

    void generate() {
        Var x{"x"}, y{"y"};
        Func row_max{"row_max"}, shifted{"shifted"}, total{"total"}, log_total{"log_total"}, log_p{"log_p"};
        Func negative{"negative"};
        const auto in = [&](const Expr &i, const Expr &j) { return cast<float>(input(i, j)); };
        const RDom r(input.dim(0).min(), input.dim(0).extent());

        row_max(y) = Float(32).min();
        row_max(y) = max(row_max(y), in(r, y));
        shifted(x, y) = in(x, y) - row_max(y);
        total(y) = 0.0f;
        total(y) += exp(shifted(r, y));
        log_total(y) = log(total(y));
        log_p(x, y) = shifted(x, y) - log_total(y);
        negative(y) = 0.0f;
        negative(y) += exp(log_p(r, y)) * log_p(r, y);
        output(y) = cast(type, -negative(y));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Entropy, entropy)

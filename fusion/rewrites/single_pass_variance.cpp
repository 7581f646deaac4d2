#include "fusion/rewrites/single_pass_variance.h"

#include <algorithm>
#include <optional>

#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// sum (sample - centre)^2, centre the same for all samples.
struct Squares {
    Expr sample, centre;
};

bool walks(const Expr &e, const ReductionFunc &reduction) {
    return std::any_of(reduction.over.begin(), reduction.over.end(),
                       [&](const ReductionVariable &variable) { return mentions(e, variable.var); });
}

/// The factor of a product of equal factors, also as pow() and through a Func of its own.
std::optional<Expr> squared(const Expr &e, const std::vector<Function> &outputs) {
    const auto plain = with_calls_inlined(e, outputs);
    if (!plain) {
        return std::nullopt;
    }
    const Mul *product = plain->as<Mul>();
    if (product && equal(product->a, product->b)) {
        return product->a;
    }
    const Call *call = plain->as<Call>();
    const bool is_power = call && call->name == "pow_f32" && is_const(call->args[1], 2);
    return is_power ? std::make_optional(call->args[0]) : std::nullopt;
}

std::optional<Squares> squares_of(const ReductionFunc &reduction, const std::vector<Function> &outputs) {
    const auto term = summed_term(reduction);
    const auto factor = term ? squared(*term, outputs) : std::nullopt;
    const Sub *difference = factor ? factor->as<Sub>() : nullptr;
    if (!difference || reduction.update[0].type() != Float(32)) {
        return std::nullopt;
    }
    const bool a = walks(difference->a, reduction), b = walks(difference->b, reduction);
    if (a == b) {
        return std::nullopt;
    }
    return a ? Squares{difference->a, difference->b} : Squares{difference->b, difference->a};
}

/// Points of the domain, in float64.
Expr count_of(const ReductionFunc &reduction) {
    Expr count = cast<double>(1);
    for (const ReductionVariable &variable : reduction.over) {
        count *= cast<double>(variable.extent);
    }
    return count;
}

void sum_in_one_pass(const std::vector<Function> &outputs, const ReductionFunc &sum, const Expr &sample,
                     const ReductionFunc &squares, const Expr &centre) {
    const std::vector<Var> args = args_of(sum);
    const std::vector<Expr> here(args.begin(), args.end());
    Func moments(sum.function.name() + "_moments"), total(sum.function.name() + "_total"),
        spread(squares.function.name() + "_spread");
    std::map<std::string, Expr> renamed;
    fresh_domain(sum, renamed);
    const Expr x = cast<double>(substitute(renamed, sample));
    moments(args) = Tuple(cast<double>(0), cast<double>(0));
    moments(args) = Tuple(moments(here)[0] + x, moments(here)[1] + x * x);
    total(args) = cast<float>(cast<double>(sum.init[0]) + moments(here)[0]);
    replace_calls(outputs, sum.function.name(), total);
    // The centre was found from the sum that has just been replaced.
    const Expr found = cast<double>(replace_calls(centre, sum.function.name(), total));
    const Expr about = moments(here)[1] - 2 * found * moments(here)[0] + count_of(sum) * found * found;
    // Rounding can leave a little less than nothing. NaN stays NaN: only a strict comparison is not made a maximum.
    const Expr at_least_nothing = strict_float(select(about < 0, cast<double>(0), about));
    spread(args) = cast<float>(cast<double>(squares.init[0]) + at_least_nothing);
    replace_calls(outputs, squares.function.name(), spread);
}

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    const std::vector<ReductionFunc> reductions = reduction_funcs(outputs);
    for (const ReductionFunc &squares : reductions) {
        const auto found = squares_of(squares, outputs);
        if (!found) {
            continue;
        }
        for (const ReductionFunc &sum : reductions) {
            const auto term = summed_term(sum);
            const auto renamed = same_loops(squares, sum);
            if (!term || !renamed || sum.update[0].type() != Float(32) ||
                !mentions(found->centre, sum.function.name())) {
                continue;
            }
            const auto sample = with_calls_inlined(*term, outputs);
            if (sample && equal(substitute(*renamed, *sample), found->sample)) {
                // In the args of the sum.
                const auto back = same_loops(sum, squares);
                sum_in_one_pass(outputs, sum, *sample, squares, substitute(*back, found->centre));
                return squares.function.name();
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> use_single_pass_variance(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion

#include "fusion/rewrites/single_pass_variance.h"

#include <algorithm>
#include <optional>

#include "fusion/rewrites/reduction_func.h"
#include "fusion/rewrites/row_parts.h"

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

/// Rounding can leave a little less than nothing. NaN stays NaN: only a strict comparison is not made a maximum.
Expr not_below_nothing(const Expr &e) {
    return strict_float(select(e < 0, cast(e.type(), 0), e));
}

/// Both sums in float64, of any domain.
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
    spread(args) = cast<float>(cast<double>(squares.init[0]) + not_below_nothing(about));
    replace_calls(outputs, squares.function.name(), spread);
}

/// Of three, so that a single value far off the others is not it.
Expr median(const std::vector<Expr> &e) {
    return max(min(e[0], e[1]), min(max(e[0], e[1]), e[2]));
}

/// As above, where the rows run in memory: slices of a row, each about an element of its own, in float32. A large mean costs
/// no digits then, nor does a value far off the others; two of these in one slice of n elements cost n / 2 times the rounding.
void sum_in_slices(const std::vector<Function> &outputs, const ReductionFunc &sum, const Expr &sample,
                   const ReductionFunc &squares, const Expr &centre, const RowParts &parts) {
    const std::vector<Var> args = args_of(sum);
    const std::vector<Expr> here(args.begin(), args.end());
    std::vector<Var> slice_args = args;
    slice_args.insert(slice_args.begin(), Var("slice"));
    const SlicedRow row(sum, parts, slice_args);
    const std::string &variable = sum.over[0].var;
    Func moments(sum.function.name() + "_moments"), total(sum.function.name() + "_total"),
        spread(squares.function.name() + "_spread");
    const std::vector<Expr> in_slice(slice_args.begin(), slice_args.end());
    std::vector<Expr> samples;
    for (const Expr &place : row.samples) {
        samples.push_back(substitute(variable, place, sample));
    }
    moments(slice_args) = Tuple(median(samples), 0.0f, 0.0f);
    const FuncRef so_far = moments(in_slice);
    const Expr d = select(row.is_inside, substitute(variable, row.at, sample) - so_far[0], 0.0f);
    moments(slice_args) = Tuple(so_far[0], so_far[1] + d, so_far[2] + d * d);

    const RDom t(0, parts.slices), u(0, parts.slices);
    const auto at = [&](const RDom &of, int element) {
        std::vector<Expr> indices = {of.x};
        indices.insert(indices.end(), here.begin(), here.end());
        return Expr(moments(indices)[element]);
    };
    const auto count = [&](const RDom &of) { return substitute(slice_args[0].name(), of.x, cast<float>(row.count)); };
    // About one element of the row too: what the threads add up is small, and rounds little.
    std::vector<Expr> in_front = here;
    in_front.insert(in_front.begin(), 0);
    const Expr origin = moments(in_front)[0];
    Func offset(sum.function.name() + "_offset");
    offset(args) = 0.0f;
    offset(args) += select(count(t) > 0, count(t) * (at(t, 0) - origin) + at(t, 1), 0.0f);
    total(args) = sum.init[0] + cast<float>(sum.over[0].extent) * origin + offset(here);
    replace_calls(outputs, sum.function.name(), total);
    // The centre was found from the sum that has just been replaced.
    const Expr found = replace_calls(centre, sum.function.name(), total);
    const Expr shift = at(u, 1) / max(count(u), 1.0f), off = (at(u, 0) - found) + shift;
    const Expr about = at(u, 2) - shift * at(u, 1);
    spread(args) = squares.init[0];
    spread(args) += select(count(u) > 0, not_below_nothing(about) + count(u) * off * off, 0.0f);
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
                const Expr centre = substitute(*back, found->centre);
                const auto parts = row_parts(sum, outputs);
                if (parts && parts->pieces == 1) {
                    sum_in_slices(outputs, sum, *sample, squares, centre, *parts);
                } else {
                    sum_in_one_pass(outputs, sum, *sample, squares, centre);
                }
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

#include "fusion/rewrites/online_softmax.h"

#include <limits>
#include <optional>

#include "fusion/rewrites/reduction_func.h"
#include "fusion/rewrites/row_parts.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// What the sum adds, where that is an exponential of a difference.
const Sub *exponent_of(const ReductionFunc &sum, const std::vector<Function> &outputs, Expr &plain) {
    const auto term = summed_term(sum);
    plain = term ? with_calls_inlined(*term, outputs).value_or(Expr()) : Expr();
    const Call *exponential = plain.as<Call>();
    const bool is_exp = exponential && exponential->is_pure() && exponential->name == "exp_f32";
    return is_exp ? exponential->args[0].as<Sub>() : nullptr;
}

/// The difference is one to the maximum of the same row.
bool subtracts(const Sub &difference, const ReductionFunc &sum, const std::string &maximum) {
    const Call *subtracted = difference.b.as<Call>();
    if (!subtracted || subtracted->name != maximum || mentions(difference.a, maximum)) {
        return false;
    }
    for (size_t d = 0; d < subtracted->args.size(); d++) {
        const Variable *variable = subtracted->args[d].as<Variable>();
        if (!variable || variable->name != sum.function.args()[d]) {
            return false;
        }
    }
    return true;
}

/// Weighs a part of a sum of exponentials for a larger maximum. Equal infinities differ by nothing.
Expr weight(const Expr &own, const Expr &highest) {
    return exp(select(own == highest, 0.0f, own - highest));
}

/// Maximum and sum of what `part` holds along its first dimension, of `parts` points: two reductions over them.
/// `is_last`: of whole rows, in which an infinite maximum makes NaN, as it does where each element is compared with it.
std::pair<Func, Func> fold_parts(const Func &part, int parts, const std::vector<Var> &args, const std::string &name,
                                 const Expr &first_max, const Expr &first_sum, bool is_last) {
    Func highest(name + "_max"), corrected(name + "_corrected");
    const std::vector<Expr> here(args.begin(), args.end());
    const RDom t(0, parts), u(0, parts);
    const auto at = [&](const RDom &of, int element) {
        std::vector<Expr> indices = {of.x};
        indices.insert(indices.end(), here.begin(), here.end());
        return Expr(part(indices)[element]);
    };
    highest(args) = first_max;
    highest(args) = max(highest(here), at(t, 0));
    corrected(args) = first_sum;
    const Expr own = at(u, 0);
    corrected(args) += at(u, 1) * (is_last ? exp(own - highest(here)) : weight(own, highest(here)));
    return {highest, corrected};
}

void sum_online(const std::vector<Function> &outputs, const ReductionFunc &maximum, const ReductionFunc &sum,
                const Expr &sample, const RowParts &parts) {
    const std::vector<Var> args = args_of(sum);
    const std::string &name = sum.function.name();
    const bool is_cut = parts.pieces > 1;
    std::vector<Var> piece_args = args;
    if (is_cut) {
        piece_args.insert(piece_args.begin(), Var("piece"));
    }
    std::vector<Var> slice_args = piece_args;
    slice_args.insert(slice_args.begin(), Var("slice"));
    const std::vector<Expr> in_slice(slice_args.begin(), slice_args.end());
    const SlicedRow row(sum, parts, slice_args);
    const Expr lowest = -std::numeric_limits<float>::infinity();
    const Expr x = select(row.is_inside, substitute(sum.over[0].var, row.at, sample), lowest);
    Func online(name + "_online");
    online(slice_args) = Tuple(lowest, 0.0f);
    const Expr m = online(in_slice)[0], s = online(in_slice)[1];
    // Of the old maximum and the element one is the new maximum.
    const Expr factor = exp(select(x == m, 0.0f, -abs(x - m)));
    online(slice_args) = Tuple(select(x > m, x, m), select(x > m, s * factor + 1.0f, s + factor));
    Func part = online;
    int count = parts.slices;
    if (is_cut) {
        const auto [highest, corrected] = fold_parts(online, count, piece_args, name + "_piece", lowest, 0.0f, false);
        part = Func(name + "_piece");
        const std::vector<Expr> here(piece_args.begin(), piece_args.end());
        part(piece_args) = Tuple(highest(here), corrected(here));
        count = parts.pieces;
    }
    const auto [highest, corrected] = fold_parts(part, count, args, name, maximum.init[0], sum.init[0], true);
    replace_calls(outputs, name, corrected);
    replace_calls(outputs, maximum.function.name(), highest);
}

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    const std::vector<ReductionFunc> reductions = reduction_funcs(outputs);
    for (const ReductionFunc &sum : reductions) {
        Expr term;
        const Sub *difference =
            sum.over.size() == 1 && sum.update[0].type() == Float(32) ? exponent_of(sum, outputs, term) : nullptr;
        for (const ReductionFunc &maximum : reductions) {
            if (!difference || !subtracts(*difference, sum, maximum.function.name())) {
                continue;
            }
            const auto renamed = same_loops(sum, maximum);
            const auto largest = largest_term(maximum);
            const auto compared = renamed && largest ? with_calls_inlined(*largest, outputs) : std::nullopt;
            if (!compared || !equal(substitute(*renamed, *compared), difference->a)) {
                continue;
            }
            if (const auto parts = row_parts(sum, outputs)) {
                sum_online(outputs, maximum, sum, difference->a, *parts);
                return sum.function.name();
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> use_online_softmax(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion

#include "fusion/rewrites/first_index.h"

#include <cmath>
#include <optional>
#include <set>

#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// What the updates say: the elements other than `value` are replaced by payload when `candidate` beats the best so far.
struct Search {
    size_t value = 0;
    Expr candidate;
    std::vector<Expr> payload;  ///< by Tuple element; that of `value` is the candidate
    bool is_largest = true, takes_last = false;
};

bool is_best_so_far(const Expr &e, const ReductionFunc &reduction, int element) {
    const Call *call = e.as<Call>();
    return call && call->call_type == Call::Halide && call->name == reduction.function.name() &&
           call->value_index == element;
}

template<typename Op>
bool match_order(const Expr &condition, bool is_largest, bool takes_last, Search &search, Expr &best) {
    const Op *op = condition.as<Op>();
    if (op) {
        search.candidate = op->a;
        best = op->b;
        search.is_largest = is_largest;
        search.takes_last = takes_last;
    }
    return op != nullptr;
}

/// The comparison with the candidate on the left.
bool match_condition(const Expr &condition, const ReductionFunc &reduction, Search &search, Expr &best) {
    const bool matches =
        match_order<GT>(condition, true, false, search, best) || match_order<GE>(condition, true, true, search, best) ||
        match_order<LT>(condition, false, false, search, best) || match_order<LE>(condition, false, true, search, best);
    if (matches && mentions(search.candidate, reduction.function.name())) {
        std::swap(search.candidate, best);
        search.is_largest = !search.is_largest;
    }
    return matches && !mentions(search.candidate, reduction.function.name());
}

/// Only constants that are ordered before or after everything: with NaN neither form would be what the other is.
bool is_ordered_constant(const Expr &e) {
    const Expr simple = simplify(e);
    const auto real = as_const_float(simple);
    return as_const_int(simple) || as_const_uint(simple) || (real && !std::isnan(*real));
}

std::optional<Search> search_of(const ReductionFunc &reduction) {
    const Select *first = reduction.update[0].as<Select>();
    Search search;
    Expr best;
    if (!first || reduction.update.size() < 2 || reduction.over.size() != 1 ||
        !match_condition(first->condition, reduction, search, best)) {
        return std::nullopt;
    }
    bool has_value = false;
    for (size_t i = 0; i < reduction.update.size(); i++) {
        const Select *select = reduction.update[i].as<Select>();
        if (!select || !equal(select->condition, first->condition) ||
            !is_best_so_far(select->false_value, reduction, (int)i) ||
            mentions(select->true_value, reduction.function.name())) {
            return std::nullopt;
        }
        search.payload.push_back(select->true_value);
        if (is_best_so_far(best, reduction, (int)i) && equal(select->true_value, search.candidate)) {
            search.value = i;
            has_value = true;
        }
    }
    return has_value && is_ordered_constant(reduction.init[search.value]) ? std::make_optional(search) : std::nullopt;
}

/// `read`: the elements that others use.
Func searched_in_two_steps(const ReductionFunc &reduction, const Search &search, const std::set<int> &read) {
    const std::vector<Var> args = args_of(reduction);
    const std::vector<Expr> here(args.begin(), args.end());
    const std::string &name = reduction.function.name();
    const Expr init = reduction.init[search.value];
    Func extreme(name + "_value"), place(name + "_place"), found(name + "_found");
    std::map<std::string, Expr> renamed;
    const RDom r = fresh_domain(reduction, renamed);
    const Expr candidate = substitute(renamed, search.candidate);
    extreme(args) = init;
    extreme(args) = search.is_largest ? max(extreme(here), candidate) : min(extreme(here), candidate);

    renamed.clear();
    const RDom p = fresh_domain(reduction, renamed);
    const Expr again = substitute(renamed, search.candidate);
    const ReductionVariable &over = reduction.over[0];
    const Expr nowhere = search.takes_last ? over.min - 1 : over.min + over.extent;
    const Expr here_or_nowhere = select(again == extreme(here), p.x, nowhere);
    place(args) = nowhere;
    place(args) = search.takes_last ? max(place(here), here_or_nowhere) : min(place(here), here_or_nowhere);

    // Nothing may have beaten what the search began with.
    const Expr beaten = search.takes_last ? place(here) != nowhere : extreme(here) != init;
    const Expr at = clamp(place(here), over.min, over.min + over.extent - 1);
    std::vector<Expr> values;
    for (size_t i = 0; i < search.payload.size(); i++) {
        if (!read.count((int)i)) {
            values.push_back(make_zero(reduction.init[i].type()));
            continue;
        }
        values.push_back(i == search.value
                             ? extreme(here)
                             : select(beaten, substitute(over.var, at, search.payload[i]), reduction.init[i]));
    }
    found(args) = Tuple(values);
    return found;
}

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    for (const ReductionFunc &reduction : reduction_funcs(outputs)) {
        if (const auto search = search_of(reduction)) {
            const std::set<int> read = elements_read(outputs, reduction.function.name());
            replace_calls(outputs, reduction.function.name(), searched_in_two_steps(reduction, *search, read));
            return reduction.function.name();
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> use_first_index(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion

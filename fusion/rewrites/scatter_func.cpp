#include "fusion/rewrites/scatter_func.h"

#include <algorithm>
#include <cmath>

#include "fusion/halide/reassociate.h"
#include "fusion/halide/regions.h"
#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// The numbers that an index can be, whatever the sizes.
std::optional<Numbers> numbers_of(const Expr &index, const std::vector<ReductionVariable> &over,
                                  const FuncValueBounds &value_bounds) {
    Scope<Interval> scope;
    for (const ReductionVariable &variable : over) {
        scope.push(variable.var, Interval(variable.min, simplify(variable.min + variable.extent - 1)));
    }
    const Interval range = bounds_of_expr_in_scope(index, scope, value_bounds);
    if (!range.is_bounded()) {
        return std::nullopt;
    }
    const Expr low = find_constant_bound(simplify(range.min), Direction::Lower, Scope<Interval>()),
               high = find_constant_bound(simplify(range.max), Direction::Upper, Scope<Interval>());
    const auto first = low.defined() ? as_const_int(low) : std::nullopt;
    const auto last = high.defined() ? as_const_int(high) : std::nullopt;
    if (!first || !last || *first > *last) {
        return std::nullopt;
    }
    return Numbers{*first, *last};
}

/// Both folded into one value give the value itself.
bool is_idempotent(const Expr &op) {
    const auto *call = op.as<Call>();
    return op.as<Min>() || op.as<Max>() || op.as<And>() || op.as<Or>() ||
           (call && (call->is_intrinsic(Call::bitwise_and) || call->is_intrinsic(Call::bitwise_or)));
}

bool is_infinite(const Expr &e) {
    const auto *number = e.as<FloatImm>();
    return number && std::isinf(number->value);
}

std::optional<ScatterFunc> scatter_of(const Function &f, const FuncValueBounds &value_bounds) {
    if (f.outputs() != 1) {
        return std::nullopt;
    }
    const Definition &update = f.update(0);
    ScatterFunc scatter;
    scatter.function = f;
    scatter.over = update.schedule().rvars();
    scatter.condition = substitute_in_all_lets(update.predicate());
    scatter.init = substitute_in_all_lets(f.values()[0]);
    const std::vector<int> kept = independent_dims(f, update);
    if (!update.specializations().empty()) {
        return std::nullopt;
    }
    for (int d = 0; d < f.dimensions(); d++) {
        const bool is_kept = std::count(kept.begin(), kept.end(), d) > 0;
        scatter.place.push_back(substitute_in_all_lets(update.args()[d]));
        scatter.places.push_back(is_kept ? std::nullopt : numbers_of(scatter.place[d], scatter.over, value_bounds));
        if (mentions(scatter.place[d], f.name()) || (!is_kept && !scatter.places[d])) {
            return std::nullopt;
        }
    }
    if (mentions(scatter.condition, f.name())) {
        return std::nullopt;  // what a step does depends on those before
    }
    const AssociativeOp proof =
        prove_associativity(f.name(), scatter.place, {substitute_in_all_lets(update.values()[0])});
    if (!proof.associative() || !proof.commutative() || proof.xs[0].var.empty()) {
        return std::nullopt;
    }
    const Expr pattern = proof.pattern.ops[0], identity = proof.pattern.identities[0];
    scatter.term = proof.ys[0].expr;
    const bool adds = pattern.as<Add>() != nullptr;
    scatter.op = [=, own = proof.xs[0].var, other = proof.ys[0].var](const Expr &a, const Expr &b) {
        return adds ? a + b : substitute(std::map<std::string, Expr>{{own, a}, {other, b}}, pattern);
    };
    const Type type = scatter.init.type();
    scatter.is_atomic = adds && type.is_int_or_uint() && type.bits() >= 8 && type.bits() <= 32;
    scatter.of_part = scatter.is_atomic && type.bits() < 32 ? UInt(32) : type;
    // The PTX back end assumes that there are no infinities.
    scatter.is_idempotent = is_idempotent(pattern);
    scatter.identity = is_infinite(identity) ? Expr() : identity;
    scatter.start = scatter.identity.defined() ? identity : scatter.init;
    const bool is_known = scatter.term.defined() && (scatter.is_idempotent || scatter.identity.defined());
    return is_known ? std::make_optional(scatter) : std::nullopt;
}

}  // namespace

double ScatterFunc::entries() const {
    double entries = 1;
    for (const auto &along : places) {
        entries *= along ? (double)along->count() : 1;
    }
    return entries;
}

std::vector<ScatterFunc> scatter_funcs(const std::vector<Function> &outputs) {
    std::vector<Function> tables = replaceable_funcs(outputs);
    std::erase_if(tables, [](const Function &f) {
        return f.updates().size() != 1 || f.update(0).schedule().rvars().empty() ||
               (int)independent_dims(f, f.update(0)).size() == f.dimensions();
    });
    std::vector<ScatterFunc> found;
    if (tables.empty()) {
        return found;
    }
    const std::map<std::string, Function> reached = build_environment(outputs);
    std::vector<Function> all;
    for (const std::string &name : topological_order(outputs, reached)) {
        all.push_back(reached.at(name));
    }
    const FuncValueBounds value_bounds = value_bounds_of(all);
    for (const Function &f : tables) {
        if (const auto scatter = scatter_of(f, value_bounds)) {
            found.push_back(*scatter);
        }
    }
    return found;
}

}  // namespace fusion

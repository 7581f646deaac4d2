#include "fusion/rewrites/scan_func.h"

#include <algorithm>
#include <cmath>

#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// The operators that a scan may have, by the node of their IR.
template<typename Op>
Expr combined(const Expr &a, const Expr &b) {
    return Op::make(a, b);
}

template<Call::IntrinsicOp Bits>
Expr combined_bits(const Expr &a, const Expr &b) {
    return Call::make(a.type(), Bits, {a, b}, Call::PureIntrinsic);
}

Expr zero(const Type &type) {
    return make_zero(type);
}

Expr one(const Type &type) {
    return make_one(type);
}

Expr all_bits(const Type &type) {
    return type.is_bool() ? make_one(type) : ~make_zero(type);
}

Expr least(const Type &type) {
    return type.is_float() ? Expr() : type.min();
}

Expr most(const Type &type) {
    return type.is_float() ? Expr() : type.max();
}

struct Operator {
    Expr (*identity)(const Type &);
    Expr (*combine)(const Expr &, const Expr &);
    /// The operands where `e` is one.
    std::optional<std::pair<Expr, Expr>> (*operands)(const Expr &e);
};

template<typename Op>
std::optional<std::pair<Expr, Expr>> operands_of(const Expr &e) {
    const Op *op = e.as<Op>();
    return op ? std::make_optional(std::make_pair(op->a, op->b)) : std::nullopt;
}

template<Call::IntrinsicOp Bits>
std::optional<std::pair<Expr, Expr>> operands_of_bits(const Expr &e) {
    const Call *call = e.as<Call>();
    return call && call->is_intrinsic(Bits) ? std::make_optional(std::make_pair(call->args[0], call->args[1]))
                                            : std::nullopt;
}

template<typename Op>
constexpr Operator plain(Expr (*identity)(const Type &)) {
    return {identity, combined<Op>, operands_of<Op>};
}

template<Call::IntrinsicOp Bits>
constexpr Operator bits(Expr (*identity)(const Type &)) {
    return {identity, combined_bits<Bits>, operands_of_bits<Bits>};
}

constexpr Operator kOperators[] = {plain<Add>(zero),
                                   plain<Mul>(one),
                                   plain<Min>(most),
                                   plain<Max>(least),
                                   plain<And>(one),
                                   plain<Or>(zero),
                                   bits<Call::bitwise_and>(all_bits),
                                   bits<Call::bitwise_or>(zero),
                                   bits<Call::bitwise_xor>(zero)};

void flatten(const Operator &op, const Expr &e, std::vector<Expr> &into) {
    if (const auto operands = op.operands(e)) {
        flatten(op, operands->first, into);
        flatten(op, operands->second, into);
    } else {
        into.push_back(e);
    }
}

/// Every call of the Func is at these places.
class CallsOnlyAt : public IRGraphVisitor {
public:
    CallsOnlyAt(const std::string &name, const std::vector<Expr> &places) : name(name), places(places) {}
    bool holds = true;

private:
    const std::string &name;
    const std::vector<Expr> &places;
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == name) {
            for (size_t d = 0; d < places.size(); d++) {
                holds = holds && is_const_zero(simplify(op->args[d] - places[d]));
            }
        }
        IRGraphVisitor::visit(op);
    }
};

/// Variables of loops, and what data say.
class FindMoving : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override { found |= !op->param.defined(); }
    void visit(const Call *op) override {
        found |= op->call_type == Call::Halide || op->call_type == Call::Image;
        IRGraphVisitor::visit(op);
    }
};

bool is_fixed(const Expr &e) {
    FindMoving moving;
    e.accept(&moving);
    return !moving.found;
}

/// Where the update walks: the one dimension that has no pure variable, at a step of 1 or -1 a step of the RDom.
bool find_walk(const Definition &update, ScanFunc &scan) {
    const Expr r = Variable::make(Int(32), scan.over.var);
    scan.dim = -1;
    for (int d = 0; d < (int)update.args().size(); d++) {
        const Variable *variable = update.args()[d].as<Variable>();
        if (variable && variable->name == scan.function.args()[d]) {
            continue;
        }
        if (scan.dim >= 0) {
            return false;
        }
        scan.dim = d;
    }
    for (const int step : {1, -1}) {
        const Expr fixed = scan.dim < 0 ? Expr() : simplify(update.args()[scan.dim] - step * r);
        if (fixed.defined() && is_fixed(fixed)) {
            scan.step = step;
            scan.first = simplify(fixed + step * scan.over.min - step);
            return true;
        }
    }
    return false;
}

/// `e` is the Func at the places before, or that times a factor that is the same for all points.
bool is_before(const Expr &e, const ScanFunc &scan, const std::vector<Expr> &before) {
    const Call *call = e.as<Call>();
    CallsOnlyAt at(scan.function.name(), before);
    return call && call->call_type == Call::Halide && call->name == scan.function.name() && (e.accept(&at), at.holds);
}

/// Not of whole numbers, whose powers overflow where the values themselves do not, nor a number above 1 for the same reason.
bool can_scale(const Expr &factor) {
    const auto number = as_const_float(simplify(factor));
    return is_fixed(factor) && factor.type().is_float() && (!number || std::abs(*number) <= 1);
}

std::optional<Expr> factor_before(const Expr &e, const ScanFunc &scan, const std::vector<Expr> &before) {
    const Mul *mul = e.as<Mul>();
    if (mul && is_before(mul->a, scan, before) && can_scale(mul->b)) {
        return mul->b;
    }
    return mul && is_before(mul->b, scan, before) && can_scale(mul->a) ? std::make_optional(mul->a) : std::nullopt;
}

/// The update in the terms of the Func's own variables and those of its RDom alone: names for parts are put back.
std::optional<ScanFunc> scan_of(const Function &f, int number) {
    const Definition &update = f.update(number);
    const std::vector<ReductionVariable> &over = update.schedule().rvars();
    if (update.values().size() != 1 || over.size() != 1 || !update.specializations().empty() ||
        !is_const_one(simplify(update.predicate()))) {
        return std::nullopt;
    }
    ScanFunc scan;
    scan.function = f;
    scan.update = number;
    scan.over = over[0];
    if (!find_walk(update, scan) || !is_fixed(scan.over.min) || !is_fixed(scan.over.extent)) {
        return std::nullopt;
    }
    const Expr value = substitute_in_all_lets(update.values()[0]);
    std::vector<Expr> before = update.args();
    before[scan.dim] = before[scan.dim] - scan.step;
    for (const Operator &op : kOperators) {
        std::vector<Expr> operands;
        flatten(op, value, operands);
        const auto scales = [&](const Expr &e) {
            return op.operands == operands_of<Add> && factor_before(e, scan, before);
        };
        const auto found = std::find_if(operands.begin(), operands.end(),
                                        [&](const Expr &e) { return is_before(e, scan, before) || scales(e); });
        if (operands.size() < 2 || found == operands.end()) {
            continue;
        }
        scan.factor = scales(*found) ? *factor_before(*found, scan, before) : Expr();
        operands.erase(found);
        scan.term = operands[0];
        for (size_t i = 1; i < operands.size(); i++) {
            scan.term = op.combine(scan.term, operands[i]);
        }
        CallsOnlyAt own(f.name(), update.args());
        scan.term.accept(&own);
        const Call *call = scan.term.as<Call>();
        scan.adds_own = operands.size() == 1 && call && call->name == f.name();
        scan.op = op.combine;
        scan.identity = scan.factor.defined() ? Expr() : op.identity(value.type());
        return own.holds ? std::make_optional(scan) : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

Expr continued(const ScanFunc &scan, const Expr &before, const Expr &value, const Expr &steps, int64_t most_steps) {
    if (!scan.factor.defined()) {
        return scan.op(before, value);
    }
    // The factor to the power of the steps, by squaring.
    Expr power, square = scan.factor;
    for (int bit = 0; most_steps >> bit > 0; bit++) {
        const Expr is_set = simplify((steps >> bit) % 2 == 1);
        if (!is_const_zero(is_set)) {
            const Expr part = simplify(select(is_set, square, make_one(square.type())));
            power = power.defined() ? power * part : part;
        }
        square = square * square;
    }
    if (!power.defined()) {
        return scan.op(before, value);
    }
    // Step by step nothing stays nothing, however large the power of a parameter is.
    const bool is_bounded = as_const_float(simplify(scan.factor)).has_value();
    return scan.op(is_bounded ? power * before : select(before == 0, before, power * before), value);
}

std::vector<ScanFunc> scan_funcs(const std::vector<Function> &outputs) {
    std::vector<ScanFunc> scans;
    for (const Function &f : replaceable_funcs(outputs)) {
        // The updates beside it are copied with the domains that their variables name.
        const std::vector<Definition> &updates = f.updates();
        const bool has_conditions = std::any_of(updates.begin(), updates.end(), [&](const Definition &update) {
            return mentions(update.predicate(), f.name());
        });
        for (int number = 0; f.outputs() == 1 && !has_conditions && number < (int)f.updates().size(); number++) {
            const auto scan = scan_of(f, number);
            if (scan) {
                scans.push_back(*scan);
            }
        }
    }
    return scans;
}

}  // namespace fusion

#include "fusion/halide/affine.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "fusion/graph.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

void combine_flags(AffineIndex &into, const AffineIndex &from) {
    into.affine &= from.affine;
    into.divided |= from.divided;
    into.clamped |= from.clamped;
    into.data_dependent |= from.data_dependent;
    into.symbolic |= from.symbolic;
}

AffineIndex sum(AffineIndex a, const AffineIndex &b, int64_t sign) {
    for (const auto &[variable, coefficient] : b.coefficient) {
        a.coefficient[variable] += sign * coefficient;
    }
    a.constant += sign * b.constant;
    combine_flags(a, b);
    std::erase_if(a.coefficient, [](const auto &entry) { return entry.second == 0; });
    return a;
}

AffineIndex scaled(AffineIndex a, int64_t factor) {
    for (auto &entry : a.coefficient) {
        entry.second *= factor;
    }
    a.constant *= factor;
    return a;
}

bool is_loop_invariant(const AffineIndex &a) {
    return a.coefficient.empty() && !a.data_dependent;
}

bool is_plain_constant(const AffineIndex &a) {
    return is_loop_invariant(a) && a.affine && !a.symbolic;
}

/// Everything below depends on the variables of the operands, in an unknown way.
AffineIndex blurred(AffineIndex a, const AffineIndex &b) {
    a = sum(a, b, 1);
    for (const auto &entry : b.coefficient) {
        a.coefficient.try_emplace(entry.first, entry.second);
    }
    a.affine = is_loop_invariant(a);
    a.symbolic = true;
    return a;
}

AffineIndex read_children(const Expr &e) {
    struct Children : IRVisitor {
        AffineIndex all;
        using IRVisitor::visit;
        void visit(const Variable *op) override {
            if (op->param.defined()) {
                all.symbolic = true;
            } else {
                all.coefficient.try_emplace(op->name, 1);
            }
        }
        void visit(const Call *op) override {
            all.data_dependent |= op->call_type == Call::Halide || op->call_type == Call::Image;
            IRVisitor::visit(op);
        }
    } children;
    e.accept(&children);
    children.all.affine = is_loop_invariant(children.all);
    children.all.symbolic = true;
    return children.all;
}

AffineIndex read_clamp(const Expr &a, const Expr &b) {
    const AffineIndex left = read_index(a), right = read_index(b);
    const AffineIndex &moving = is_loop_invariant(right) ? left : right;
    const AffineIndex &bound = is_loop_invariant(right) ? right : left;
    if (!is_loop_invariant(bound)) {
        return blurred(left, right);
    }
    AffineIndex result = moving;
    result.clamped = !is_loop_invariant(moving);
    result.symbolic |= is_loop_invariant(moving);
    return result;
}

/// A cast between integers of 32 bits or more; a narrower one wraps around within the range of an index.
bool keeps_indices(const Cast &cast) {
    const Type &to = cast.type, &from = cast.value.type();
    return to.is_int_or_uint() && from.is_int_or_uint() && to.bits() >= std::min(from.bits(), 32);
}

/// Is its first argument.
bool says_nothing_of_value(const Call &call) {
    return call.is_intrinsic(Call::likely) || call.is_intrinsic(Call::likely_if_innermost) ||
           call.is_intrinsic(Call::unsafe_promise_clamped);
}

}  // namespace

namespace {

std::string text_of(const Expr &e) {
    std::ostringstream out;
    out << e;
    return out.str();
}

/// Of two operands the one that moves and the one that is the same for all loops.
std::optional<std::pair<Expr, Expr>> moving_and_fixed(const Expr &a, const Expr &b) {
    const bool is_a_fixed = is_loop_invariant(read_index(a)), is_b_fixed = is_loop_invariant(read_index(b));
    return is_a_fixed == is_b_fixed ? std::nullopt
           : is_a_fixed             ? std::make_optional(std::make_pair(b, a))
                                    : std::make_optional(std::make_pair(a, b));
}

std::optional<Movement> shifted(const Expr &moving, const Expr &by, int sign) {
    auto movement = movement_of(moving);
    if (movement && as_const_int(by)) {
        movement->low += sign * (double)*as_const_int(by);
        movement->high += sign * (double)*as_const_int(by);
    } else if (movement) {
        movement->shape += (sign > 0 ? "+" : "-") + text_of(by);
    }
    return movement;
}

std::optional<Movement> scaled_up(const Expr &moving, const Expr &by) {
    auto movement = movement_of(moving);
    const auto factor = as_const_int(by);
    if (!movement || !factor || *factor < 1) {
        return std::nullopt;
    }
    movement->steps *= *factor;
    movement->low *= (double)*factor;
    movement->high *= (double)*factor;
    return movement;
}

std::optional<Movement> scaled_down(const Expr &moving, const Expr &by) {
    auto movement = movement_of(moving);
    const auto divisor = as_const_int(by);
    if (!movement || !divisor || *divisor < 1) {
        return std::nullopt;
    }
    movement->of *= *divisor;
    movement->low = (movement->low - (double)(*divisor - 1)) / (double)*divisor;
    movement->high /= (double)*divisor;
    movement->shape += "/" + text_of(by);
    return movement;
}

std::optional<Movement> clamped(const Expr &moving, const Expr &to, const char *name) {
    auto movement = movement_of(moving);
    if (movement) {
        movement->is_clamped = true;
        movement->shape += name + text_of(to);
    }
    return movement;
}

}  // namespace

std::optional<Movement> movement_of(const Expr &index) {
    if (index.type().bits() < 32 || !index.type().is_int()) {
        return std::nullopt;
    }
    if (const auto *v = index.as<Variable>()) {
        return v->param.defined() ? std::nullopt : std::make_optional(Movement{.variable = v->name, .shape = ""});
    }
    if (const auto *add = index.as<Add>()) {
        const auto operands = moving_and_fixed(add->a, add->b);
        return operands ? shifted(operands->first, operands->second, 1) : std::nullopt;
    }
    if (const auto *sub = index.as<Sub>()) {
        return is_loop_invariant(read_index(sub->b)) ? shifted(sub->a, sub->b, -1) : std::nullopt;
    }
    if (const auto *mul = index.as<Mul>()) {
        const auto operands = moving_and_fixed(mul->a, mul->b);
        return operands ? scaled_up(operands->first, operands->second) : std::nullopt;
    }
    if (const auto *div = index.as<Div>()) {
        return scaled_down(div->a, div->b);
    }
    if (const auto *min = index.as<Min>()) {
        const auto operands = moving_and_fixed(min->a, min->b);
        return operands ? clamped(operands->first, operands->second, "min") : std::nullopt;
    }
    if (const auto *max = index.as<Max>()) {
        const auto operands = moving_and_fixed(max->a, max->b);
        return operands ? clamped(operands->first, operands->second, "max") : std::nullopt;
    }
    if (const auto *call = index.as<Call>(); call && says_nothing_of_value(*call)) {
        return movement_of(call->args[0]);
    }
    return std::nullopt;
}

AffineIndex read_index(const Expr &index) {
    AffineIndex result;
    if (const auto c = as_const_int(index); c) {
        result.constant = *c;
    } else if (const auto u = as_const_uint(index); u) {
        result.constant = (int64_t)*u;
    } else if (const auto *v = index.as<Variable>()) {
        if (v->param.defined()) {
            result.symbolic = true;
        } else {
            result.coefficient[v->name] = 1;
        }
    } else if (const auto *add = index.as<Add>()) {
        result = sum(read_index(add->a), read_index(add->b), 1);
    } else if (const auto *sub = index.as<Sub>()) {
        result = sum(read_index(sub->a), read_index(sub->b), -1);
    } else if (const auto *mul = index.as<Mul>()) {
        const AffineIndex a = read_index(mul->a), b = read_index(mul->b);
        if (is_plain_constant(b)) {
            result = scaled(a, b.constant);
        } else if (is_plain_constant(a)) {
            result = scaled(b, a.constant);
        } else {
            result = blurred(a, b);
        }
    } else if (const auto *cast = index.as<Cast>(); cast && keeps_indices(*cast)) {
        result = read_index(cast->value);
    } else if (const auto *min = index.as<Min>()) {
        result = read_clamp(min->a, min->b);
    } else if (const auto *max = index.as<Max>()) {
        result = read_clamp(max->a, max->b);
    } else if (const auto *call = index.as<Call>(); call && says_nothing_of_value(*call)) {
        result = read_index(call->args[0]);
    } else {
        const Expr divided = index.as<Div>() ? index.as<Div>()->a : index.as<Mod>() ? index.as<Mod>()->a : Expr();
        result = read_children(index);
        result.divided = divided.defined() && !result.data_dependent;
    }
    return result;
}

uint64_t loops_in(const Expr &index, const std::vector<std::string> &loops) {
    struct Loops : IRGraphVisitor {
        std::set<std::string> names;
        using IRGraphVisitor::visit;
        void visit(const Variable *op) override {
            if (!op->param.defined()) {
                names.insert(op->name);
            }
        }
    } mentioned;
    index.accept(&mentioned);
    uint64_t found = 0;
    for (const std::string &name : mentioned.names) {
        const auto at = std::find(loops.begin(), loops.end(), name);
        found |= at == loops.end() ? ~uint64_t(0) : Share::bit((size_t)(at - loops.begin()));
    }
    return found;
}

}  // namespace fusion

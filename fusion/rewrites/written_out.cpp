#include "fusion/rewrites/written_out.h"

#include <cmath>
#include <optional>

#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// Points of the domain: each is an expression of its own, in every branch that a schedule has.
constexpr int64_t kMostPoints = 32;

/// Replaces the calls of a Func and counts them.
class ReplaceSelf : public IRMutator {
public:
    ReplaceSelf(const std::string &name, const Expr &value) : name(name), value(value) {}
    int found = 0;

private:
    const std::string &name;
    const Expr value;
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == name) {
            found++;
            return value;
        }
        return IRMutator::visit(op);
    }
};

struct Steps {
    std::vector<int64_t> min, extent;
    int64_t points = 1;
};

/// The domain where its size is constant and small.
std::optional<Steps> steps_of(const ReductionFunc &reduction) {
    Steps steps;
    for (const ReductionVariable &variable : reduction.over) {
        const auto min = as_const_int(simplify(variable.min)), extent = as_const_int(simplify(variable.extent));
        if (!min || !extent || *extent < 1 || *extent > kMostPoints) {
            return std::nullopt;
        }
        steps.min.push_back(*min);
        steps.extent.push_back(*extent);
        steps.points *= *extent;
    }
    return steps.points <= kMostPoints ? std::make_optional(steps) : std::nullopt;
}

/// The first step of a maximum that begins with minus infinity (a minimum with plus infinity): the value itself. Of an infinity
/// that stays, Halide 21 makes v - max(-inf, v) no number.
Expr first_of_extremes(const Expr &step, const std::string &self, const Expr &init) {
    const auto *start = init.as<FloatImm>();
    const auto *greater = step.as<Max>();
    const auto *smaller = step.as<Min>();
    if (!start || !std::isinf(start->value) || !(start->value < 0 ? greater != nullptr : smaller != nullptr)) {
        return Expr();
    }
    const Expr a = greater ? greater->a : smaller->a, b = greater ? greater->b : smaller->b;
    const auto is_self = [&](const Expr &e) { return e.as<Call>() && e.as<Call>()->name == self; };
    return is_self(a) ? b : is_self(b) ? a : Expr();
}

std::optional<Func> written_out(const ReductionFunc &reduction) {
    const std::optional<Steps> steps = steps_of(reduction);
    // Halide 21 writes an infinity in float64, where a minimum begins, as one in float32: OpenCL C then finds no min of both.
    if (!steps || reduction.update.size() != 1 || reduction.update[0].type() == Float(64)) {
        return std::nullopt;
    }
    Expr value = reduction.init[0];
    for (int64_t step = 0; step < steps->points; step++) {
        std::map<std::string, Expr> here;
        int64_t left = step;  // the first variable of a domain runs fastest
        for (size_t r = 0; r < reduction.over.size(); r++) {
            here[reduction.over[r].var] = Expr((int)(steps->min[r] + left % steps->extent[r]));
            left /= steps->extent[r];
        }
        const Expr one = simplify(substitute(here, reduction.update[0]));
        const Expr alone =
            step == 0 ? first_of_extremes(one, reduction.function.name(), simplify(reduction.init[0])) : Expr();
        if (alone.defined()) {
            value = alone;
            continue;
        }
        ReplaceSelf so_far(reduction.function.name(), value);
        value = so_far.mutate(one);
        if (so_far.found != 1) {
            return std::nullopt;
        }
    }
    Func whole(reduction.function.name() + "_written_out");
    whole(args_of(reduction)) = value;
    return whole;
}

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    for (const ReductionFunc &reduction : reduction_funcs(outputs)) {
        if (const auto whole = written_out(reduction)) {
            replace_calls(outputs, reduction.function.name(), *whole);
            return reduction.function.name();
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> write_out_reductions(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion

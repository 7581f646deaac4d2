#include "fusion/halide/reassociate.h"

#include <algorithm>
#include <set>

#include "fusion/halide/mentions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class HoldsSelect : public IRVisitor {
public:
    bool found = false;

private:
    using IRVisitor::visit;
    void visit(const Select *) override { found = true; }
};

bool selects(const std::vector<Expr> &values) {
    HoldsSelect holds;
    for (const Expr &value : values) {
        value.accept(&holds);
    }
    return holds.found;
}

/// Steps of an update that are written out where they make places numbers. A guess.
constexpr int64_t kMostSteps = 64;

/// The places of all calls of a Func but in `free` dimensions.
class SeePlaces : public IRVisitor {
public:
    SeePlaces(const std::string &name, std::vector<int> free) : name(name), free(std::move(free)) {}
    Places places = Places::Own;
    std::set<std::string> variables;  ///< of loops, in places

    void see(const std::vector<Expr> &args) {
        for (int d = 0; d < (int)args.size(); d++) {
            if (std::count(free.begin(), free.end(), d) || as_const_int(simplify(args[d]))) {
                continue;
            }
            Mentioned mentioned(args[d]);
            places = std::max(places, mentioned.reads ? Places::Data : Places::Loops);
            variables.merge(mentioned.variables);
        }
    }

private:
    const std::string &name;
    const std::vector<int> free;
    using IRVisitor::visit;
    void visit(const Call *op) override {
        if (op->call_type == Call::Halide && op->name == name) {
            see(op->args);
        }
        IRVisitor::visit(op);
    }
};

bool folds_each_point(const Function &f, const Definition &update) {
    return !update.schedule().rvars().empty() && update.specializations().empty() &&
           (int)independent_dims(f, update).size() == f.dimensions();
}

/// By Halide's own proof.
AssociativeOp proof_of(const Function &f, const Definition &update) {
    return prove_associativity(f.name(), update.args(), update.values());
}

bool folds_in_any_order(const AssociativeOp &op) {
    return op.associative() && op.commutative() &&
           std::all_of(op.xs.begin(), op.xs.end(), [](const auto &x) { return !x.var.empty(); });
}

}  // namespace

bool has_data_in_predicate(const Definition &update) {
    return Mentioned(update.predicate()).reads;
}

bool folds(const Function &f, const Definition &update) {
    return folds_each_point(f, update) && (!has_data_in_predicate(update) || is_reassociable(f, update));
}

bool is_reassociable(const Function &f, const Definition &update) {
    return folds_each_point(f, update) && folds_in_any_order(proof_of(f, update)) &&
           (update.values().size() == 1 || !selects(update.values()));
}

bool scatters(const Function &f, const Definition &update, const FuncValueBounds &value_bounds) {
    const Type type = update.values()[0].type();
    const bool may_scatter = !update.schedule().rvars().empty() && update.specializations().empty() &&
                             update.values().size() == 1 && !folds_each_point(f, update) && type.is_int_or_uint() &&
                             type.bits() == 32;
    if (!may_scatter) {
        return false;
    }
    const bool is_bounded = std::all_of(update.args().begin(), update.args().end(), [&](const Expr &arg) {
        const Interval range = bounds_of_expr_in_scope(arg, Scope<Interval>(), value_bounds);
        return !Mentioned(arg).reads || (range.is_bounded() && find_constant_bounds(range.min, {}).is_bounded() &&
                                         find_constant_bounds(range.max, {}).is_bounded());
    });
    const AssociativeOp op = proof_of(f, update);
    return is_bounded && folds_in_any_order(op) && op.pattern.ops[0].as<Add>();
}

std::vector<int> independent_dims(const Function &f, const Definition &definition) {
    std::vector<int> dims;
    for (int d = 0; d < f.dimensions(); d++) {
        const Variable *variable = definition.args()[d].as<Variable>();
        if (variable && variable->name == f.args()[d]) {
            dims.push_back(d);
        }
    }
    return dims;
}

std::vector<int> unordered_rvars(const Definition &definition) {
    const std::vector<ReductionVariable> &rvars = definition.schedule().rvars();
    std::vector<int> unordered;
    for (size_t r = 0; r < rvars.size(); r++) {
        for (const Dim &dim : definition.schedule().dims()) {
            if (dim.var == rvars[r].var && dim.is_pure()) {
                unordered.push_back((int)r);
            }
        }
    }
    return unordered;
}

namespace {

SeePlaces see_places(const Function &f, const Definition &definition) {
    SeePlaces seen(f.name(), independent_dims(f, definition));
    seen.see(definition.args());
    for (const Expr &value : definition.values()) {
        value.accept(&seen);
    }
    return seen;
}

}  // namespace

std::vector<int> rvars_of_places(const Function &f, const Definition &definition) {
    const std::set<std::string> variables = see_places(f, definition).variables;
    std::vector<int> found;
    for (size_t r = 0; r < definition.schedule().rvars().size(); r++) {
        if (variables.count(definition.schedule().rvars()[r].var)) {
            found.push_back((int)r);
        }
    }
    return found;
}

Places places_of(const Function &f, const Definition &definition) {
    const SeePlaces seen = see_places(f, definition);
    if (seen.places != Places::Loops) {
        return seen.places;
    }
    const std::vector<int> rvars = rvars_of_places(f, definition);
    int64_t steps = rvars.size() == seen.variables.size() ? 1 : kMostSteps + 1;
    for (const int r : rvars) {
        const ReductionVariable &rvar = definition.schedule().rvars()[r];
        const auto min = as_const_int(simplify(rvar.min)), extent = as_const_int(simplify(rvar.extent));
        steps *= min && extent && *extent > 0 && *extent <= kMostSteps ? *extent : kMostSteps + 1;
    }
    return steps <= kMostSteps ? Places::Own : Places::Loops;
}

bool rounds(const Definition &update) {
    const std::vector<Expr> &values = update.values();
    return std::any_of(values.begin(), values.end(), [](const Expr &value) {
        const bool selects_one = value.as<Min>() || value.as<Max>();
        return value.type().is_float() && !selects_one;
    });
}

}  // namespace fusion

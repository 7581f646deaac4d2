#include "fusion/halide/reassociate.h"

#include <algorithm>

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

class ReadsData : public IRVisitor {
public:
    bool found = false;

private:
    using IRVisitor::visit;
    void visit(const Call *op) override {
        found |= op->call_type == Call::Halide || op->call_type == Call::Image;
        IRVisitor::visit(op);
    }
};

bool folds_each_point(const Function &f, const Definition &update) {
    if (update.schedule().rvars().empty() || !update.specializations().empty()) {
        return false;
    }
    for (size_t d = 0; d < update.args().size(); d++) {
        const Variable *variable = update.args()[d].as<Variable>();
        if (!variable || variable->name != f.args()[d]) {
            return false;
        }
    }
    return true;
}

}  // namespace

bool has_data_in_predicate(const Definition &update) {
    ReadsData reads;
    update.predicate().accept(&reads);
    return reads.found;
}

bool folds(const Function &f, const Definition &update) {
    return folds_each_point(f, update) && (!has_data_in_predicate(update) || is_reassociable(f, update));
}

bool is_reassociable(const Function &f, const Definition &update) {
    if (!folds_each_point(f, update)) {
        return false;
    }
    const AssociativeOp op = prove_associativity(f.name(), update.args(), update.values());
    if (!op.associative() || !op.commutative()) {
        return false;
    }
    const bool folds = std::all_of(op.xs.begin(), op.xs.end(), [](const auto &x) { return !x.var.empty(); });
    return folds && (update.values().size() == 1 || !selects(update.values()));
}

bool rounds(const Definition &update) {
    const std::vector<Expr> &values = update.values();
    return std::any_of(values.begin(), values.end(), [](const Expr &value) {
        const bool selects_one = value.as<Min>() || value.as<Max>();
        return value.type().is_float() && !selects_one;
    });
}

}  // namespace fusion

#include <map>
#include <numeric>

#include "fusion/halide/classify_reads.h"
#include "fusion/halide/mentions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// By variable: 1, or what remainders of it are taken of.
class FindVariables : public IRGraphVisitor {
public:
    std::map<std::string, int64_t> found;

private:
    using IRGraphVisitor::visit;
    void visit(const Mod *op) override {
        const auto *variable = op->a.as<Variable>();
        const auto modulus = as_const_int(op->b);
        if (variable && modulus && *modulus > 1) {
            add(variable->name, *modulus);
        } else {
            IRGraphVisitor::visit(op);
        }
    }
    void visit(const Variable *op) override { add(op->name, 1); }
    void visit(const Call *op) override {
        if (op->call_type != Call::Halide && op->call_type != Call::Image) {  // what data choose Halide asks for anyway
            IRGraphVisitor::visit(op);
        }
    }

    void add(const std::string &name, int64_t modulus) {
        const auto [at, is_new] = found.emplace(name, modulus);
        const bool is_plain = modulus == 1 || at->second == 1;
        at->second = is_new ? modulus : is_plain ? 1 : std::lcm(at->second, modulus);
    }
};

class FindChoices : public IRGraphVisitor {
public:
    FindVariables by;

private:
    using IRGraphVisitor::visit;
    void visit(const Select *op) override {
        if (Mentioned(op->true_value).reads || Mentioned(op->false_value).reads) {
            op->condition.accept(&by);
        }
        IRGraphVisitor::visit(op);
    }
    void visit(const Call *op) override {
        if (op->is_intrinsic(Call::if_then_else)) {
            op->args[0].accept(&by);
        }
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::vector<int64_t> choices_by(const std::vector<Expr> &exprs, const std::vector<std::string> &dims) {
    FindChoices choices;
    std::vector<Expr> whole;
    for (const Expr &e : exprs) {
        whole.push_back(substitute_in_all_lets(e));
        whole.back().accept(&choices);
    }
    std::vector<int64_t> moduli;
    for (const std::string &dim : dims) {
        const auto found = choices.by.found.find(dim);
        moduli.push_back(found == choices.by.found.end() ? 0 : found->second);
    }
    return moduli;
}

}  // namespace fusion

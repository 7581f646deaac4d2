#include "fusion/halide/mentions.h"

#include <algorithm>

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class Mention : public IRGraphVisitor {
public:
    explicit Mention(Mentioned &mentioned) : mentioned(mentioned) {}

private:
    Mentioned &mentioned;
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        mentioned.variables.insert(op->name);
        if (op->param.defined() && !op->param.is_buffer()) {
            mentioned.scalars.emplace(op->name, op->param);
        }
    }
    void visit(const Call *op) override {
        mentioned.reads |= op->call_type == Call::Halide || op->call_type == Call::Image;
        IRGraphVisitor::visit(op);
    }
};

class Calls : public IRGraphVisitor {
public:
    std::vector<const Call *> found;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        IRGraphVisitor::visit(op);
        if (op->call_type == Call::Halide || op->call_type == Call::Image) {
            found.push_back(op);
        }
    }
};

}  // namespace

Mentioned::Mentioned(const Expr &e) {
    Mention mention(*this);
    if (e.defined()) {
        e.accept(&mention);
    }
}

bool Mentioned::has(const std::set<std::string> &names) const {
    return std::any_of(names.begin(), names.end(), [&](const std::string &n) { return variables.count(n) > 0; });
}

std::vector<const Call *> calls_in(const std::vector<Expr> &exprs) {
    Calls calls;
    for (const Expr &e : exprs) {
        e.accept(&calls);
    }
    return calls.found;
}

std::vector<Definition> all_definitions(const Function &f) {
    std::vector<Definition> definitions;
    if (!f.has_extern_definition()) {
        definitions = {f.definition()};
        definitions.insert(definitions.end(), f.updates().begin(), f.updates().end());
    }
    return definitions;
}

}  // namespace fusion

#include "fusion/rewrites/reduction_func.h"

#include <algorithm>
#include <set>

#include "fusion/halide/user_schedule.h"
#include "fusion/halide/walk.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// Calls that inlining may go through before a rewrite is given up.
constexpr int kMostInlined = 64;

std::map<std::string, Function> environment(const std::vector<Function> &outputs) {
    return build_environment(outputs);
}

bool is_plain(const Function &f) {
    return !f.has_extern_definition() && !is_scheduled_by_user(f) && !is_bounded_by_user(f) &&
           f.schedule().wrappers().empty();
}

std::optional<ReductionFunc> reduction_of(const Function &f) {
    if (f.updates().size() != 1) {
        return std::nullopt;
    }
    const Definition &update = f.update(0);
    const std::vector<ReductionVariable> &over = update.schedule().rvars();
    if (over.empty() || !update.specializations().empty() || !is_const_one(simplify(update.predicate()))) {
        return std::nullopt;
    }
    for (size_t d = 0; d < update.args().size(); d++) {
        const Variable *variable = update.args()[d].as<Variable>();
        if (!variable || variable->name != f.args()[d]) {
            return std::nullopt;
        }
    }
    ReductionFunc reduction{f, over, f.values(), update.values()};
    for (std::vector<Expr> *values : {&reduction.init, &reduction.update}) {
        for (Expr &value : *values) {
            value = substitute_in_all_lets(value);
        }
    }
    return reduction;
}

const Call *own_call(const Expr &e, const ReductionFunc &reduction) {
    const Call *call = e.as<Call>();
    return call && call->call_type == Call::Halide && call->name == reduction.function.name() ? call : nullptr;
}

template<typename Op>
std::optional<Expr> other_operand(const ReductionFunc &reduction) {
    const Op *op = reduction.update.size() == 1 ? reduction.update[0].as<Op>() : nullptr;
    if (!op) {
        return std::nullopt;
    }
    const bool first = own_call(op->a, reduction), second = own_call(op->b, reduction);
    const Expr term = first ? op->b : op->a;
    return first == second || mentions(term, reduction.function.name()) ? std::nullopt : std::make_optional(term);
}

class Mentions : public IRGraphVisitor {
public:
    explicit Mentions(const std::string &name) : name(name) {}
    bool found = false;

private:
    const std::string &name;
    using IRGraphVisitor::visit;
    void visit(const Variable *op) override { found |= op->name == name; }
    void visit(const Call *op) override {
        found |= op->call_type == Call::Halide && op->name == name;
        IRGraphVisitor::visit(op);
    }
};

/// Replaces calls of pure Funcs by what they compute. Halide's own inliner asks for loop levels, which are not fixed yet.
class Inline : public IRMutator {
public:
    explicit Inline(const std::map<std::string, Function> &funcs) : funcs(funcs) {}
    int left = kMostInlined;

private:
    const std::map<std::string, Function> &funcs;
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRMutator::visit(op);
        const Call *call = e.as<Call>();
        const auto called = call && call->call_type == Call::Halide ? funcs.find(call->name) : funcs.end();
        if (called == funcs.end() || left <= 0) {
            return e;
        }
        const Function &f = called->second;
        if (!is_plain(f) || !f.has_pure_definition() || f.has_update_definition() ||
            !f.definition().specializations().empty()) {
            return e;
        }
        left--;
        std::map<std::string, Expr> here;
        for (size_t i = 0; i < call->args.size(); i++) {
            here[f.args()[i]] = call->args[i];
        }
        return mutate(substitute(here, substitute_in_all_lets(f.values()[call->value_index])));
    }
};

class ReplaceCalls : public IRMutator {
public:
    ReplaceCalls(const std::string &name, const Function &replacement) : name(name), replacement(replacement) {}

private:
    const std::string &name;
    const Function replacement;
    using IRMutator::visit;
    Expr visit(const Call *op) override {
        const Expr e = IRMutator::visit(op);
        const Call *call = e.as<Call>();
        if (!call || call->call_type != Call::Halide || call->name != name) {
            return e;
        }
        return Call::make(replacement, call->args, call->value_index);
    }
};

}  // namespace

std::vector<Function> replaceable_funcs(const std::vector<Function> &outputs) {
    const std::map<std::string, Function> funcs = environment(outputs);
    std::set<std::string> read_by_externs;
    for (const auto &[name, f] : funcs) {
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            if (arg.is_func()) {
                read_by_externs.insert(Function(arg.func).name());
            }
        }
    }
    std::vector<Function> found;
    for (const std::string &name : topological_order(outputs, funcs)) {
        const Function &f = funcs.at(name);
        const auto is_it = [&](const Function &output) { return output.same_as(f); };
        const bool is_output = std::any_of(outputs.begin(), outputs.end(), is_it);
        if (!is_output && !read_by_externs.count(name) && is_plain(f)) {
            found.push_back(f);
        }
    }
    return found;
}

std::vector<ReductionFunc> reduction_funcs(const std::vector<Function> &outputs) {
    std::vector<ReductionFunc> reductions;
    for (const Function &f : replaceable_funcs(outputs)) {
        if (const auto reduction = reduction_of(f)) {
            reductions.push_back(*reduction);
        }
    }
    return reductions;
}

std::vector<std::string> replace_all(const std::vector<Function> &outputs,
                                     std::optional<std::string> (*replace_one)(const std::vector<Function> &outputs)) {
    std::vector<std::string> replaced;
    while (const std::optional<std::string> name = replace_one(outputs)) {
        replaced.push_back(*name);
    }
    return replaced;
}

std::optional<Expr> summed_term(const ReductionFunc &reduction) {
    return other_operand<Add>(reduction);
}

std::optional<Expr> largest_term(const ReductionFunc &reduction) {
    return other_operand<Max>(reduction);
}

std::optional<Expr> with_calls_inlined(const Expr &e, const std::vector<Function> &outputs) {
    const std::map<std::string, Function> funcs = environment(outputs);
    Inline inliner(funcs);
    const Expr inlined = inliner.mutate(e);
    return inliner.left > 0 ? std::make_optional(inlined) : std::nullopt;
}

std::optional<std::map<std::string, Expr>> same_loops(const ReductionFunc &one, const ReductionFunc &other) {
    if (one.over.size() != other.over.size() || one.function.dimensions() != other.function.dimensions()) {
        return std::nullopt;
    }
    std::map<std::string, Expr> renamed;
    for (size_t i = 0; i < one.over.size(); i++) {
        if (!is_const_zero(simplify(one.over[i].min - other.over[i].min)) ||
            !is_const_zero(simplify(one.over[i].extent - other.over[i].extent))) {
            return std::nullopt;
        }
        renamed[other.over[i].var] = Variable::make(Int(32), one.over[i].var);
    }
    for (int d = 0; d < one.function.dimensions(); d++) {
        renamed[other.function.args()[d]] = Variable::make(Int(32), one.function.args()[d]);
    }
    return renamed;
}

bool mentions(const Expr &e, const std::string &name) {
    Mentions mentions(name);
    e.accept(&mentions);
    return mentions.found;
}

std::vector<Var> args_of(const ReductionFunc &reduction) {
    std::vector<Var> args;
    for (const std::string &arg : reduction.function.args()) {
        args.emplace_back(arg);
    }
    return args;
}

RDom fresh_domain(const ReductionFunc &reduction, std::map<std::string, Expr> &renamed) {
    Region region;
    for (const ReductionVariable &variable : reduction.over) {
        region.emplace_back(variable.min, variable.extent);
    }
    const RDom domain(region);
    for (size_t i = 0; i < reduction.over.size(); i++) {
        renamed[reduction.over[i].var] = domain[(int)i];
    }
    return domain;
}

std::set<int> elements_read(const std::vector<Function> &outputs, const std::string &name) {
    std::set<int> elements;
    for (const auto &[unused, f] : environment(outputs)) {
        if (f.name() != name) {
            elements.merge(elements_called(f)[name]);
        }
    }
    return elements;
}

void replace_calls(const std::vector<Function> &outputs, const std::string &name, const Func &replacement) {
    ReplaceCalls replace(name, replacement.function());
    for (auto [unused, f] : environment(outputs)) {
        if (f.name() != name && f.name() != replacement.name() && !f.has_extern_definition()) {
            f.mutate(&replace);
        }
    }
}

Expr replace_calls(const Expr &e, const std::string &name, const Func &replacement) {
    return ReplaceCalls(name, replacement.function()).mutate(e);
}

std::vector<Expr> args_of(const Function &f) {
    std::vector<Expr> args;
    for (const std::string &arg : f.args()) {
        args.push_back(Var(arg));
    }
    return args;
}

std::string plain_name(const std::string &name) {
    return name.substr(0, name.find('$'));
}

}  // namespace fusion

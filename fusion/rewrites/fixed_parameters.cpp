#include "fusion/rewrites/fixed_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "fusion/halide/mentions.h"
#include "fusion/halide/parameter_regions.h"
#include "fusion/halide/read_pipeline.h"
#include "fusion/halide/regions.h"
#include "fusion/halide/user_schedule.h"
#include "fusion/halide/walk.h"
#include "fusion/text.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

using Functions = std::vector<Function>;

/// Parameters become numbers, and what is then a number is worked out.
class Fix : public IRMutator {
public:
    explicit Fix(const std::vector<FixedParameter> &fixed) {
        for (const FixedParameter &f : fixed) {
            values[f.parameter.name()] = f.value;
        }
    }
    using IRMutator::mutate;
    Expr mutate(const Expr &e) override {
        const Expr changed = IRMutator::mutate(e);
        if (changed.same_as(e) || is_const(changed)) {
            return changed;
        }
        const Mentioned mentioned(changed);
        const Expr number = mentioned.variables.empty() && !mentioned.reads ? simplify(changed) : changed;
        return is_const(number) ? number : changed;
    }

private:
    std::map<std::string, Expr> values;
    using IRMutator::visit;
    Expr visit(const Variable *op) override {
        const auto found = op->param.defined() && !op->param.is_buffer() ? values.find(op->name) : values.end();
        return found == values.end() ? Expr(op) : found->second;
    }
};

}  // namespace

std::vector<FixedParameter> parameters_of_sizes(const Functions &outputs) {
    std::map<std::string, Parameter> scalars;
    const auto add = [&](const Expr &e) {
        const Mentioned mentioned(e);
        scalars.insert(mentioned.scalars.begin(), mentioned.scalars.end());
    };
    for (const auto &node : reach(outputs).nodes) {
        for (const Definition &definition : all_definitions(node.function)) {
            for (const ReductionVariable &r : definition.schedule().rvars()) {
                add(r.min);
                add(r.extent);
            }
            const std::vector<Expr> exprs = expressions_and_place(node.function, definition);
            for (const Call *call : calls_in(exprs)) {
                for (const Expr &index : call->args) {
                    add(index);
                }
            }
        }
    }
    std::vector<FixedParameter> fixed;
    for (const auto &[name, parameter] : scalars) {
        // Not a float of 0, to which -0 is equal.
        const Expr value = parameter.estimate();
        if (const Expr number = value.defined() ? simplify(cast(parameter.type(), value)) : value;
            number.defined() && is_const(number) && !(parameter.type().is_float() && is_const_zero(number))) {
            fixed.push_back({parameter, number});
        }
    }
    return fixed;
}

Decision can_choose(const Functions &outputs, const std::vector<FixedParameter> &fixed) {
    const auto nodes = reach(outputs).nodes;
    for (const auto &node : nodes) {
        const Function &f = node.function;
        const std::string name = display_names({f.name()})[0];
        if (f.has_extern_definition() || is_scheduled_by_user(f) || !f.schedule().wrappers().empty()) {
            return Decision::forbid(name + " is extern, or its author has scheduled it");
        }
        for (const auto &[read, elements] : elements_called(f)) {
            const auto is_it = [&name = read](const Function &output) { return output.name() == name; };
            if (read != f.name() && std::any_of(outputs.begin(), outputs.end(), is_it)) {
                return Decision::forbid(name + " reads an output");
            }
        }
    }
    for (const Function &output : outputs) {
        if (output.has_update_definition()) {
            return Decision::forbid("output " + output.name() + " has updates");
        }
    }
    std::set<std::string> names;
    for (const FixedParameter &f : fixed) {
        names.insert(f.parameter.name());
    }
    if (decide_how_much_is_read(nodes, names)) {
        return Decision::forbid("the sizes decide how much of an input a caller has to bring");
    }
    return Decision::allow();
}

Functions with_fixed(const Functions &outputs, const std::vector<FixedParameter> &fixed) {
    const std::map<std::string, Function> environment = build_environment(outputs);
    std::map<FunctionPtr, FunctionPtr> copies;
    for (const auto &[name, f] : environment) {
        const auto is_it = [&f = f](const Function &output) { return output.same_as(f); };
        // An output keeps its name, by which its buffers are known; the copy of it is never part of the other pipeline.
        const bool is_output = std::any_of(outputs.begin(), outputs.end(), is_it);
        const std::string copy = is_output ? name : unique_name(name.substr(0, name.find('$')));
        copies[f.get_contents()] = Function(copy).get_contents();
    }
    const std::map<FunctionPtr, FunctionPtr> originals = copies;
    Fix fix(fixed);
    for (const auto &[original, copy] : originals) {
        Function function(copy);
        std::map<FunctionPtr, FunctionPtr> calls = originals;
        Function(original).deep_copy(function.name(), copy, copies);
        calls[original].weaken();  // an update that reads its own Func
        function.substitute_calls(calls);
        function.mutate(&fix);
    }
    Functions result;
    for (const Function &output : outputs) {
        result.emplace_back(originals.at(output.get_contents()));
    }
    return result;
}

void choose_fixed(const Functions &outputs, const Functions &copies, const std::vector<FixedParameter> &fixed) {
    Expr is_fixed;
    for (const FixedParameter &f : fixed) {
        const Expr is_it = Variable::make(f.parameter.type(), f.parameter.name(), f.parameter) == f.value;
        is_fixed = is_fixed.defined() ? is_fixed && is_it : is_it;
    }
    // Not bare: of a specialised branch for "p == 7" Halide 21 replaces p within, and tells the other branch nothing.
    is_fixed = likely(is_fixed);
    for (size_t i = 0; i < outputs.size(); i++) {
        Function output = outputs[i];
        for (size_t element = 0; element < output.values().size(); element++) {
            Expr &value = output.definition().values()[element];
            value = Select::make(is_fixed, copies[i].values()[element], value);
        }
    }
}

void choose_no_more(const Functions &outputs) {
    for (Function output : outputs) {
        for (Expr &value : output.definition().values()) {
            value = value.as<Select>()->false_value;
        }
    }
}

std::string text_of(const std::vector<FixedParameter> &fixed) {
    std::vector<std::string> parts;
    for (const FixedParameter &f : fixed) {
        std::ostringstream text;
        text << display_names({f.parameter.name()})[0] << " = " << f.value;
        parts.push_back(text.str());
    }
    return join(parts, " and ");
}

}  // namespace fusion

#include "fusion/halide/regions.h"

#include <algorithm>
#include <memory>

#include "fusion/error.h"
#include "fusion/text.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// Of dimension `d` of a buffer: what the user has fixed goes before what the user expects.
Expr fixed_or(const Expr &fixed, const Expr &estimate) {
    return fixed.defined() && as_const_int(simplify(fixed)) ? fixed : estimate;
}

Expr min_of(const Parameter &buffer, int d) {
    return fixed_or(buffer.min_constraint(d), buffer.min_constraint_estimate(d));
}

Expr extent_of(const Parameter &buffer, int d) {
    return fixed_or(buffer.extent_constraint(d), buffer.extent_constraint_estimate(d));
}

/// Parameters replaced by their estimates.
class AtEstimates : public IRMutator {
    using IRMutator::visit;

    Expr visit(const Variable *op) override {
        if (!op->param.defined()) {
            return op;
        }
        Expr estimate;
        std::string wanted = "an estimate";
        if (!op->param.is_buffer()) {
            estimate = op->param.estimate();
            wanted = "set_estimate(value)";
        } else {
            for (int d = 0; d < op->param.dimensions(); d++) {
                const std::string suffix = "." + std::to_string(d);
                wanted = "dim(" + std::to_string(d) + ").set_estimate(min, extent)";
                if (op->name == op->param.name() + ".min" + suffix) {
                    estimate = min_of(op->param, d);
                    break;
                }
                if (op->name == op->param.name() + ".extent" + suffix) {
                    estimate = extent_of(op->param, d);
                    break;
                }
            }
        }
        if (!estimate.defined()) {
            throw UserError("Parameter \"" + op->param.name() +
                            "\" decides the size of a stage but has no estimate (seen: " + op->name +
                            "). Next step: call " + op->param.name() + "." + wanted + ".");
        }
        return cast(op->type, estimate);
    }
};

std::optional<std::vector<Extent>> as_region(const Box &box) {
    std::vector<Extent> region;
    for (size_t d = 0; d < box.size(); d++) {
        if (!box[d].is_bounded()) {
            return std::nullopt;
        }
        const auto min = at_estimates(box[d].min), max = at_estimates(box[d].max);
        if (!min || !max) {
            return std::nullopt;
        }
        region.push_back({"", *min, std::max<int64_t>(*max - *min + 1, 0)});
    }
    return region;
}

std::unique_ptr<Scope<Interval>> scope_of(const std::vector<Extent> &dims, const std::vector<Extent> &reduction) {
    auto scope = std::make_unique<Scope<Interval>>();
    for (const auto *list : {&dims, &reduction}) {
        for (const Extent &dim : *list) {
            scope->push(dim.name, Interval(Expr((int)dim.min), Expr((int)(dim.min + dim.extent - 1))));
        }
    }
    return scope;
}

std::vector<Extent> estimated_output(const Function &f) {
    std::vector<Extent> region;
    for (int d = 0; d < f.dimensions(); d++) {
        const std::string &dim = f.args()[d];
        const Parameter &buffer = f.output_buffers()[0];
        Expr min = min_of(buffer, d), extent = extent_of(buffer, d);
        for (const Bound &bound : f.schedule().estimates()) {
            if (bound.var == dim) {
                min = fixed_or(buffer.min_constraint(d), bound.min);
                extent = fixed_or(buffer.extent_constraint(d), bound.extent);
            }
        }
        for (const Bound &bound : f.schedule().bounds()) {
            if (bound.var == dim) {
                min = fixed_or(bound.min, min);
                extent = fixed_or(bound.extent, extent);
            }
        }
        if (!extent.defined()) {
            throw UserError("Output Func \"" + f.name() + "\" has no estimate for dimension " + std::to_string(d) +
                            " (" + dim + "). Next step: call " + f.name() + ".set_estimate(" + dim + ", min, extent).");
        }
        const auto low = at_estimates(min.defined() ? min : 0), size = at_estimates(extent);
        if (!low || !size) {
            throw UserError("The estimate of dimension " + dim + " of output Func \"" + f.name() +
                            "\" is not a number. Next step: give set_estimate constants.");
        }
        region.push_back({dim, *low, *size});
    }
    return region;
}

void merge(std::optional<std::vector<Extent>> &into, const std::optional<std::vector<Extent>> &from) {
    if (!into || !from) {
        into = std::nullopt;
        return;
    }
    for (size_t d = 0; d < into->size(); d++) {
        Extent &a = (*into)[d];
        const Extent &b = (*from)[d];
        const int64_t end = std::max(a.min + a.extent, b.min + b.extent);
        a.min = std::min(a.min, b.min);
        a.extent = end - a.min;
    }
}

}  // namespace

std::optional<int64_t> at_estimates(const Expr &e) {
    const auto value = as_const_int(simplify(AtEstimates().mutate(e)));
    return value ? std::optional<int64_t>(*value) : std::nullopt;
}

std::vector<Expr> expressions_of(const Definition &definition) {
    std::vector<Expr> exprs = definition.values();
    exprs.insert(exprs.end(), definition.args().begin(), definition.args().end());
    if (definition.predicate().defined()) {
        exprs.push_back(definition.predicate());
    }
    return exprs;
}

std::vector<Expr> expressions_and_place(const Function &f, const Definition &definition) {
    std::vector<Expr> exprs = expressions_of(definition);
    exprs.push_back(Call::make(Int(32), f.name(), definition.args(), Call::Halide));
    return exprs;
}

std::vector<Extent> reduction_dims(const Definition &definition) {
    std::vector<Extent> dims;
    for (const ReductionVariable &rvar : definition.schedule().rvars()) {
        const auto min = at_estimates(rvar.min), extent = at_estimates(rvar.extent);
        if (!min || !extent) {
            // Limit: bounds of an RDom that depend on computed values or other RVars are taken as one step.
            dims.push_back({rvar.var, 0, 1});
            continue;
        }
        dims.push_back({rvar.var, *min, *extent});
    }
    return dims;
}

FuncValueBounds value_bounds_of(const std::vector<Function> &functions) {
    std::vector<std::string> order;
    std::map<std::string, Function> env;
    for (const Function &f : functions) {
        order.push_back(f.name());
        env.emplace(f.name(), f);
    }
    return compute_function_value_bounds(order, env);
}

std::string unbounded_dims(const Function &f, const std::vector<Function> &functions, const Regions &regions,
                           const FuncValueBounds &value_bounds) {
    std::vector<bool> is_unbounded((size_t)f.dimensions(), false);
    for (const Function &reader : functions) {
        std::vector<Definition> definitions =
            reader.has_extern_definition() ? std::vector<Definition>() : reader.updates();
        if (!reader.has_extern_definition()) {
            definitions.push_back(reader.definition());
        }
        const auto region = regions.find(reader.name());
        const bool is_known = region != regions.end() && region->second;
        for (const Definition &definition : definitions) {
            const auto scope = scope_of(is_known ? *region->second : std::vector<Extent>(), reduction_dims(definition));
            for (const Expr &e : expressions_of(definition)) {
                const auto boxes = boxes_required(e, *scope, value_bounds);
                const auto box = reader.name() == f.name() ? boxes.end() : boxes.find(f.name());
                for (size_t d = 0; box != boxes.end() && d < box->second.size(); d++) {
                    is_unbounded[d] = is_unbounded[d] || !as_region(Box({box->second[d]}));
                }
            }
        }
    }
    const bool any = std::count(is_unbounded.begin(), is_unbounded.end(), true) > 0;
    std::vector<std::string> names;
    for (size_t d = 0; d < is_unbounded.size(); d++) {
        if (is_unbounded[d] || !any) {
            names.push_back(f.args()[d]);
        }
    }
    return join(names, ", ");
}

Regions required_by(const std::vector<Expr> &exprs, const std::vector<Extent> &dims,
                    const std::vector<Extent> &reduction, const FuncValueBounds &value_bounds) {
    const auto scope = scope_of(dims, reduction);
    Regions needed;
    for (const Expr &e : exprs) {
        for (const auto &[name, box] : boxes_required(e, *scope, value_bounds)) {
            const auto region = as_region(box);
            const auto [at, is_new] = needed.emplace(name, region);
            if (!is_new) {
                merge(at->second, region);
            }
        }
    }
    return needed;
}

Regions required_regions(const std::vector<Function> &functions, const std::vector<Function> &outputs) {
    Regions regions;
    for (const Function &f : outputs) {
        regions[f.name()] = estimated_output(f);
    }
    const FuncValueBounds value_bounds = value_bounds_of(functions);
    for (auto f = functions.rbegin(); f != functions.rend(); ++f) {
        const auto found = regions.find(f->name());
        if (found == regions.end() || f->has_extern_definition()) {
            continue;
        }
        std::vector<Definition> definitions = f->updates();
        std::reverse(definitions.begin(), definitions.end());
        definitions.push_back(f->definition());
        for (const Definition &definition : definitions) {
            auto &own = found->second;
            std::vector<Extent> dims;
            for (int d = 0; own && d < f->dimensions(); d++) {
                (*own)[d].name = f->args()[d];
                dims.push_back((*own)[d]);
            }
            // Without bounds of its own, what a stage needs is known only where it does not depend on its place.
            for (const auto &[name, region] :
                 required_by(expressions_and_place(*f, definition), dims, reduction_dims(definition), value_bounds)) {
                const auto [at, is_new] = regions.emplace(name, region);
                if (!is_new) {
                    merge(at->second, region);
                }
            }
        }
    }
    return regions;
}

}  // namespace fusion

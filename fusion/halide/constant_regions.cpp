#include "fusion/halide/constant_regions.h"

#include <algorithm>

#include "fusion/halide/regions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

using Intervals = ConstantRegions;

Interval constant_part(const Interval &interval) {
    const Scope<Interval> none;
    Interval constant = Interval::everything();
    if (interval.has_lower_bound()) {
        constant.min = find_constant_bound(simplify(interval.min), Direction::Lower, none);
    }
    if (interval.has_upper_bound()) {
        constant.max = find_constant_bound(simplify(interval.max), Direction::Upper, none);
    }
    const bool is_known =
        constant.min.defined() && constant.max.defined() && as_const_int(constant.min) && as_const_int(constant.max);
    return is_known ? constant : Interval::everything();
}

void unite(Intervals &regions, const std::string &name, const std::vector<Interval> &more) {
    const auto [at, is_new] = regions.emplace(name, more);
    for (size_t d = 0; !is_new && d < more.size(); d++) {
        at->second[d] = constant_part(Interval::make_union(at->second[d], more[d]));
    }
}

/// Constant sizes that the user gave the Func.
std::vector<Interval> bounds_of(const Function &f) {
    std::vector<Interval> bounds((size_t)f.dimensions(), Interval::everything());
    for (const Bound &bound : f.schedule().bounds()) {
        for (int d = 0; d < f.dimensions(); d++) {
            if (f.args()[d] == bound.var && bound.min.defined() && bound.extent.defined()) {
                bounds[d] = constant_part(Interval(bound.min, bound.min + bound.extent - 1));
            }
        }
    }
    return bounds;
}

void add_required(Intervals &regions, const Function &f, const Definition &definition, const FuncValueBounds &bounds) {
    Scope<Interval> scope;
    for (int d = 0; d < f.dimensions(); d++) {
        scope.push(f.args()[d], regions.at(f.name())[d]);
    }
    for (const ReductionVariable &rvar : definition.schedule().rvars()) {
        scope.push(rvar.var, constant_part(Interval(rvar.min, rvar.min + rvar.extent - 1)));
    }
    for (const Expr &e : expressions_and_place(f, definition)) {
        for (const auto &[name, box] : boxes_required(e, scope, bounds)) {
            std::vector<Interval> needed;
            for (size_t d = 0; d < box.size(); d++) {
                needed.push_back(constant_part(box[d]));
            }
            unite(regions, name, needed);
        }
    }
}

}  // namespace

ConstantRegions constant_regions(const std::vector<Function> &functions, const std::vector<Function> &outputs,
                                 const FuncValueBounds &value_bounds) {
    Intervals regions;
    for (const Function &f : outputs) {
        regions[f.name()] = bounds_of(f);
    }
    for (auto f = functions.rbegin(); f != functions.rend(); ++f) {
        if (!regions.count(f->name())) {
            continue;
        }
        if (f->has_extern_definition()) {
            for (const ExternFuncArgument &arg : f->extern_arguments()) {
                if (arg.is_func()) {
                    const Function read(arg.func);
                    regions[read.name()].assign((size_t)read.dimensions(), Interval::everything());
                }
            }
            continue;
        }
        std::vector<Definition> definitions = f->updates();
        std::reverse(definitions.begin(), definitions.end());
        definitions.push_back(f->definition());
        for (const Definition &definition : definitions) {
            add_required(regions, *f, definition, value_bounds);
        }
    }
    return regions;
}

ConstantRegions constant_regions(const std::vector<Function> &outputs) {
    const std::map<std::string, Function> funcs = build_environment(outputs);
    std::vector<Function> functions;
    for (const std::string &name : topological_order(outputs, funcs)) {
        functions.push_back(funcs.at(name));
    }
    return constant_regions(functions, outputs, value_bounds_of(functions));
}

std::map<std::string, std::vector<int64_t>> constant_extents(const std::vector<Function> &functions,
                                                             const std::vector<Function> &outputs,
                                                             const FuncValueBounds &value_bounds) {
    std::map<std::string, std::vector<int64_t>> extents;
    for (const auto &[name, region] : constant_regions(functions, outputs, value_bounds)) {
        for (const Interval &interval : region) {
            const auto min = interval.is_bounded() ? as_const_int(interval.min) : std::nullopt;
            const auto max = interval.is_bounded() ? as_const_int(interval.max) : std::nullopt;
            extents[name].push_back(min && max ? std::max<int64_t>(*max - *min + 1, 1) : 0);
        }
    }
    return extents;
}

}  // namespace fusion

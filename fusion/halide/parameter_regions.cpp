#include "fusion/halide/parameter_regions.h"

#include <map>

#include "fusion/halide/mentions.h"
#include "fusion/halide/regions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// A range of places in dimension `dim` of a buffer stays within its extent.
bool is_within(const Interval &range, const std::string &buffer, int dim) {
    if (!range.is_bounded()) {
        return false;
    }
    const std::string min = buffer + ".min." + std::to_string(dim), extent = buffer + ".extent." + std::to_string(dim);
    Scope<Interval> sizes;
    sizes.push(extent, Interval(1, Interval::pos_inf()));
    const Expr least = Variable::make(Int(32), min), size = Variable::make(Int(32), extent);
    const auto without_parameters = [&](const Expr &e) { return substitute({{min, least}, {extent, size}}, e); };
    return can_prove(without_parameters(range.min) >= least, sizes) &&
           can_prove(without_parameters(range.max) <= least + size - 1, sizes);
}

/// Which regions depend on the parameters, and how far a clamp keeps them all the same.
class Moving {
public:
    /// `nodes`: producers first.
    Moving(const std::vector<Reached::Node> &nodes, const std::set<std::string> &names) : names(names) {
        for (auto node = nodes.rbegin(); node != nodes.rend(); ++node) {
            const std::vector<Definition> definitions = all_definitions(node->function);
            for (const bool own :
                 {true, false}) {  // what updates read of their Func, all of its definitions must reach
                for (const Definition &definition : definitions) {
                    follow(node->function, definition, own);
                }
            }
        }
    }
    bool reads_further = false;  ///< of some input

private:
    const std::set<std::string> &names;
    std::map<std::string, std::map<int, Interval>> ranges;  ///< by Func and dimension, of those that depend on them

    void follow(const Function &f, const Definition &definition, bool own) {
        std::set<std::string> moving = names;
        Scope<Interval> scope;
        for (const std::string &name : names) {
            scope.push(name, Interval::everything());
        }
        for (int d = 0; d < f.dimensions(); d++) {
            const auto range = ranges[f.name()].find(d);
            const bool moves = range != ranges[f.name()].end();
            scope.push(f.args()[d], moves ? range->second : Interval::everything());
            if (moves) {
                moving.insert(f.args()[d]);
            }
        }
        for (const ReductionVariable &r : definition.schedule().rvars()) {
            scope.push(r.var, Interval::everything());
            if (Mentioned(r.min).has(names) || Mentioned(r.extent).has(names)) {
                moving.insert(r.var);
            }
        }
        const std::vector<Expr> exprs = expressions_and_place(f, definition);
        for (const Call *call : calls_in(exprs)) {
            for (int d = 0; d < (int)call->args.size(); d++) {
                const Mentioned index(call->args[d]);
                if ((call->name == f.name()) != own || (!index.reads && !index.has(moving))) {
                    continue;
                }
                const Interval range = bounds_of_expr_in_scope(call->args[d], scope);
                if (call->call_type == Call::Image) {
                    reads_further |= !is_within(range, call->name, d);
                    continue;
                }
                const auto [at, is_new] = ranges[call->name].emplace(d, range);
                const bool is_same = is_new || (range.is_bounded() && at->second.is_bounded() &&
                                                equal(range.min, at->second.min) && equal(range.max, at->second.max));
                at->second = is_same ? at->second : Interval::everything();
            }
        }
    }
};

}  // namespace

bool decide_how_much_is_read(const std::vector<Reached::Node> &nodes, const std::set<std::string> &parameters) {
    return Moving(nodes, parameters).reads_further;
}

}  // namespace fusion

#include "fusion/halide/side_by_side.h"

#include <algorithm>
#include <map>
#include <set>

#include "fusion/halide/reassociate.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// The places at which a definition reads its own Func.
class FindOwnReads : public IRVisitor {
public:
    explicit FindOwnReads(const std::string &name) : name(name) {}
    std::vector<std::vector<Expr>> places;
    bool is_nested = false;  ///< a place is itself read from the Func

private:
    const std::string &name;
    int depth = 0;
    using IRVisitor::visit;
    void visit(const Call *op) override {
        const bool is_own = op->call_type == Call::Halide && op->name == name;
        if (is_own) {
            places.push_back(op->args);
            is_nested |= depth > 0;
        }
        depth += is_own;
        IRVisitor::visit(op);
        depth -= is_own;
    }
};

bool mentions(const Expr &e, const std::string &variable) {
    return expr_uses_var(e, variable);
}

/// Points that a step touches, and those of another step, of which some variables have other values.
class Steps {
public:
    Steps(const Function &f, const Definition &definition) : definition(definition), own(f.name()) {
        for (const Expr &arg : definition.args()) {
            arg.accept(&own);
        }
        is_indirect = !own.places.empty();
        for (const Expr &value : definition.values()) {
            value.accept(&own);
        }
        definition.predicate().accept(&own);
        is_indirect |= own.is_nested;
        own.places.push_back(definition.args());
    }

    /// Two steps with the same values of the variables in `same`, but unlike ones of `variable`, never meet.
    bool never_meet(const std::string &variable, const std::set<std::string> &same) const {
        return !is_indirect && std::all_of(own.places.begin(), own.places.end(), [&](const auto &place) {
            return are_apart(place, variable, same, true) && are_apart(place, variable, same, false);
        });
    }

private:
    const Definition &definition;
    FindOwnReads own;
    bool is_indirect = false;  ///< where it writes or reads depends on what it has written

    /// The point written is not the one that a later (or an earlier) step reads or writes.
    bool are_apart(const std::vector<Expr> &place, const std::string &variable, const std::set<std::string> &same,
                   bool is_later) const {
        Scope<Interval> ranges;
        std::map<std::string, Expr> other;
        for (const ReductionVariable &r : definition.schedule().rvars()) {
            const Interval range(r.min, simplify(r.min + r.extent - 1));
            ranges.push(r.var, range);
            if (r.var == variable) {
                const std::string distance = r.var + "$distance";
                ranges.push(distance, is_later ? Interval(1, Interval::pos_inf()) : Interval(Interval::neg_inf(), -1));
                other[r.var] = Variable::make(Int(32), r.var) + Variable::make(Int(32), distance);
            } else if (!same.count(r.var)) {
                ranges.push(r.var + "$other", range);
                other[r.var] = Variable::make(Int(32), r.var + "$other");
            }
        }
        for (size_t d = 0; d < place.size(); d++) {
            const Expr meet = definition.args()[d] == substitute(other, place[d]);
            if (is_const_zero(simplify(meet, true, ranges))) {
                return true;
            }
        }
        return false;
    }
};

}  // namespace

std::vector<std::vector<int>> side_by_side(const Function &f, const Definition &definition,
                                           const std::vector<int> &memory_order) {
    const std::vector<ReductionVariable> &rvars = definition.schedule().rvars();
    const std::vector<int> independent = independent_dims(f, definition);
    const int dims = f.dimensions(), steps = (int)rvars.size();
    const auto in_memory_order = [&](const std::set<int> &free) {
        std::vector<int> loops;
        for (const int d : memory_order) {
            if (std::count(independent.begin(), independent.end(), d)) {
                loops.push_back(d);
            }
            for (const int r : free) {
                const bool is_new = !std::count(loops.begin(), loops.end(), dims + r);
                if (is_new && mentions(definition.args()[d], rvars[r].var)) {
                    loops.push_back(dims + r);
                }
            }
        }
        return loops;
    };
    const std::vector<int> unordered = unordered_rvars(definition);
    const std::set<int> pure(unordered.begin(), unordered.end());
    std::vector<std::vector<int>> loops = {in_memory_order(pure)};
    const Steps touched(f, definition);
    size_t most = loops[0].size();
    for (int around = 1; around < steps; around++) {
        std::set<std::string> same;
        for (int r = steps - around; r < steps; r++) {
            same.insert(rvars[r].var);
        }
        // From the outside in: Halide keeps the order of those that it cannot prove, so none may leave a loop within.
        std::set<int> free;
        bool is_in_order = true;
        for (int r = steps - around - 1; r >= 0; r--) {
            is_in_order = is_in_order && (pure.count(r) || touched.never_meet(rvars[r].var, same));
            if (is_in_order || pure.count(r)) {
                free.insert(r);
            }
        }
        const std::vector<int> found = in_memory_order(free);
        loops.push_back(found.size() > most ? found : std::vector<int>());
        most = std::max(most, found.size());
    }
    return loops;
}

}  // namespace fusion

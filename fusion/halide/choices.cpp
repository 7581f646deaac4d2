#include "fusion/halide/choices.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "fusion/halide/classify_reads.h"
#include "fusion/halide/expr_cost.h"
#include "fusion/halide/mentions.h"
#include "fusion/stencil_kernel.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// More points of a period are not looked at one by one.
constexpr size_t kMostPoints = 64;

/// By variable: 1, or what remainders of it are taken of.
class FindVariables : public IRGraphVisitor {
public:
    std::map<std::string, int64_t> found;

private:
    using IRGraphVisitor::visit;
    void visit(const Mod *op) override {
        const auto modulus = as_const_int(op->b);
        if (!modulus || *modulus < 2 || !add_sum(op->a, *modulus)) {
            IRGraphVisitor::visit(op);
        }
    }
    void visit(const Variable *op) override { add(op->name, 1); }
    void visit(const Call *op) override {
        if (op->call_type != Call::Halide && op->call_type != Call::Image) {  // what data choose Halide asks for anyway
            IRGraphVisitor::visit(op);
        }
    }

    /// A remainder of a variable and constants is decided by that of the variable.
    bool add_sum(const Expr &e, int64_t modulus) {
        if (const auto *variable = e.as<Variable>()) {
            add(variable->name, modulus);
            return true;
        }
        const auto *sum = e.as<Add>();
        const auto *difference = e.as<Sub>();
        if (sum && is_const(sum->b)) {
            return add_sum(sum->a, modulus);
        }
        return difference && is_const(difference->b) && add_sum(difference->a, modulus);
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
        const bool chooses = op->is_intrinsic(Call::mux) && Mentioned(op).reads;
        if (chooses || op->is_intrinsic(Call::if_then_else)) {
            op->args[0].accept(&by);
        }
        IRGraphVisitor::visit(op);
    }
};

bool divides(const Expr &e) {
    struct Finder : IRGraphVisitor {
        bool found = false;
        using IRGraphVisitor::visit;
        void visit(const Div *) override { found = true; }
        void visit(const Mod *) override { found = true; }
    } finder;
    e.accept(&finder);
    return finder.found;
}

class Taken : public IRGraphMutator {
public:
    Taken(const ChosenPoint &point, bool in_place) : point(point), in_place(in_place) {}

private:
    const ChosenPoint &point;
    const bool in_place;

    using IRGraphMutator::visit;

    Expr at_point(const Expr &e) const { return simplify(substitute(point, e)); }
    /// Of what data decide too nothing is known, and it may be large.
    bool is_of_loops(const Expr &e) const {
        const Mentioned mentioned(e);
        return !mentioned.reads && std::any_of(point.begin(), point.end(),
                                               [&](const auto &dim) { return mentioned.variables.count(dim.first); });
    }

    Expr visit(const Select *op) override {
        const Expr condition = is_of_loops(op->condition) ? at_point(op->condition) : op->condition;
        return is_const_one(condition)    ? mutate(op->true_value)
               : is_const_zero(condition) ? mutate(op->false_value)
                                          : IRGraphMutator::visit(op);
    }
    Expr visit(const Call *op) override {
        const bool is_mux = op->is_intrinsic(Call::mux), is_if = op->is_intrinsic(Call::if_then_else);
        if ((is_mux || is_if) && is_of_loops(op->args[0])) {
            const Expr by = at_point(op->args[0]);
            const auto index = as_const_int(by);
            if (is_if && (is_const_one(by) || is_const_zero(by)) && op->args.size() == 3) {
                return mutate(op->args[is_const_one(by) ? 1 : 2]);
            }
            if (is_mux && index) {
                const int64_t last = (int64_t)op->args.size() - 2;
                return mutate(op->args[(size_t)std::clamp<int64_t>(*index < 0 ? last : *index, 0, last) + 1]);
            }
        }
        if (in_place || (op->call_type != Call::Halide && op->call_type != Call::Image)) {
            return IRGraphMutator::visit(op);
        }
        std::vector<Expr> args;
        for (const Expr &arg : op->args) {
            const Expr there = divides(arg) && is_of_loops(arg) ? at_point(arg) : arg;
            args.push_back(divides(there) ? mutate(arg) : there);
        }
        return Call::make(op->type, op->name, args, op->call_type, op->func, op->value_index, op->image, op->param);
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

Period points_of_period(const std::vector<Extent> &dims, const std::vector<int64_t> &choices) {
    Period points = {{}};
    for (size_t d = 0; d < choices.size(); d++) {
        const bool is_remainder = choices[d] > 1;
        const int64_t count = is_remainder ? choices[d] : dims[d].extent;
        if (choices[d] == 0 || (!is_remainder && count > kMostChannels)) {
            continue;
        }
        if (points.size() * (size_t)count > kMostPoints) {
            return {};
        }
        Period more;
        for (const ChosenPoint &point : points) {
            for (int64_t i = 0; i < count; i++) {
                const Expr loop = Variable::make(Int(32), dims[d].name);
                more.push_back(point);
                more.back()[dims[d].name] = is_remainder ? loop * (int)count + (int)i : Expr((int)(dims[d].min + i));
            }
        }
        points = more;
    }
    return points.size() == 1 ? Period() : points;
}

std::vector<Expr> taken_at(const std::vector<Expr> &exprs, const ChosenPoint &point, bool in_place) {
    std::vector<Expr> taken;
    Taken taker(point, in_place);
    for (const Expr &e : exprs) {
        taken.push_back(taker.mutate(substitute_in_all_lets(e)));
    }
    return taken;
}

Work chosen_work(const std::vector<Expr> &exprs, const Period &period, const std::vector<std::string> &loops) {
    Work mean;
    std::map<uint64_t, double> by_loops;
    const double part = 1.0 / (double)period.size();
    for (const ChosenPoint &point : period) {
        const Work own = work_of(taken_at(exprs, point, false), loops);
        mean.arithmetic += part * own.arithmetic;
        mean.special += part * own.special;
        mean.selected_loads += part * own.selected_loads;
        for (const Share &share : own.shares) {
            by_loops[share.loops] += part * share.instructions;
        }
    }
    for (const auto &[used, instructions] : by_loops) {
        mean.shares.push_back({used, instructions});
    }
    return mean;
}

void find_taken(const std::vector<Expr> &exprs, const Period &period, const std::vector<std::string> &dims,
                std::map<std::string, std::vector<Read>> &reads) {
    std::map<std::pair<std::string, std::vector<int>>, double> points;
    for (const ChosenPoint &point : period) {
        for (const auto &[name, ways] : classify_reads(taken_at(exprs, point, true), dims, {})) {
            for (const Read &read : ways) {
                points[{name, read.follows}] += read.points;
            }
        }
    }
    for (auto &[name, ways] : reads) {
        for (Read &read : ways) {
            read.taken = std::min(1.0, points[{name, read.follows}] / (double)period.size() / read.points);
        }
    }
}

}  // namespace fusion

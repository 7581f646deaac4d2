#include "fusion/halide/expr_cost.h"

#include <algorithm>
#include <map>
#include <string>

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// A function's cost in float32 as the number of multiply-adds that take as long: 29,480 Gop/s over the function's rate
/// (bench/calibrate.cu, H200, 2026-11-29: expf 2900, logf 1159, sinf 1141, tanhf 1716, sqrtf 2497, division 1788, rsqrt
/// 4125; the others by the length of their expansion). Halide names a math function NAME_fBITS: its only handle.
double math_instructions(const std::string &name) {
    static const std::map<std::string, double> cost = {
        {"sqrt", 8},   {"rsqrt", 4},  {"fast_inverse", 2}, {"fast_inverse_sqrt", 2},
        {"exp", 10},   {"log", 25},   {"pow", 60},         {"sin", 24},
        {"cos", 24},   {"tan", 40},   {"asin", 25},        {"acos", 25},
        {"atan", 30},  {"atan2", 40}, {"sinh", 25},        {"cosh", 20},
        {"tanh", 17},  {"asinh", 35}, {"acosh", 35},       {"atanh", 30},
        {"floor", 1},  {"ceil", 1},   {"round", 2},        {"trunc", 1},
        {"is_nan", 1}, {"is_inf", 1}, {"is_finite", 1}};
    // The GPU's own, at a quarter of the rate of arithmetic.
    if (name.rfind("llvm.nvvm.", 0) == 0) {
        return 4;
    }
    const auto found = cost.find(name.substr(0, name.rfind("_f")));
    return found == cost.end() ? 20 : found->second;
}

double division_instructions(const Type &type, const Expr &divisor) {
    if (type.is_float()) {
        return 16;
    }
    return is_const(divisor) ? 3 : 18;
}

/// A 64-bit float runs at half rate and takes twice the registers; a Tuple is several values.
double weight(const Type &type) {
    return type.is_float() && type.bits() == 64 ? 2 : 1;
}

/// To or from float64: 3,883 G conversions a second (bench/calibrate.cu, H200, 2026-11-29).
constexpr double kConvert64 = 7.6;

/// Which of some loops expressions use, a bit each; each subexpression is looked at once.
class LoopsIn : public IRGraphVisitor {
public:
    explicit LoopsIn(const std::vector<std::string> &loops) {
        for (size_t i = 0; i < loops.size(); i++) {
            bits[loops[i]] = Share::bit(i);
        }
    }

    uint64_t operator()(const Expr &e) {
        found = 0;
        include(e);
        return found;
    }

private:
    std::map<std::string, uint64_t> bits;
    std::map<const IRNode *, uint64_t> known;
    uint64_t found = 0;

    using IRGraphVisitor::visit;
    void visit(const Variable *op) override {
        const auto bit = bits.find(op->name);
        found |= bit == bits.end() ? 0 : bit->second;
    }
    void include(const Expr &e) override {
        const auto [at, is_new] = known.emplace(e.get(), 0);
        if (is_new) {
            const uint64_t before = found;
            found = 0;
            e.accept(this);
            known[e.get()] = found;
            found |= before;
        } else {
            found |= at->second;
        }
    }
};

bool is_load(const Call *call) {
    return call && (call->call_type == Call::Halide || call->call_type == Call::Image);
}

/// A load, as it is or converted.
bool is_converted_load(Expr e) {
    while (const auto *cast = e.as<Cast>()) {
        e = cast->value;
    }
    return is_load(e.as<Call>());
}

class CountWork : public IRGraphVisitor {
public:
    Work work;
    std::map<uint64_t, double> by_loops;

    explicit CountWork(const std::vector<std::string> &loops) : loops_in(loops) {}

    /// Visits what it has not seen.
    void include(const Expr &e) override {
        const double before = work.total(), nested = counted;
        IRGraphVisitor::include(e);
        const double own = (work.total() - before) - (counted - nested);
        if (own != 0) {
            by_loops[loops_in(e)] += own;
            counted += own;
        }
    }

private:
    LoopsIn loops_in;
    double counted = 0;

    using IRGraphVisitor::visit;

    void plain(const Expr &a, const Expr &b, const Type &type) {
        work.arithmetic += weight(type);
        include(a);
        include(b);
    }
    void visit(const Add *op) override {
        // A product added is one fused instruction.
        const bool fused = op->type.is_float() && (op->a.as<Mul>() || op->b.as<Mul>());
        work.arithmetic -= fused ? weight(op->type) : 0;
        plain(op->a, op->b, op->type);
    }
    void visit(const Sub *op) override { plain(op->a, op->b, op->type); }
    void visit(const Mul *op) override { plain(op->a, op->b, op->type); }
    void visit(const Min *op) override { plain(op->a, op->b, op->type); }
    void visit(const Max *op) override { plain(op->a, op->b, op->type); }
    void visit(const EQ *op) override { plain(op->a, op->b, op->type); }
    void visit(const NE *op) override { plain(op->a, op->b, op->type); }
    void visit(const LT *op) override { plain(op->a, op->b, op->type); }
    void visit(const LE *op) override { plain(op->a, op->b, op->type); }
    void visit(const GT *op) override { plain(op->a, op->b, op->type); }
    void visit(const GE *op) override { plain(op->a, op->b, op->type); }
    void visit(const And *op) override { plain(op->a, op->b, op->type); }
    void visit(const Or *op) override { plain(op->a, op->b, op->type); }
    void visit(const Div *op) override {
        work.special += weight(op->type) * division_instructions(op->type, op->b);
        include(op->a);
        include(op->b);
    }
    void visit(const Mod *op) override {
        work.special += weight(op->type) * (division_instructions(op->type, op->b) + 2);
        include(op->a);
        include(op->b);
    }
    void visit(const Select *op) override {
        work.arithmetic += weight(op->type);
        work.selected_loads += is_converted_load(op->true_value) + is_converted_load(op->false_value);
        IRGraphVisitor::visit(op);
    }
    void visit(const Cast *op) override {
        work.arithmetic += std::max(weight(op->type), weight(op->value.type())) > 1 ? kConvert64 : 1;
        include(op->value);
    }
    void visit(const Call *op) override {
        if (op->call_type == Call::PureExtern || op->call_type == Call::Extern) {
            work.special += weight(op->type) * math_instructions(op->name);
        } else if (is_load(op)) {
            work.arithmetic += 1;  // the load
        } else if (!op->is_intrinsic(Call::likely)) {
            work.arithmetic += 1;
        }
        for (const Expr &arg : op->args) {
            // Index arithmetic of plain variables folds into addressing.
            if (!arg.as<Variable>()) {
                include(arg);
            }
        }
    }
};

/// Sethi and Ullman's numbering with a memo, since user expressions are graphs.
class LiveValues {
public:
    /// Operands are kept while later ones are evaluated: the deepest first is best.
    int among(const std::vector<Expr> &operands) {
        std::vector<int> needs;
        for (const Expr &operand : operands) {
            if (operand.defined() && !is_const(operand)) {
                needs.push_back(of(operand));
            }
        }
        std::sort(needs.rbegin(), needs.rend());
        int most = 1;
        for (int i = 0; i < (int)needs.size(); i++) {
            most = std::max(most, needs[i] + i);
        }
        return most;
    }

private:
    std::map<const IRNode *, int> known;

    int of(const Expr &e) {
        const auto found = known.find(e.get());
        if (found != known.end()) {
            return found->second;
        }
        const int most = std::max(e.type().bits() > 32 ? 2 : 1, compute(e));
        known[e.get()] = most;
        return most;
    }

    int compute(const Expr &e) {
        if (const auto *call = e.as<Call>()) {
            const bool is_math = call->call_type == Call::PureExtern || call->call_type == Call::Extern;
            return is_load(call) ? 1 : among(call->args) + (is_math ? 4 : 0);
        }
        if (const auto *cast = e.as<Cast>()) {
            return of(cast->value);
        }
        if (const auto *select = e.as<Select>()) {
            return among({select->condition, select->true_value, select->false_value});
        }
        if (const auto *let = e.as<Let>()) {
            return among({let->value, let->body});
        }
        return binary<Add, Sub, Mul, Div, Mod, Min, Max, EQ, NE, LT, LE, GT, GE, And, Or>(e);
    }

    template<typename... Nodes>
    int binary(const Expr &e) {
        int most = 1;
        const auto try_node = [&](const auto *op) {
            if (op) {
                most = among({op->a, op->b});
            }
        };
        (try_node(e.as<Nodes>()), ...);
        return most;
    }
};

}  // namespace

std::vector<std::string> loops_of(const Stage &stage) {
    std::vector<std::string> names;
    for (const auto *loops : {&stage.dims, &stage.reduction}) {
        for (const Extent &loop : *loops) {
            names.push_back(loop.name);
        }
    }
    return names;
}

Work work_of(const std::vector<Expr> &values, const std::vector<std::string> &loops) {
    CountWork counter(loops);
    std::vector<Expr> whole;  // Halide names what a definition holds twice: such a variable is no loop
    for (const Expr &value : values) {
        whole.push_back(substitute_in_all_lets(value));
        counter.include(whole.back());
    }
    counter.work.arithmetic = std::max(counter.work.arithmetic, 0.0);
    for (const auto &[used, instructions] : counter.by_loops) {
        counter.work.shares.push_back({used, instructions});
    }
    return counter.work;
}

int live_values_of(const std::vector<Expr> &values) {
    return LiveValues().among(values);
}

}  // namespace fusion

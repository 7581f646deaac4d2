#include "schedules/condition.h"

#include "fusion/error.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// The operations that a condition is made of; once as expressions, once as text, so that both stay the same.
struct AsExpr {
    using Value = Expr;
    const BufferLookup &lookup;

    Expr field(const BufferField &f) const { return field_of(lookup(f.buffer), f.kind, f.dim); }
    Expr constant(int64_t value) const { return Expr((int)value); }
    Expr wide(const Expr &value) const { return cast<int64_t>(value); }
    Expr device_address(const BufferRef &buffer) const { return device_address_of(lookup(buffer)); }
    Expr binary(const Expr &a, const char *op, const Expr &b) const {
        switch (op[0]) {
        case '*':
            return a * b;
        case '%':
            return a % b;
        case '=':
            return a == b;
        case '>':
            return a > b;
        case '<':
            return a < b;
        case '&':
            return a && b;
        }
        throw InternalError("unknown operator in a condition");
    }
    Expr unsigned_constant(int64_t value) const { return make_const(UInt(64), value); }
};

struct AsText {
    using Value = std::string;
    const std::vector<std::string> &func_names;

    std::string buffer(const BufferRef &b) const {
        const std::string &name = func_names[b.func_id];
        return b.output_element < 0 ? "input_of(" + name + ")"
                                    : "output_of(" + name + ", " + std::to_string(b.output_element) + ")";
    }
    std::string field(const BufferField &f) const {
        static const char *names[] = {"min", "extent", "stride"};
        return std::string("field(") + buffer(f.buffer) + ", \"" + names[f.kind] + "\", " + std::to_string(f.dim) + ")";
    }
    std::string constant(int64_t value) const { return "Expr(" + std::to_string(value) + ")"; }
    std::string wide(const std::string &value) const { return "cast<int64_t>(" + value + ")"; }
    std::string device_address(const BufferRef &b) const { return "device_address(" + buffer(b) + ")"; }
    std::string binary(const std::string &a, const std::string &op, const std::string &b) const {
        return op == "&&"                             ? a + " &&\n        " + b
               : op == "==" || op == "<" || op == ">" ? a + " " + op + " " + b
                                                      : "(" + a + " " + op + " " + b + ")";
    }
    std::string unsigned_constant(int64_t value) const {
        return "Internal::make_const(UInt(64), " + std::to_string(value) + ")";
    }
};

template<typename Language>
typename Language::Value product(const std::vector<BufferField> &factors, const Language &say, bool wide) {
    auto result = wide ? say.wide(say.field(factors[0])) : say.field(factors[0]);
    for (size_t i = 1; i < factors.size(); i++) {
        const auto factor = say.field(factors[i]);
        result = say.binary(result, "*", wide ? say.wide(factor) : factor);
    }
    return result;
}

template<typename Language>
typename Language::Value state(const Fact &fact, const Language &say) {
    switch (fact.kind) {
    case Fact::EqualsConstant:
        return say.binary(say.field(fact.left), "==", say.constant(fact.value));
    case Fact::EqualsField:
        return say.binary(say.field(fact.left), "==", say.field(fact.right));
    case Fact::EqualsProduct:
        return say.binary(say.field(fact.left), "==", product(fact.factors, say, false));
    case Fact::MultipleOf:
        return say.binary(say.binary(say.field(fact.left), "%", say.constant(fact.value)),
                          "==", say.constant(fact.remainder));
    case Fact::ProductMultiple:
        return say.binary(say.binary(product(fact.factors, say, false), "%", say.constant(fact.value)),
                          "==", say.constant(0));
    case Fact::Positive:
        return say.binary(say.field(fact.left), ">", say.constant(0));
    case Fact::AtLeast:
        return say.binary(say.constant(fact.value - 1), "<", say.field(fact.left));
    case Fact::ProductFits:
        return say.binary(product(fact.factors, say, true), "<", say.wide(say.constant(2147483647)));
    case Fact::DeviceAligned:
        return say.binary(say.binary(say.device_address(fact.left.buffer), "%", say.unsigned_constant(fact.value)),
                          "==", say.unsigned_constant(0));
    }
    throw InternalError("unknown kind of fact");
}

template<typename Language>
typename Language::Value state_all(const Condition &condition, const Language &say) {
    if (condition.empty()) {
        throw InternalError("a specialised branch without a condition");
    }
    auto result = state(condition[0], say);
    for (size_t i = 1; i < condition.size(); i++) {
        result = say.binary(result, "&&", state(condition[i], say));
    }
    return result;
}

}  // namespace

Expr field_of(const Parameter &buffer, BufferField::Kind kind, int dim) {
    static const char *names[] = {".min.", ".extent.", ".stride."};
    return Variable::make(Int(32), buffer.name() + names[kind] + std::to_string(dim), buffer);
}

/// Pure, or Halide would not dare to ask the condition while it infers bounds: it would require the union of what all
/// branches need, and a branch of minimum 0 would need elements before a crop ("accessed at 0, before the min").
Expr device_address_of(const Parameter &buffer) {
    const Expr header = Variable::make(type_of<halide_buffer_t *>(), buffer.name() + ".buffer", buffer);
    return Call::make(UInt(64), Call::buffer_get_device, {header}, Call::PureExtern);
}

Expr to_expr(const Condition &condition, const BufferLookup &lookup) {
    return state_all(condition, AsExpr{lookup});
}

std::string to_cpp(const Condition &condition, const std::vector<std::string> &func_names) {
    return state_all(condition, AsText{func_names});
}

std::string to_cpp(const BufferField &field, const std::vector<std::string> &func_names) {
    return AsText{func_names}.field(field);
}

std::string condition_prelude() {
    return R"(    // The buffer behind the Func that wraps an input, and that of an output.
    const auto input_of = [](Func f) { return f.value().as<Internal::Call>()->param; };
    const auto output_of = [](Func f, int element) { return f.output_buffers()[element].parameter(); };
    const auto field = [](const Parameter &p, const std::string &what, int d) {
        return Internal::Variable::make(Int(32), p.name() + "." + what + "." + std::to_string(d), p);
    };
    const auto device_address = [](const Parameter &p) {
        Expr header = Internal::Variable::make(type_of<halide_buffer_t *>(), p.name() + ".buffer", p);
        return Internal::Call::make(UInt(64), Internal::Call::buffer_get_device, {header}, Internal::Call::PureExtern);
    };
    (void)input_of, (void)output_of, (void)field, (void)device_address;
)";
}

}  // namespace fusion

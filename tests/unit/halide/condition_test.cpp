#include "schedules/condition.h"

#include <algorithm>
#include <regex>

#include "tests/unit/halide/testing.h"

/// The same words as text and as code.
#define BOTH(...)                                                                                                      \
    { #__VA_ARGS__, __VA_ARGS__ }

namespace fusion {
namespace {

using namespace Halide;

std::string without_spaces(std::string text) {
    text = std::regex_replace(text, std::regex("//[^\n]*"), "");
    std::erase_if(text, [](unsigned char c) { return std::isspace(c); });
    return text;
}

std::string printed(const Expr &e) {
    std::ostringstream out;
    out << e;
    return out.str();
}

struct TextAndExpr {
    std::string text;
    Expr expr;
};

class ConditionTest : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func f0{in}, f1{"f1"};
    const BufferRef input{0, -1}, output{1, 0};
    const BufferLookup lookup = [this](const BufferRef &b) {
        return b.output_element < 0 ? in.parameter() : f1.output_buffers()[b.output_element].parameter();
    };

    void SetUp() override { f1(x, y) = Tuple(f0(x, y), f0(x, y) + 1); }

    // What condition_prelude() says, compiled.
    static constexpr auto input_of = [](Func f) { return f.value().as<Internal::Call>()->param; };
    static constexpr auto output_of = [](Func f, int element) { return f.output_buffers()[element].parameter(); };
    static Expr field(const Parameter &p, const std::string &what, int d) {
        return Internal::Variable::make(Int(32), p.name() + "." + what + "." + std::to_string(d), p);
    }
    static Expr device_address(const Parameter &p) {
        Expr header = Internal::Variable::make(type_of<halide_buffer_t *>(), p.name() + ".buffer", p);
        return Internal::Call::make(UInt(64), Internal::Call::buffer_get_device, {header}, Internal::Call::PureExtern);
    }

    void expect_same(const Condition &condition, const TextAndExpr &wanted) const {
        EXPECT_EQ(without_spaces(to_cpp(condition, {"f0", "f1"})), without_spaces(wanted.text));
        // As printed: the header of a buffer is a handle, which Halide takes for equal only to itself.
        EXPECT_EQ(printed(to_expr(condition, lookup)), printed(wanted.expr));
    }
};

TEST_F(ConditionTest, each_fact_says_the_same_as_text_and_as_expression) {
    const BufferField min{BufferField::Min, input, 0}, extent{BufferField::Extent, output, 1},
        stride{BufferField::Stride, input, 1};
    const BufferField width{BufferField::Extent, output, 0};
    expect_same({{.kind = Fact::EqualsConstant, .left = min, .value = 7}},
                BOTH(field(input_of(f0), "min", 0) == Expr(7)));
    expect_same({{.kind = Fact::EqualsField, .left = min, .right = extent}},
                BOTH(field(input_of(f0), "min", 0) == field(output_of(f1, 0), "extent", 1)));
    expect_same({{.kind = Fact::EqualsProduct, .left = stride, .factors = {width, extent}}},
                BOTH(field(input_of(f0), "stride", 1) ==
                     (field(output_of(f1, 0), "extent", 0) * field(output_of(f1, 0), "extent", 1))));
    expect_same({{.kind = Fact::MultipleOf, .left = stride, .value = 4}},
                BOTH((field(input_of(f0), "stride", 1) % Expr(4)) == Expr(0)));
    expect_same({{.kind = Fact::MultipleOf, .left = min, .value = 4, .remainder = 3}},
                BOTH((field(input_of(f0), "min", 0) % Expr(4)) == Expr(3)));
    expect_same(
        {{.kind = Fact::ProductMultiple, .value = 4, .factors = {width, extent}}},
        BOTH(((field(output_of(f1, 0), "extent", 0) * field(output_of(f1, 0), "extent", 1)) % Expr(4)) == Expr(0)));
    expect_same({{.kind = Fact::Positive, .left = extent}}, BOTH(field(output_of(f1, 0), "extent", 1) > Expr(0)));
    expect_same({{.kind = Fact::ProductFits, .factors = {width, extent}}},
                BOTH((cast<int64_t>(field(output_of(f1, 0), "extent", 0)) *
                      cast<int64_t>(field(output_of(f1, 0), "extent", 1))) < cast<int64_t>(Expr(2147483647))));
    expect_same({{.kind = Fact::DeviceAligned, .left = {BufferField::Min, {1, 1}, 0}, .value = 16}},
                BOTH((device_address(output_of(f1, 1)) % Internal::make_const(UInt(64), 16)) ==
                     Internal::make_const(UInt(64), 0)));
}

TEST_F(ConditionTest, facts_are_joined_in_their_order) {
    const BufferField min{BufferField::Min, input, 0}, extent{BufferField::Extent, output, 1};
    expect_same({{.kind = Fact::Positive, .left = extent}, {.kind = Fact::EqualsConstant, .left = min, .value = 0}},
                BOTH(field(output_of(f1, 0), "extent", 1) > Expr(0) && field(input_of(f0), "min", 0) == Expr(0)));
}

TEST_F(ConditionTest, carries_the_parameter_of_each_buffer) {
    const Expr e = to_expr({{.kind = Fact::MultipleOf, .left = {BufferField::Stride, input, 1}, .value = 4}}, lookup);
    struct Params : Internal::IRVisitor {
        std::vector<std::string> names;
        using IRVisitor::visit;
        void visit(const Internal::Variable *op) override {
            names.push_back(op->param.defined() ? op->param.name() : "none");
        }
    } params;
    e.accept(&params);
    EXPECT_EQ(params.names, std::vector<std::string>{"in"});
}

TEST_F(ConditionTest, without_facts_is_a_fault) {
    EXPECT_THROW(to_expr({}, lookup), InternalError);
}

}  // namespace
}  // namespace fusion

#pragma once
/// When a specialised branch may run: facts about the layout of buffers, as an expression for Halide and as C++ text.
#include <Halide.h>
#include <functional>
#include <string>
#include <vector>

namespace fusion {

/// A buffer that has a Parameter: an input by the Func that wraps it, or an element of an output Func.
struct BufferRef {
    int func_id = 0;
    int output_element = -1;  ///< -1: the input that the Func wraps
    bool operator==(const BufferRef &) const = default;
};

struct BufferField {
    enum Kind { Min, Extent, Stride } kind;
    BufferRef buffer;
    int dim = 0;
};

/// One fact; a Condition is true when all its facts are.
struct Fact {
    enum Kind {
        EqualsConstant,   ///< left == value
        EqualsField,      ///< left == right
        EqualsProduct,    ///< left == product of factors
        MultipleOf,       ///< left % value == remainder
        ProductMultiple,  ///< product of factors % value == 0
        Positive,         ///< left > 0
        AtLeast,          ///< left >= value
        ProductFits,      ///< product of factors < 2^31
        DeviceAligned,    ///< device pointer of left.buffer % value == 0
    } kind;
    BufferField left{};
    BufferField right{};
    int64_t value = 0;
    std::vector<BufferField> factors = {};
    int64_t remainder = 0;
};

using Condition = std::vector<Fact>;

/// A field of a buffer's header, as conditions and hand schedules say it: with the Parameter, or Halide takes it for a
/// variable of the pipeline.
Halide::Expr field_of(const Halide::Parameter &buffer, BufferField::Kind kind, int dim);
/// The address on the device, unsigned.
Halide::Expr device_address_of(const Halide::Parameter &buffer);

/// Finds the Parameter behind a reference.
using BufferLookup = std::function<Halide::Parameter(const BufferRef &)>;

Halide::Expr to_expr(const Condition &condition, const BufferLookup &lookup);

/// C++ that builds the same expression from the helpers in condition_prelude(); `name` gives the text for a buffer.
std::string to_cpp(const Condition &condition, const std::vector<std::string> &func_names);

/// C++ for a field of a buffer's header.
std::string to_cpp(const BufferField &field, const std::vector<std::string> &func_names);

/// C++ helper lambdas that to_cpp's text calls; depends on Halide alone.
std::string condition_prelude();

}  // namespace fusion

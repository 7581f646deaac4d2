#include "tests/pipelines/draw.h"

namespace fusion {
namespace {

using namespace Halide;

Expr as_int(const Expr &e) {
    return e.type().is_float() ? cast<int32_t>(e * cast(e.type(), 64)) : cast<int32_t>(e) % 1000;
}

Expr as_float(const Expr &e, const Type &type) {
    return e.type().is_float() ? cast(type, e) : cast(type, clamp(cast<int32_t>(e), -512, 511)) / cast(type, 64);
}

Expr combine(Draw &draw, const Expr &a, const Expr &b) {
    switch (draw.below(6)) {
    case 0:
        return a + b;
    case 1:
        return a - b;
    case 2:
        return a * b;
    case 3:
        return min(a, b) + a;
    case 4:
        return select(a > b, a - b, b);
    default:
        return max(a, cast(a.type(), 3)) - b;
    }
}

}  // namespace

Type draw_type(Draw &draw) {
    return draw.one_of<Type>({Float(32), Float(32), Float(32), Int(32), UInt(8), Int(16), UInt(16), Bool(), Float(64)});
}

Expr value_of(Draw &draw, const std::vector<Expr> &reads, const Type &type) {
    const bool as_floats = type.is_float() || (!type.is_uint() && draw.percent(40));
    const Type work = type.is_float() ? type : as_floats ? Type(Float(32)) : Type(Int(32));
    const auto worked = [&](const Expr &e) { return as_floats ? as_float(e, work) : as_int(e); };
    const auto bounded = [&](const Expr &e) {
        return as_floats ? clamp(floor(e * cast(work, 64)) / cast(work, 64), cast(work, -8), cast(work, 8))
                         : clamp(e, -1000, 1000);
    };
    Expr value = worked(reads[0]);
    if (reads.size() == 1) {
        value = bounded(combine(draw, value, cast(work, 2)));
    }
    for (size_t i = 1; i < reads.size(); i++) {
        value = bounded(combine(draw, value, worked(reads[i])));
    }
    if (type.is_bool()) {
        return value > cast(work, draw.below(5) - 2);
    }
    return as_floats && !type.is_float() ? cast(type, as_int(value)) : cast(type, value);
}

}  // namespace fusion

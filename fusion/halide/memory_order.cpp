#include "fusion/halide/memory_order.h"

#include <algorithm>
#include <numeric>

namespace fusion {

std::vector<int> memory_order_of(const Halide::Parameter &buffer, int dimensions) {
    std::vector<int> order(dimensions);
    std::iota(order.begin(), order.end(), 0);
    if (!buffer.defined() || buffer.dimensions() != dimensions) {
        return order;
    }
    // A dimension without a constant stride is taken to lie outside those with one.
    const auto stride = [&](int d) -> int64_t {
        const Halide::Expr e = buffer.stride_constraint(d);
        const auto value = e.defined() ? Halide::Internal::as_const_int(e) : std::nullopt;
        return value ? std::abs(*value) : INT64_MAX;
    };
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return stride(a) < stride(b); });
    return order;
}

}  // namespace fusion

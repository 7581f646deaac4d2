#pragma once
/// The arguments that a compiled filter wants, from its metadata; knows Halide's runtime only.
#include <HalideRuntime.h>

#include <functional>
#include <vector>

namespace fusion {

/// An argument each: dimensions of a buffer, or a scalar's value.
struct FilterShapes {
    std::vector<std::vector<halide_dimension_t>> dimensions;
    std::vector<halide_scalar_value_t> scalars;
};

/// Scalars at their estimates (their defaults where they have none); buffers of the estimated extents, of inputs without
/// estimates those that the filter asks for, no two elements in one place. `call` calls the filter, here for a bounds query.
/// Throws UserError naming the argument without an estimate.
FilterShapes filter_shapes(const halide_filter_metadata_t &metadata, const std::function<void(void **)> &call);

}  // namespace fusion

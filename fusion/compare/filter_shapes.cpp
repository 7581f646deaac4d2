#include "fusion/compare/filter_shapes.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "fusion/error.h"

namespace fusion {
namespace {

/// A bounds query leaves those strides alone that nothing constrains, such as a row's where channels are interleaved.
void keep_elements_apart(std::vector<halide_dimension_t> &dimensions) {
    std::vector<size_t> order(dimensions.size());
    std::iota(order.begin(), order.end(), size_t(0));
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return dimensions[a].stride < dimensions[b].stride; });
    int free = 1;
    for (const size_t d : order) {
        dimensions[d].stride = std::max(dimensions[d].stride, free);
        free = dimensions[d].stride * std::max(dimensions[d].extent, 1);
    }
}

}  // namespace

FilterShapes filter_shapes(const halide_filter_metadata_t &metadata, const std::function<void(void **)> &call) {
    const size_t count = (size_t)metadata.num_arguments;
    FilterShapes shapes;
    shapes.dimensions.resize(count);
    shapes.scalars.resize(count);
    std::vector<halide_buffer_t> asked(count);
    std::vector<void *> pointers(count);
    for (size_t i = 0; i < count; i++) {
        const halide_filter_argument_t &a = metadata.arguments[i];
        if (a.kind == halide_argument_kind_input_scalar) {
            const halide_scalar_value_t *value = a.scalar_estimate ? a.scalar_estimate : a.scalar_def;
            if (!value) {
                throw UserError("Scalar input \"" + std::string(a.name) +
                                "\" has no estimate to run with. Next step: call set_estimate on it.");
            }
            shapes.scalars[i] = *value;
            pointers[i] = &shapes.scalars[i];
            continue;
        }
        int stride = 1;
        for (int d = 0; d < a.dimensions; d++) {
            const int64_t *min = a.buffer_estimates ? a.buffer_estimates[2 * d] : nullptr;
            const int64_t *extent = a.buffer_estimates ? a.buffer_estimates[2 * d + 1] : nullptr;
            if (a.kind == halide_argument_kind_output_buffer && (!min || !extent)) {
                throw UserError("Output \"" + std::string(a.name) + "\" has no estimate for dimension " +
                                std::to_string(d) + ". Next step: call set_estimates on it.");
            }
            // Of an input too, where there is one: the length of a row that is reduced follows from no output.
            shapes.dimensions[i].emplace_back(min ? (int)*min : 0, extent ? (int)*extent : 0, stride);
            stride *= extent ? (int)*extent : 1;
        }
        asked[i] = halide_buffer_t{};
        asked[i].type = a.type;
        asked[i].dimensions = a.dimensions;
        asked[i].dim = shapes.dimensions[i].data();
        pointers[i] = &asked[i];
    }
    call(pointers.data());  // buffers without memory: a bounds query, which fills in the shapes
    for (std::vector<halide_dimension_t> &dimensions : shapes.dimensions) {
        keep_elements_apart(dimensions);
    }
    return shapes;
}

}  // namespace fusion

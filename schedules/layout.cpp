#include "schedules/layout.h"

#include <algorithm>
#include <set>

#include "fusion/choices.h"
#include "fusion/room.h"

namespace fusion {
namespace {

Halide::Parameter parameter_of(const PipelineView &view, const BufferRef &buffer) {
    const PipelineView::Source &source = view.sources[buffer.func_id];
    return buffer.output_element < 0 ? source.parameter : source.function.output_buffers()[buffer.output_element];
}

}  // namespace

std::vector<BufferRef> external_buffers(const PipelineView &view, Vertex v) {
    const Stage &stage = view.graph[v];
    std::vector<BufferRef> buffers;
    if (stage.role == Role::Input && view.sources[stage.func_id].is_input_wrapper) {
        buffers.push_back({stage.func_id, -1});
    } else if (stage.role == Role::Output) {
        for (int i = 0; i < (int)stage.element_bytes.size(); i++) {
            buffers.push_back({stage.func_id, i});
        }
    }
    return buffers;
}

bool has_unit_stride(const PipelineView &view, const BufferRef &buffer, int dim) {
    const Halide::Expr stride = parameter_of(view, buffer).stride_constraint(dim);
    return stride.defined() && Halide::Internal::is_const_one(stride);
}

namespace {

/// A buffer that the kernel streams through.
struct Streamed {
    Vertex stage;
    std::vector<BufferRef> elements;  ///< empty: allocated inside the pipeline
};

std::vector<Streamed> streamed_buffers(const PipelineView &view, const Group &group) {
    std::vector<Streamed> streamed;
    for (const Vertex output : group.outputs) {
        streamed.push_back({output, external_buffers(view, output)});
    }
    for (const Input &input : group.inputs) {
        if (input.streams) {
            streamed.push_back({input.producer, external_buffers(view, input.producer)});
        }
    }
    return streamed;
}

/// Outputs of the pipeline that decide the region of `v`.
std::vector<Vertex> reachable_outputs(const StageGraph &graph, Vertex v) {
    std::set<Vertex> reached = {v};
    std::vector<Vertex> outputs;
    for (Vertex w = v; w < num_vertices(graph); w++) {
        if (!reached.count(w)) {
            continue;
        }
        if (graph[w].role == Role::Output) {
            outputs.push_back(w);
        }
        for (const Vertex consumer : consumers_of(graph, w)) {
            reached.insert(consumer);
        }
    }
    return outputs;
}

BufferField field(BufferField::Kind kind, const BufferRef &buffer, int dim) {
    return {kind, buffer, dim};
}

Fact equals(const BufferField &left, int64_t value) {
    return {.kind = Fact::EqualsConstant, .left = left, .value = value};
}

/// What every streamed buffer of the caller must satisfy; `reference` gives the extents of the loops.
void describe_buffer(Condition &facts, const PipelineView &view, const Streamed &buffer, const BufferRef &reference,
                     const std::vector<int> &loop_order, const Layout &layout) {
    const Stage &stage = view.graph[buffer.stage];
    const std::vector<int> &order = stage.memory_order;
    for (size_t i = 0; i < buffer.elements.size(); i++) {
        const BufferRef &ref = buffer.elements[i];
        if (!has_unit_stride(view, ref, order[0])) {
            facts.push_back(equals(field(BufferField::Stride, ref, order[0]), 1));
        }
        // Of a Tuple's buffers Halide lets only the first have its minimum constrained: the others share it.
        // Of one loop it is enough that all begin at the same place; a constant would enter what the pipeline requires.
        if (i == 0 && layout.flattened == 1 && !(ref == reference)) {
            facts.push_back({.kind = Fact::EqualsField,
                             .left = field(BufferField::Min, ref, order[0]),
                             .right = field(BufferField::Min, reference, loop_order[0])});
        }
        for (int d = 0; i == 0 && layout.flattened > 1 && d < layout.flattened; d++) {
            facts.push_back(equals(field(BufferField::Min, ref, order[d]), 0));
        }
        for (int d = 1; d < (int)order.size(); d++) {
            const BufferField stride = field(BufferField::Stride, ref, order[d]);
            if (d < layout.flattened) {
                Fact contiguous{.kind = Fact::EqualsProduct, .left = stride};
                for (int inner = 0; inner < d; inner++) {
                    contiguous.factors.push_back(field(BufferField::Extent, reference, loop_order[inner]));
                }
                facts.push_back(contiguous);
                // Where the user fixes the stride, the index holds that number and not the stride: say it of the extent.
                const Halide::Expr fixed = parameter_of(view, ref).stride_constraint(order[d]);
                if (const auto number = fixed.defined() ? Halide::Internal::as_const_int(fixed) : std::nullopt;
                    number && d == 1) {
                    facts.back() = equals(contiguous.factors[0], *number);
                }
            } else {
                facts.push_back({.kind = Fact::MultipleOf, .left = stride, .value = layout.vector});
            }
        }
        const int64_t wide = std::min(16, stage.element_bytes[std::max(0, ref.output_element)] * layout.vector);
        facts.push_back({.kind = Fact::DeviceAligned, .left = field(BufferField::Min, ref, 0), .value = wide});
    }
}

}  // namespace

int most_flattened(const PipelineView &view, const Group &group) {
    const Stage &out = view.graph[group.outputs[0]];
    const std::vector<Streamed> streamed = streamed_buffers(view, group);
    const bool external =
        std::all_of(streamed.begin(), streamed.end(), [](const Streamed &s) { return !s.elements.empty(); });
    const bool same_order = std::all_of(streamed.begin(), streamed.end(), [&](const Streamed &s) {
        return view.graph[s.stage].memory_order == out.memory_order;
    });
    const bool same_point =
        std::all_of(group.inputs.begin(), group.inputs.end(), [](const Input &i) { return i.same_point; });
    // The region of an output that others read is theirs too: no extent of a buffer, of which the branch could know that it is
    // not 0, and Halide divides by what may be negative when it tells what is needed of an input.
    const bool own_region = out_degree(group.outputs[0], view.graph) == 0;
    // Of three dimensions as one loop Halide 21 proves no access contiguous; two, and the third outside, it does.
    return external && same_order && same_point && own_region ? std::min(2, (int)out.dims.size()) : 1;
}

std::optional<Condition> size_condition(const PipelineView &view, Vertex stage, const std::map<int, int64_t> &least) {
    Condition facts;
    for (const auto &[dim, size] : least) {
        if (has_numbers(view.graph, stage, dim, size)) {
            continue;
        }
        const auto room = room_along(view.graph, stage, dim);
        if (!room) {
            return std::nullopt;
        }
        facts.push_back({.kind = Fact::AtLeast,
                         .left = field(BufferField::Extent, external_buffers(view, room->output)[0], room->dim),
                         .value = size * room->divisor});
    }
    return facts;
}

Condition estimate_condition(const PipelineView &view, Vertex stage, int dim) {
    Condition facts;
    for (const auto &[output, of_output] : pinned_by(view.graph, stage, dim)) {
        const BufferRef buffer = external_buffers(view, output)[0];
        const Extent &estimate = view.graph[output].dims[of_output];
        facts.push_back(equals(field(BufferField::Min, buffer, of_output), estimate.min));
        facts.push_back(equals(field(BufferField::Extent, buffer, of_output), estimate.extent));
    }
    return facts;
}

Condition phase_condition(const PipelineView &view, Vertex stage, int dim, int64_t modulus) {
    Condition facts;
    const auto phase = phase_of(view.graph, stage, dim, modulus);
    for (const auto &[output, of_output] : phase ? phase->outputs : std::set<std::pair<Vertex, int>>()) {
        const BufferRef buffer = external_buffers(view, output)[0];
        const Extent &estimate = view.graph[output].dims[of_output];
        for (const auto &[kind, value] :
             {std::pair(BufferField::Min, estimate.min), std::pair(BufferField::Extent, estimate.extent)}) {
            facts.push_back({.kind = Fact::MultipleOf,
                             .left = field(kind, buffer, of_output),
                             .value = modulus,
                             .remainder = (value % modulus + modulus) % modulus});
        }
    }
    return facts;
}

std::optional<Condition> layout_condition(const PipelineView &view, const Group &group, const Layout &layout) {
    const Vertex output = group.outputs[0];
    const std::vector<int> &loop_order = view.graph[output].memory_order;
    const std::vector<Streamed> streamed = streamed_buffers(view, group);
    const bool is_internal = streamed[0].elements.empty();
    if (is_internal && layout.whole_vectors) {
        return std::nullopt;  // RoundUp would widen what the stage needs of its own inputs
    }
    // Buffers inside the pipeline begin where the outputs that need them do.
    std::vector<BufferRef> origins;
    for (const Vertex v : reachable_outputs(view.graph, output)) {
        if (view.graph[v].dims.size() == loop_order.size()) {
            origins.push_back(external_buffers(view, v)[0]);
        }
    }
    if (origins.empty()) {
        return std::nullopt;
    }
    Condition facts;
    const BufferRef reference = is_internal ? origins[0] : streamed[0].elements[0];
    bool reads_internal = is_internal;
    for (const Streamed &buffer : streamed) {
        reads_internal |= buffer.elements.empty();
        describe_buffer(facts, view, buffer, reference, loop_order, layout);
    }
    for (const BufferRef &origin : origins) {
        if (reads_internal && !(origin == reference)) {
            facts.push_back({.kind = Fact::EqualsField,
                             .left = field(BufferField::Min, origin, loop_order[0]),
                             .right = field(BufferField::Min, reference, loop_order[0])});
        }
    }
    std::vector<BufferField> lengths;
    for (int d = 0; d < layout.flattened; d++) {
        lengths.push_back(field(BufferField::Extent, reference, loop_order[d]));
    }
    if (layout.flattened > 1) {
        for (int d = 0; d + 1 < layout.flattened; d++) {
            facts.push_back({.kind = Fact::Positive, .left = lengths[d]});
        }
        facts.push_back({.kind = Fact::ProductFits, .factors = lengths});
    }
    if (layout.whole_vectors) {
        facts.push_back({.kind = Fact::ProductMultiple, .value = layout.vector, .factors = lengths});
    }
    return facts.empty() ? std::nullopt : std::optional<Condition>(facts);
}

}  // namespace fusion

/// When a block that reduces runs at the sizes of the estimates: its loops then have constant bounds, and no point of them
/// needs a guard; and when its rows, of any length, are whole vectors.
#include <algorithm>

#include "fusion/footprint.h"
#include "fusion/reduction_kernel.h"
#include "schedules/layout.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

Fact equals(BufferField::Kind kind, const BufferRef &buffer, int dim, int64_t value) {
    return {.kind = Fact::EqualsConstant, .left = {kind, buffer, dim}, .value = value};
}

void add(Condition &facts, const Fact &fact) {
    const auto same = [&](const Fact &f) {
        return f.kind == fact.kind && f.left.kind == fact.left.kind && f.left.buffer == fact.left.buffer &&
               f.left.dim == fact.left.dim;
    };
    if (std::none_of(facts.begin(), facts.end(), same)) {
        facts.push_back(fact);
    }
}

/// Adds that the field's rows are whole vectors, of at least so many elements.
void fill(Condition &facts, const BufferField &extent, int vector, int64_t least) {
    add(facts, {.kind = Fact::AtLeast, .left = extent, .value = least});
    add(facts, {.kind = Fact::MultipleOf, .left = extent, .value = vector});
}

class FindParameters : public IRVisitor {
public:
    std::vector<const Variable *> found;

private:
    using IRVisitor::visit;
    void visit(const Variable *op) override {
        if (op->param.defined()) {
            found.push_back(op);
        }
    }
};

/// The minimum or extent of an input that the variable stands for, equal to its estimate.
std::optional<Fact> at_estimate(const PipelineView &view, const Variable *variable) {
    if (!variable->param.is_buffer()) {
        return std::nullopt;
    }
    for (int id = 0; id < (int)view.sources.size(); id++) {
        if (!view.sources[id].is_input_wrapper || !view.sources[id].parameter.same_as(variable->param)) {
            continue;
        }
        for (int dim = 0; dim < variable->param.dimensions(); dim++) {
            const std::string suffix = "." + std::to_string(dim), name = variable->param.name();
            const auto fact = [&](BufferField::Kind kind, const Expr &estimate) -> std::optional<Fact> {
                const auto value = estimate.defined() ? as_const_int(simplify(estimate)) : std::nullopt;
                return value ? std::optional(equals(kind, {id, -1}, dim, *value)) : std::nullopt;
            };
            if (variable->name == name + ".min" + suffix) {
                return fact(BufferField::Min, variable->param.min_constraint_estimate(dim));
            }
            if (variable->name == name + ".extent" + suffix) {
                return fact(BufferField::Extent, variable->param.extent_constraint_estimate(dim));
            }
        }
    }
    return std::nullopt;
}

/// The bounds of the reduction's RDom are constant, or become so under facts that are added. False where they cannot.
bool fix_reduction(Condition &facts, const PipelineView &view, const Member &member) {
    const Function &f = view.sources[view.graph[member.stage].func_id].function;
    FindParameters finder;
    for (const ReductionVariable &rv : f.update(0).schedule().rvars()) {
        rv.min.accept(&finder);
        rv.extent.accept(&finder);
    }
    return std::all_of(finder.found.begin(), finder.found.end(), [&](const Variable *variable) {
        const auto fact = at_estimate(view, variable);
        if (fact) {
            add(facts, *fact);
        }
        return fact.has_value();
    });
}

/// The extent of the variable that threads share.
Expr shared_extent(const PipelineView &view, const Member &member) {
    const Function &f = view.sources[view.graph[member.stage].func_id].function;
    return simplify(f.update(0).schedule().rvars()[shared_rvar(view.graph, member)].extent);
}

/// The same where it is the extent of an input: equal to its estimate.
std::optional<Fact> shared_extent_at_estimate(const PipelineView &view, const Member &member) {
    const Expr extent = shared_extent(view, member);
    const Variable *variable = extent.as<Variable>();
    const auto fact = variable && variable->param.defined() ? at_estimate(view, variable) : std::nullopt;
    return fact && fact->left.kind == BufferField::Extent ? fact : std::nullopt;
}

/// Every vector of the variable that threads share is whole, and it is so long, under facts that are added. False where no
/// buffer of the caller shows it.
bool fill_vectors(Condition &facts, const PipelineView &view, const Member &member, int vector, int64_t least) {
    if (as_const_int(shared_extent(view, member))) {
        return true;
    }
    const auto fact = shared_extent_at_estimate(view, member);
    if (fact) {
        fill(facts, fact->left, vector, least);
    }
    return fact.has_value();
}

/// The output of the pipeline that has the extents of `v`; nullopt where none is known to.
std::optional<Vertex> sized_like(const StageGraph &graph, Vertex v) {
    while (graph[v].role != Role::Output) {
        if (out_degree(v, graph) != 1 || graph[*out_edges(v, graph).first].kind != ReadKind::Pointwise) {
            return std::nullopt;
        }
        v = target(*out_edges(v, graph).first, graph);
    }
    return v;
}

void align(Condition &facts, const PipelineView &view, Vertex v, int vector) {
    const Stage &stage = view.graph[v];
    if (stage.memory_order.empty()) {
        return;  // one value
    }
    const std::vector<BufferRef> buffers = external_buffers(view, v);
    for (size_t i = 0; i < buffers.size(); i++) {
        if (!has_unit_stride(view, buffers[i], stage.memory_order[0])) {
            add(facts, equals(BufferField::Stride, buffers[i], stage.memory_order[0], 1));
        }
        if (i == 0) {
            add(facts,
                equals(BufferField::Min, buffers[i], stage.memory_order[0], stage.dims[stage.memory_order[0]].min));
        }
        for (size_t d = 1; d < stage.memory_order.size(); d++) {
            facts.push_back({.kind = Fact::MultipleOf,
                             .left = {BufferField::Stride, buffers[i], stage.memory_order[d]},
                             .value = vector});
        }
        facts.push_back({.kind = Fact::DeviceAligned,
                         .left = {BufferField::Min, buffers[i], 0},
                         .value = std::min(16, stage.element_bytes[i] * vector)});
    }
}

/// The rows that the group's vectors walk start at multiples of them.
void align_rows(Condition &facts, const PipelineView &view, const Group &group) {
    const Vertex output = group.outputs[0];
    const Stage &out = view.graph[output];
    const ReductionShape shape = reduction_shape(view.graph, group);
    if (group.tile.vector > 1) {
        for (const Input &input : group.inputs) {
            if (input.streams) {
                align(facts, view, input.producer, group.tile.vector);
            }
        }
        if (!shape.columns.empty() && shape.columns[0] == contiguous_dim(out) && out.role == Role::Output) {
            align(facts, view, output, group.tile.vector);
        }
    }
}

}  // namespace

std::optional<Condition> row_condition(const PipelineView &view, const Group &group) {
    Condition facts;
    std::vector<Member> reductions = reductions_of(view.graph, group);
    const std::vector<Member> slices = slices_of(view.graph, group);
    reductions.insert(reductions.end(), slices.begin(), slices.end());
    for (const Member &member : reductions) {
        if (!fix_reduction(facts, view, member)) {
            return std::nullopt;
        }
    }
    const Vertex output = group.outputs[0];
    const Stage &out = view.graph[output];
    const ReductionShape shape = reduction_shape(view.graph, group);
    if (!shape.columns.empty()) {
        const auto sized = sized_like(view.graph, output);
        if (!sized) {
            return std::nullopt;
        }
        const BufferRef buffer = external_buffers(view, *sized)[0];
        for (const int dim : shape.columns) {
            add(facts, equals(BufferField::Min, buffer, dim, out.dims[dim].min));
            add(facts, equals(BufferField::Extent, buffer, dim, out.dims[dim].extent));
        }
    }
    align_rows(facts, view, group);
    return facts.empty() ? std::nullopt : std::optional<Condition>(facts);
}

std::optional<RowThreads> row_threads(const PipelineView &view, const Group &group) {
    const Tile &tile = group.tile;
    const std::vector<Member> reductions = reductions_of(view.graph, group);
    const bool is_cut = tile.chunks > 1 || tile.bands > 1 || !slices_of(view.graph, group).empty();
    const bool are_values = std::all_of(reductions.begin(), reductions.end(), [&](const Member &member) {
        return view.graph[member.stage].element_bytes.size() == 1;
    });
    if (tile.reducing <= kLeastRowThreads || is_cut || !are_values || !shares_lanes(view.graph, group)) {
        return std::nullopt;
    }
    for (const Member &member : reductions) {
        if (const auto fact = shared_extent_at_estimate(view, member)) {
            const int64_t each = (int64_t)tile.reducing * tile.vector;
            return RowThreads{.width = fact->left,
                              .estimate = fact->value,
                              .vector = tile.vector,
                              .turns = (int)((fact->value + each - 1) / each),
                              .most = tile.reducing};
        }
    }
    return std::nullopt;
}

std::optional<Condition> whole_vectors_condition(const PipelineView &view, const Group &group, int64_t least) {
    if (group.tile.vector == 1) {
        return std::nullopt;
    }
    Condition facts;
    for (const Member &member : reductions_of(view.graph, group)) {
        if (!fill_vectors(facts, view, member, group.tile.vector, least)) {
            return std::nullopt;
        }
    }
    const ReductionShape shape = reduction_shape(view.graph, group);
    if (!shape.columns.empty()) {
        const auto sized = sized_like(view.graph, group.outputs[0]);
        if (!sized) {
            return std::nullopt;
        }
        fill(facts, {BufferField::Extent, external_buffers(view, *sized)[0], shape.columns[0]}, group.tile.vector,
             least);
    }
    if (facts.empty()) {
        return std::nullopt;  // of constant sizes: the branch for the estimates has it all
    }
    align_rows(facts, view, group);
    return facts;
}

}  // namespace fusion

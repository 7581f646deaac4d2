#include "fusion/halide/read_pipeline.h"

#include <algorithm>
#include <map>
#include <set>

#include "fusion/error.h"
#include "fusion/halide/choices.h"
#include "fusion/halide/classify_reads.h"
#include "fusion/halide/constant_regions.h"
#include "fusion/halide/expr_cost.h"
#include "fusion/halide/gpu_support.h"
#include "fusion/halide/memory_order.h"
#include "fusion/halide/reassociate.h"
#include "fusion/halide/regions.h"
#include "fusion/halide/side_by_side.h"
#include "fusion/halide/unneeded_reads.h"
#include "fusion/halide/user_schedule.h"
#include "fusion/halide/walk.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

std::vector<std::string> loop_names(const std::vector<Extent> &dims) {
    std::vector<std::string> names;
    for (const Extent &dim : dims) {
        names.push_back(dim.name);
    }
    return names;
}

/// Builds the vertices of one pipeline.
class Builder {
public:
    PipelineView view;

    explicit Builder(const std::vector<Function> &outputs) {
        view.outputs = outputs;
        reached = reach(outputs);
        for (const Function &f : outputs) {
            output_names.insert(f.name());
        }
        for (const Reached::Node &node : reached.nodes) {
            functions.push_back(node.function);
        }
        regions = required_regions(functions, outputs);
        value_bounds = value_bounds_of(functions);
        most_extents = constant_extents(functions, outputs, value_bounds);
        for (const Function &f : functions) {
            for (const auto &[name, elements] : elements_called(f)) {
                read_elements[name].insert(elements.begin(), elements.end());
            }
        }
        add_images();
        for (const Reached::Node &node : reached.nodes) {
            if (!node.image || output_names.count(node.name)) {
                add_function(node.function);
            }
        }
        keep_unneeded_apart(view.graph, unneeded);
        name_stages();
    }

private:
    Reached reached;
    std::set<std::string> output_names;
    std::vector<Function> functions;
    Regions regions;
    FuncValueBounds value_bounds;
    std::map<std::string, std::vector<int64_t>> most_extents;  ///< by Halide's name
    std::map<std::string, std::set<int>> read_elements;        ///< of Tuples, by Halide's name
    std::vector<UnneededRead> unneeded;
    std::map<std::string, Vertex> last_definition;  ///< by Halide's name: what a reader of it depends on
    std::vector<std::string> raw_names;             ///< by func_id

    Vertex add_vertex_of(Stage stage) { return add_vertex(std::move(stage), view.graph); }

    std::optional<std::vector<Extent>> region_of(const std::string &name) const {
        const auto found = regions.find(name);
        return found == regions.end() ? std::nullopt : found->second;
    }

    void set_types(Stage &stage, const std::vector<Type> &types) {
        for (const Type &type : types) {
            stage.element_bytes.push_back(type.bytes());
            stage.value_bytes += type.bytes();
        }
    }

    void add_images() {
        for (const Call *call : reached.images) {
            Stage stage;
            stage.role = Role::Input;
            stage.func_id = (int)view.sources.size();
            const auto region = region_of(call->name);
            stage.unbounded = !region;
            for (size_t d = 0; d < call->args.size(); d++) {
                stage.dims.push_back(region ? (*region)[d] : Extent{});
                stage.dims.back().name = std::to_string(d);
            }
            set_types(stage, {call->type});
            stage.memory_order = memory_order_of(call->param, (int)call->args.size());
            PipelineView::Source source;
            source.parameter = call->param;
            const Vertex v = add_vertex_of(std::move(stage));
            last_definition[call->name] = v;
            for (const Reached::Node &node : reached.nodes) {
                if (node.image && node.image->name == call->name && !output_names.count(node.name)) {
                    last_definition[node.name] = v;
                    source.function = node.function;
                    source.is_input_wrapper = true;
                    view.graph[v].can_be_staged = node.function.schedule().wrappers().empty();
                }
            }
            view.sources.push_back(source);
            raw_names.push_back(call->name);
        }
    }

    void add_function(const Function &f) {
        const int id = (int)view.sources.size();
        PipelineView::Source source;
        source.function = f;
        view.sources.push_back(source);
        raw_names.push_back(f.name());
        const auto region = region_of(f.name());
        const std::vector<Definition> updates = f.has_extern_definition() ? std::vector<Definition>() : f.updates();
        for (int update = 0; update <= (int)updates.size(); update++) {
            Stage stage;
            stage.func_id = id;
            stage.update = update;
            stage.role = output_names.count(f.name()) ? Role::Output : Role::Intermediate;
            stage.is_extern = f.has_extern_definition();
            stage.scheduled_by_user = is_scheduled_by_user(f) || (is_bounded_by_user(f) && stage.role != Role::Output);
            stage.has_own_loops = has_own_loops(f);
            stage.has_updates = !updates.empty();
            stage.can_be_staged = !stage.is_extern && f.schedule().wrappers().empty();
            stage.unbounded = !region || !fits_a_buffer(*region);
            stage.unbounded_dims = stage.unbounded ? unbounded_dims(f, functions, regions, value_bounds) : "";
            for (int d = 0; d < f.dimensions(); d++) {
                stage.dims.push_back(region ? (*region)[d] : Extent{});
                stage.dims.back().name = f.args()[d];
            }
            set_types(stage, f.output_types());
            // Limit: kernels that store guarded float16 vectors wrote wrong values, also outside of the buffer (Halide 21,
            // H200, 2026-11-29; the PTX looks right).
            stage.no_guards = std::any_of(f.output_types().begin(), f.output_types().end(),
                                          [](const Type &t) { return t.is_float() && t.bits() == 16; });
            stage.memory_order =
                memory_order_of(f.output_buffers().empty() ? Parameter() : f.output_buffers()[0], f.dimensions());
            if (stage.is_extern) {
                read_extern(f, add_vertex_of(std::move(stage)));
                continue;
            }
            const Definition &definition = update == 0 ? f.definition() : updates[update - 1];
            stage.reduction = reduction_dims(definition);
            stage.partly_read = stage.role != Role::Output && updates.empty() && is_partly_read(f);
            stage.folds = updates.size() == 1 && update > 0 && folds(f, definition);
            stage.scatters = updates.size() == 1 && update > 0 && scatters(f, definition, value_bounds);
            stage.places = places_of(f, definition);
            stage.independent = independent_dims(f, definition);
            stage.side_by_side = side_by_side(f, definition, stage.memory_order);
            stage.unordered = unordered_rvars(definition);
            stage.choices = choices_by(definition.values(), loop_names(stage.dims));
            stage.most_extent = most_extents[f.name()];
            stage.reassociable = updates.size() == 1 && update > 0 && is_reassociable(f, definition);
            stage.work = work_of(expressions_of(definition), loops_of(stage));
            const Period period = period_of(stage);
            stage.chosen =
                period.empty() ? stage.work : chosen_work(expressions_of(definition), period, loops_of(stage));
            stage.live_values = live_values_of(definition.values());
            stage.gpu_refusal = gpu_refusal(f, definition);
            read_definition(f, definition, add_vertex_of(std::move(stage)));
        }
    }

    /// Some element that reads a Func is called by no definition.
    bool is_partly_read(const Function &f) const {
        const auto read = read_elements.find(f.name());
        for (int i = 0; i < f.outputs() && f.outputs() > 1 && read != read_elements.end(); i++) {
            if (!read->second.count(i) && !elements_called(f.values()[i]).empty()) {
                return true;
            }
        }
        return false;
    }

    static bool fits_a_buffer(const std::vector<Extent> &region) {
        return Read{.region = region}.region_elements() <= 2147483647.0;
    }

    void read_extern(const Function &f, Vertex v) {
        for (const ExternFuncArgument &arg : f.extern_arguments()) {
            if (arg.is_func()) {
                Read read;
                read.kind = ReadKind::Opaque;
                const Vertex producer = last_definition.at(Function(arg.func).name());
                read.follows.assign(view.graph[producer].dims.size(), -1);
                read.region = view.graph[producer].dims;
                add_edge(producer, v, read, view.graph);
            }
        }
        last_definition[f.name()] = v;
    }

    static std::vector<Expr> simplify_all(std::vector<Expr> exprs) {
        for (Expr &e : exprs) {
            e = simplify(e);
        }
        return exprs;
    }

    /// Of a Func of one definition: those of others run one after the other.
    static Period period_of(const Stage &stage) {
        return stage.has_updates ? Period() : points_of_period(stage.dims, stage.choices);
    }

    void read_definition(const Function &f, const Definition &definition, Vertex v) {
        const Stage stage = view.graph[v];
        if (stage.update > 0) {
            Read in_place;
            in_place.kind = ReadKind::InPlace;
            in_place.follows.assign(stage.dims.size(), -1);
            for (const int d : stage.independent) {
                in_place.follows[d] = d;
            }
            in_place.region = stage.dims;
            add_edge(v - 1, v, in_place, view.graph);
        }
        const std::vector<Expr> exprs = expressions_of(definition);
        const Regions needed = required_by(exprs, stage.dims, stage.reduction, value_bounds);
        const auto simplified =
            classify_reads(simplify_all(exprs), loop_names(stage.dims), loop_names(stage.reduction));
        // Producers in order of their vertices, so that names never decide.
        std::map<Vertex, std::vector<Read>> ordered;
        auto found = classify_reads(exprs, loop_names(stage.dims), loop_names(stage.reduction));
        if (const Period period = period_of(stage); !period.empty()) {
            find_taken(exprs, period, loop_names(stage.dims), found);
        }
        for (auto &[name, reads] : found) {
            if (name == f.name()) {
                continue;
            }
            const auto region = needed.find(name);
            const Vertex producer = last_definition.at(name);
            if (!simplified.count(name)) {
                // Halide 21 crashes where a specialised branch has no use for what the other one reads.
                view.graph[producer].can_be_staged = false;
                unneeded.push_back({producer, v});
            }
            for (Read &read : reads) {
                const bool known = region != needed.end() && region->second;
                read.region = known ? *region->second : view.graph[producer].dims;
                ordered[producer].push_back(read);
            }
        }
        for (const auto &[producer, reads] : ordered) {
            for (const Read &read : reads) {
                add_edge(producer, v, read, view.graph);
            }
        }
        last_definition[f.name()] = v;
    }

    void name_stages() {
        const std::vector<std::string> names = display_names(raw_names);
        for (Vertex v = 0; v < num_vertices(view.graph); v++) {
            view.graph[v].func = names[view.graph[v].func_id];
        }
    }
};

}  // namespace

std::vector<std::string> display_names(const std::vector<std::string> &raw_names) {
    std::map<std::string, int> used;
    std::vector<std::string> names;
    for (const std::string &raw : raw_names) {
        const std::string base = raw.substr(0, raw.find('$'));
        const int times = ++used[base];
        names.push_back(times == 1 ? base : base + "#" + std::to_string(times));
    }
    return names;
}

PipelineView read_pipeline(const std::vector<Function> &outputs) {
    if (outputs.empty()) {
        throw UserError("The pipeline has no output Funcs. Next step: construct it from at least one defined Func.");
    }
    return std::move(Builder(outputs).view);
}

}  // namespace fusion

#include "fusion/rewrites/native_math.h"

#include <algorithm>
#include <set>

#include "fusion/halide/expr_cost.h"
#include "fusion/halide/regions.h"
#include "fusion/text.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

#include "fusion/rewrites/native_math.inc"

class HoldsStrictFloat : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        found |= op->is_strict_float_intrinsic();
        IRGraphVisitor::visit(op);
    }
};

bool holds_strict_float(const std::vector<Expr> &exprs) {
    HoldsStrictFloat holds;
    for (const Expr &e : exprs) {
        e.accept(&holds);
    }
    return holds.found;
}

std::vector<Definition> definitions_of(const Function &f) {
    std::vector<Definition> definitions = {f.definition()};
    definitions.insert(definitions.end(), f.updates().begin(), f.updates().end());
    return definitions;
}

bool has_gpu_loops(const Function &f) {
    const std::vector<Definition> definitions = definitions_of(f);
    return std::any_of(definitions.begin(), definitions.end(), [](const Definition &definition) {
        const std::vector<Dim> &dims = definition.schedule().dims();
        return std::any_of(dims.begin(), dims.end(), [](const Dim &d) { return is_gpu(d.for_type); });
    });
}

/// Funcs that the host may compute: what an extern stage reads, loops that a user keeps on the CPU, and all that may be
/// inlined there.
std::set<int> on_the_host(const PipelineView &view) {
    const StageGraph &graph = view.graph;
    std::set<int> funcs;
    for (Vertex v = num_vertices(graph); v-- > 0;) {
        const Stage &stage = graph[v];
        const bool has_loops = stage.scheduled_by_user && (stage.has_own_loops || stage.role == Role::Output);
        bool is_host = stage.is_extern || (has_loops && !has_gpu_loops(view.sources[stage.func_id].function));
        for (const Vertex consumer : consumers_of(graph, v)) {
            is_host |= graph[consumer].is_extern || (!stage.has_updates && funcs.count(graph[consumer].func_id));
        }
        if (is_host && stage.role != Role::Input) {
            funcs.insert(stage.func_id);
        }
    }
    return funcs;
}

}  // namespace

bool use_native_math(Function function) {
    bool changes = false;
    for (const Definition &definition : definitions_of(function)) {
        for (const Expr &value : definition.values()) {
            changes |= !NativeMath().mutate(value).same_as(value);
        }
    }
    if (changes) {
        NativeMath mutator;
        function.mutate(&mutator);
    }
    return changes;
}

std::vector<Rewrite> plan_native_math(PipelineView &view) {
    const std::set<int> host = on_the_host(view);
    std::vector<Rewrite> rewrites;
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        Stage &stage = view.graph[v];
        if (stage.role == Role::Input || stage.is_extern || stage.scheduled_by_user || host.count(stage.func_id)) {
            continue;
        }
        const std::vector<Definition> definitions = definitions_of(view.sources[stage.func_id].function);
        std::vector<Expr> all, before = expressions_of(definitions[stage.update]), after;
        for (const Definition &definition : definitions) {
            for (const Expr &e : expressions_of(definition)) {
                all.push_back(e);
            }
        }
        bool changes = false;
        for (const Expr &e : before) {
            after.push_back(NativeMath().mutate(e));
            changes |= !after.back().same_as(e);
        }
        if (!changes || holds_strict_float(all)) {
            continue;
        }
        const Work left = work_of(after, loops_of(stage));
        const double saved = stage.work.total() - left.total();
        if (saved <= 0) {
            continue;
        }
        stage.work = left;
        if (rewrites.empty() || rewrites.back().func_id != stage.func_id) {  // definitions of a Func follow each other
            rewrites.push_back({"native-math", stage.func_id, "", 0});
        }
        Rewrite &rewrite = rewrites.back();
        rewrite.saved += saved;
        rewrite.why =
            "the GPU's own instructions save " + fixed(rewrite.saved, 0) + " instructions a point of " + stage.func;
    }
    return rewrites;
}

std::string native_math_source() {
    return
#include "native_math_source.inc"
        ;
}

}  // namespace fusion

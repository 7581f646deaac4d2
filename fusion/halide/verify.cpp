#include "fusion/halide/verify.h"

#include <algorithm>
#include <set>

#include "schedules/apply.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class Inspect : public IRVisitor {
public:
    Lowered found;

private:
    using IRVisitor::visit;
    int kernel_depth = 0;
    int64_t threads = 1, shared_bytes = 0;
    Scope<Interval> ranges;  ///< of lets around

    void visit(const For *op) override {
        const bool is_block = op->for_type == ForType::GPUBlock, is_thread = op->for_type == ForType::GPUThread;
        const bool opens_kernel = is_block && kernel_depth == 0;
        if (opens_kernel) {
            found.kernels++;
            shared_bytes = 0;
            threads = 1;
        }
        kernel_depth += is_block;
        const int64_t outer = threads;
        if (is_thread) {
            // A guarded tail gives blocks at the edge fewer.
            const Expr most = find_constant_bound(simplify(op->extent), Direction::Upper, ranges);
            const auto extent = most.defined() ? as_const_int(simplify(most)) : std::nullopt;
            if (!extent) {
                found.unbounded_threads.push_back(op->name);
            }
            threads *= extent ? *extent : 1;
            found.most_threads = std::max<int>(found.most_threads, (int)threads);
        }
        IRVisitor::visit(op);
        threads = outer;
        kernel_depth -= is_block;
        if (opens_kernel) {
            found.most_shared_bytes = std::max(found.most_shared_bytes, shared_bytes);
        }
    }

    void visit(const Call *op) override {
        if (kernel_depth == 0 && op->name.rfind("llvm.nvvm.", 0) == 0) {
            found.gpu_calls_on_host.push_back(op->name);
        }
        IRVisitor::visit(op);
    }

    void visit(const AssertStmt *op) override {
        const Call *error = op->message.as<Call>();
        if (kernel_depth > 0 && is_const_zero(op->condition)) {
            found.failing.push_back(error ? error->name : "an assertion");
        }
        IRVisitor::visit(op);
    }

    void visit(const LetStmt *op) override {
        const bool is_index = op->value.type() == Int(32);
        const Interval range = is_index ? find_constant_bounds(op->value, ranges) : Interval();
        const ScopedBinding<Interval> bind(is_index, ranges, op->name, range);
        IRVisitor::visit(op);
    }

    void visit(const Allocate *op) override {
        if (kernel_depth == 0 && op->memory_type != MemoryType::Stack) {
            found.global_allocations.push_back(op->name);
        } else if (op->memory_type == MemoryType::GPUShared) {
            Expr size = op->type.bytes();
            for (const Expr &extent : op->extents) {
                size *= extent;
            }
            // A guarded tail makes sizes vary up to a bound.
            const Expr most = simplify(find_constant_bound(simplify(size), Direction::Upper, ranges));
            if (const auto bytes = most.defined() ? as_const_int(most) : std::nullopt) {
                shared_bytes += *bytes;
            } else {
                found.unsized_shared.push_back(op->name);
            }
        }
        IRVisitor::visit(op);
    }
};

/// Lets a statement through unchanged and keeps what it saw.
class Observe : public IRMutator {
public:
    Lowered found;
    using IRMutator::mutate;
    Stmt mutate(const Stmt &s) override {
        found = inspect(s);
        return s;
    }
};

/// "hist.0" is the first element of the Tuple Func "hist".
bool is_known(const std::string &allocation, const std::set<std::string> &stored) {
    return stored.count(allocation) || stored.count(allocation.substr(0, allocation.rfind('.')));
}

/// The same pipeline on Funcs of its own, to try a schedule on.
PipelineView copy_of(const PipelineView &view) {
    const auto [outputs, copies] = deep_copy(view.outputs, build_environment(view.outputs));
    PipelineView copy = view;
    copy.outputs = outputs;
    for (PipelineView::Source &source : copy.sources) {
        if (source.function.get_contents().defined()) {
            source.function = copies.at(source.function.name());
        }
    }
    return copy;
}

}  // namespace

namespace {

/// `stored`: gets the names of what the schedule made and stores in memory.
Pipeline scheduled(const Schedule &schedule, const PipelineView &copy, std::set<std::string> &stored) {
    const std::map<int, Func> made = apply_schedule(schedule, copy);
    for (const Directive &d : schedule) {
        if (d.verb == Verb::ComputeRoot && made.count(d.func_id)) {
            stored.insert(made.at(d.func_id).name());
        }
    }
    std::vector<Func> outputs;
    for (const Function &f : copy.outputs) {
        outputs.emplace_back(f);
    }
    Pipeline pipeline(outputs);
    use_wide_accesses(pipeline, copy);
    return pipeline;
}

}  // namespace

Pipeline scheduled_copy(const Schedule &schedule, const PipelineView &view) {
    std::set<std::string> stored;
    return scheduled(schedule, copy_of(view), stored);
}

Lowered inspect(const Stmt &stmt) {
    Inspect inspector;
    stmt.accept(&inspector);
    return inspector.found;
}

std::set<std::string> stored_by(const Plan &plan, const PipelineView &view) {
    std::set<std::string> stored;
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const auto &source = view.sources[view.graph[v].func_id];
        const bool is_stored = plan.placement[v] == Placement::Root || plan.placement[v] == Placement::Host;
        if (is_stored && source.function.get_contents().defined()) {
            stored.insert(source.function.name());
        }
    }
    return stored;
}

Decision verify(const Schedule &schedule, const PipelineView &view, const Plan &plan, const Device &device,
                const Target &target) {
    return verify(schedule, view, stored_by(plan, view), device, target);
}

Decision verify(const Schedule &schedule, const PipelineView &view, std::set<std::string> stored, const Device &device,
                const Target &target) {
    Observe observer;
    bool has_user_loops = false;
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        has_user_loops |= view.graph[v].has_own_loops;
    }
    try {
        Pipeline pipeline = scheduled(schedule, copy_of(view), stored);
        pipeline.add_custom_lowering_pass(&observer, [] {});
        pipeline.compile_to_module(pipeline.infer_arguments(), "verify", target);
    } catch (const Halide::Error &e) {
        return Decision::forbid(std::string("Halide refuses the schedule: ") + e.what());
    }
    const Lowered &found = observer.found;
    for (const std::string &name : found.global_allocations) {
        if (!is_known(name, stored) && !has_user_loops) {
            return Decision::forbid("the lowered statement holds \"" + name +
                                    "\" in global memory, which the plan does not know.");
        }
    }
    if (!found.gpu_calls_on_host.empty()) {
        return Decision::forbid("the host would have to run " + found.gpu_calls_on_host[0] + ", which is the GPU's.");
    }
    if (!found.failing.empty() && !has_user_loops) {
        return Decision::forbid("a kernel is bound to end with " + found.failing[0] + ".");
    }
    if (!found.unsized_shared.empty() && !has_user_loops) {
        return Decision::forbid("the shared memory of \"" + found.unsized_shared[0] +
                                "\" has no constant bound, so it may not fit.");
    }
    if (!found.unbounded_threads.empty() && !has_user_loops) {
        return Decision::forbid("the threads of \"" + found.unbounded_threads[0] +
                                "\" have no constant bound, so a block may not hold them.");
    }
    if (found.most_threads > device.threads_per_block) {
        return Decision::forbid("a launch would have " + std::to_string(found.most_threads) + " threads a block.");
    }
    if (found.most_shared_bytes > device.shared_per_block) {
        return Decision::forbid("a launch would take " + std::to_string(found.most_shared_bytes) +
                                " bytes of shared memory.");
    }
    return Decision::allow();
}

}  // namespace fusion

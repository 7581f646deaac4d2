#include "schedules/apply.h"

#include <tuple>

#include "fusion/error.h"
#include "fusion/rewrites/native_math.h"
#include "schedules/identity_where.h"
#include "schedules/scatter_place.h"
#include "schedules/whole_indices.h"

namespace fusion {
namespace {

using namespace Halide;

VarOrRVar loop_of(const Loop &loop, const Internal::Function &f, int update) {
    if (loop.kind == Loop::Arg && (loop.index < 0 || loop.index >= f.dimensions())) {
        throw InternalError("a loop over dimension " + std::to_string(loop.index) + " of " + f.name() + ", which has " +
                            std::to_string(f.dimensions()));
    }
    switch (loop.kind) {
    case Loop::Arg:
        return Var(f.args()[loop.index]);
    case Loop::Reduction:
        return RVar(f.update(update - 1).schedule().rvars()[loop.index].var);
    case Loop::MadeReduction:
        return RVar(loop.name);
    default:
        return Var(loop.name);
    }
}

/// The Funcs of a pipeline by func_id, and those that directives have made.
struct Funcs {
    const PipelineView &view;
    std::map<int, Func> made;

    Func operator[](int func_id) const {
        return func_id < (int)view.sources.size() ? Func(view.sources[func_id].function) : made.at(func_id);
    }
};

using StageKey = std::tuple<int, int, int>;

void apply_to_stage(const Directive &d, Halide::Stage stage, const std::vector<VarOrRVar> &loops, const Funcs &funcs,
                    const BufferLookup &lookup) {
    switch (d.verb) {
    case Verb::Split:
        stage.split(loops[0], loops[1], loops[2],
                    d.by_width ? row_threads_expr(*d.by_width, lookup) : Expr((int)d.number), d.tail);
        return;
    case Verb::Fuse:
        stage.fuse(loops[0], loops[1], loops[2]);
        return;
    case Verb::Reorder:
        stage.reorder(loops);
        return;
    case Verb::Vectorize:
        stage.vectorize(loops[0]);
        return;
    case Verb::Unroll:
        stage.unroll(loops[0]);
        return;
    case Verb::Parallel:
        stage.parallel(loops[0]);
        return;
    case Verb::GpuBlocks:
        loops.size() == 1 ? stage.gpu_blocks(loops[0]) : stage.gpu_blocks(loops[0], loops[1]);
        return;
    case Verb::GpuThreads:
        loops.size() == 1 ? stage.gpu_threads(loops[0]) : stage.gpu_threads(loops[0], loops[1]);
        return;
    case Verb::GpuSingleThread:
        stage.gpu_single_thread();
        return;
    case Verb::Atomic:
        stage.atomic();
        return;
    case Verb::AllowRaceConditions:
        stage.allow_race_conditions();
        return;
    case Verb::ComputeWith:
        if (d.loops[0].kind == Loop::Reduction) {
            stage.compute_with(funcs[d.other].update(d.update - 1), loops[0]);
        } else {
            stage.compute_with(funcs[d.other], loops[0]);
        }
        return;
    default:
        throw InternalError("a directive of the Func applied to a stage");
    }
}

}  // namespace

Loop arg(int index) {
    return {Loop::Arg, index, ""};
}

Loop rvar(int index) {
    return {Loop::Reduction, index, ""};
}

Loop made(const std::string &name) {
    return {Loop::Made, 0, name};
}

Loop made_reduction(const std::string &name) {
    return {Loop::MadeReduction, 0, name};
}

Loop outermost() {
    return made(Var::outermost().name());
}

std::map<int, Func> apply_schedule(const Schedule &schedule, const PipelineView &view) {
    const auto lookup = [&](const BufferRef &buffer) {
        const PipelineView::Source &source = view.sources[buffer.func_id];
        return buffer.output_element < 0 ? source.parameter : source.function.output_buffers()[buffer.output_element];
    };
    std::map<StageKey, Halide::Stage> branches;
    Funcs funcs{view, {}};
    for (const Directive &d : schedule) {
        if (d.verb == Verb::Wrap) {
            std::vector<Func> callers;
            for (const int caller : d.callers) {
                callers.push_back(funcs[caller]);
            }
            funcs.made[d.func_id] = callers.empty() ? funcs[d.other].in() : funcs[d.other].in(callers);
            continue;
        }
        if (d.verb == Verb::RFactor) {
            Func whole = funcs[d.other];
            std::vector<std::pair<RVar, Var>> kept;
            for (size_t i = 0; i < d.loops.size(); i += 2) {
                kept.emplace_back(loop_of(d.loops[i], whole.function(), d.update).rvar,
                                  loop_of(d.loops[i + 1], whole.function(), d.update).var);
            }
            funcs.made[d.func_id] = whole.update(d.update - 1).rfactor(kept);
            continue;
        }
        if (d.verb == Verb::ScatterPlace) {
            funcs.made[d.func_id] = scatter_place(funcs[d.other].function(), d.update - 1);
            continue;
        }
        Func f = funcs[d.func_id];
        if (d.verb == Verb::NativeMath) {
            use_native_math(f.function());
            continue;
        }
        if (d.verb == Verb::WholeIndices) {
            keep_indices_whole(f.function());
            continue;
        }
        if (d.verb == Verb::IdentityWhere) {
            identity_where(f.function(), d.update - 1);
            continue;
        }
        if (d.verb == Verb::FoldAll) {
            f.function().update(d.update - 1).predicate() = Internal::const_true();
            continue;
        }
        std::vector<VarOrRVar> loops;
        for (const Loop &loop : d.loops) {
            const bool is_step = d.verb == Verb::ComputeAt && loop.kind == Loop::Reduction;
            loops.push_back(is_step ? loop_of(loop, funcs[d.other].function(), 1)
                                    : loop_of(loop, f.function(), d.update));
        }
        switch (d.verb) {
        case Verb::ComputeRoot:
            f.compute_root();
            continue;
        case Verb::ComputeAt:
            f.compute_at(LoopLevel(funcs[d.other], loops[0]));
            continue;
        case Verb::StoreInRegister:
            f.store_in(MemoryType::Register);
            continue;
        case Verb::BoundStorage:
            f.bound_storage(loops[0].var, (int)d.number);
            continue;
        case Verb::ReorderStorage: {
            std::vector<Var> dims;
            for (const VarOrRVar &loop : loops) {
                dims.push_back(loop.var);
            }
            f.reorder_storage(dims);
            continue;
        }
        case Verb::AlignStorage:
            f.align_storage(loops[0].var, (int)d.number);
            continue;
        default:
            break;
        }
        Halide::Stage stage = d.update == 0 ? Halide::Stage(f) : f.update(d.update - 1);
        const bool opens = d.verb == Verb::Specialize || d.verb == Verb::Choose;
        if (const int branch = opens ? d.within : d.branch; branch >= 0) {
            stage = branches.at({d.func_id, d.update, branch});
        }
        if (opens) {
            const Expr condition =
                d.verb == Verb::Choose ? f.values()[0].as<Internal::Select>()->condition : to_expr(d.condition, lookup);
            branches.emplace(StageKey{d.func_id, d.update, d.branch}, stage.specialize(condition));
            continue;
        }
        apply_to_stage(d, stage, loops, funcs, lookup);
    }
    return funcs.made;
}

}  // namespace fusion

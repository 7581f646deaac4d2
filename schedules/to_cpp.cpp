#include <algorithm>
#include <set>

#include "fusion/error.h"
#include "fusion/rewrites/native_math.h"
#include "fusion/text.h"
#include "schedules/apply.h"
#include "schedules/identity_where.h"
#include "schedules/scatter_place.h"
#include "schedules/whole_indices.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

using namespace Halide;

/// How a verb is called in Halide; the order of a directive's parts in the call is the same for all of them.
const char *method(Verb verb) {
    switch (verb) {
    case Verb::Wrap:
        return "in";
    case Verb::RFactor:
        return "rfactor";
    case Verb::NativeMath:
    case Verb::WholeIndices:
        return "function().mutate";
    case Verb::IdentityWhere:
    case Verb::FoldAll:
        return "function().update";
    case Verb::ScatterPlace:
        return "function().values";
    case Verb::ComputeRoot:
        return "compute_root";
    case Verb::ComputeAt:
        return "compute_at";
    case Verb::StoreInRegister:
        return "store_in";
    case Verb::AlignStorage:
        return "align_storage";
    case Verb::BoundStorage:
        return "bound_storage";
    case Verb::ReorderStorage:
        return "reorder_storage";
    case Verb::Specialize:
    case Verb::Choose:
        return "specialize";
    case Verb::Split:
        return "split";
    case Verb::Fuse:
        return "fuse";
    case Verb::Reorder:
        return "reorder";
    case Verb::Vectorize:
        return "vectorize";
    case Verb::Unroll:
        return "unroll";
    case Verb::Parallel:
        return "parallel";
    case Verb::GpuBlocks:
        return "gpu_blocks";
    case Verb::GpuThreads:
        return "gpu_threads";
    case Verb::GpuSingleThread:
        return "gpu_single_thread";
    case Verb::Atomic:
        return "atomic";
    case Verb::AllowRaceConditions:
        return "allow_race_conditions";
    case Verb::ComputeWith:
        return "compute_with";
    }
    throw InternalError("unknown directive");
}

bool is_of_func(Verb verb) {
    return verb == Verb::ComputeRoot || verb == Verb::ComputeAt || verb == Verb::StoreInRegister ||
           verb == Verb::AlignStorage || verb == Verb::BoundStorage || verb == Verb::ReorderStorage;
}

const char *tail_name(TailStrategy tail) {
    switch (tail) {
    case TailStrategy::GuardWithIf:
        return "GuardWithIf";
    case TailStrategy::RoundUp:
        return "RoundUp";
    case TailStrategy::ShiftInwards:
        return "ShiftInwards";
    default:
        return "Auto";
    }
}

std::string loop_text(const Loop &loop, const std::string &func, int update) {
    switch (loop.kind) {
    case Loop::Arg:
        return func + "_d" + std::to_string(loop.index);
    case Loop::Reduction:
        return func + "_u" + std::to_string(update) + "_r" + std::to_string(loop.index);
    default:
        return loop.name;
    }
}

std::string declaration(const Loop &loop, const std::string &func, int update) {
    const std::string name = loop_text(loop, func, update);
    switch (loop.kind) {
    case Loop::Arg:
        return "    Var " + name + "(" + func + ".args()[" + std::to_string(loop.index) + "]);\n";
    case Loop::Reduction:
        return "    RVar " + name + "(" + func + ".update(" + std::to_string(update - 1) + ").get_schedule().rvars()[" +
               std::to_string(loop.index) + "].var);\n";
    case Loop::MadeReduction:
        return "    RVar " + name + "(\"" + name + "\");\n";
    default:
        return "    Var " + name + "(\"" + name + "\");\n";
    }
}

std::string stage_text(const std::string &func, int update, int branch) {
    const std::string suffix = branch < 0 ? "" : "_b" + std::to_string(branch);
    return func + "_s" + std::to_string(update) + suffix;
}

/// The Func and its definition that a directive's loop belongs to.
std::pair<int, int> owner_of(const Directive &d, const Loop &loop) {
    if (d.verb == Verb::ComputeAt && loop.kind == Loop::Reduction) {
        return {d.other, 1};
    }
    return {d.verb == Verb::RFactor ? d.other : d.func_id, d.update};
}

std::string arguments(const Directive &d, const std::vector<std::string> &func_names) {
    std::vector<std::string> parts;
    if (d.verb == Verb::Specialize) {
        return to_cpp(d.condition, func_names);
    }
    if (d.verb == Verb::Choose) {
        return func_names[d.func_id] + ".values()[0].as<Internal::Select>()->condition";
    }
    if (d.verb == Verb::StoreInRegister) {
        return "MemoryType::Register";
    }
    if (d.other >= 0) {
        const bool is_of_update = d.verb == Verb::ComputeWith && d.loops[0].kind == Loop::Reduction;
        parts.push_back(func_names[d.other] + (is_of_update ? ".update(" + std::to_string(d.update - 1) + ")" : ""));
    }
    for (const Loop &loop : d.loops) {
        const auto [func, update] = owner_of(d, loop);
        parts.push_back(loop_text(loop, func_names[func], update));
    }
    if (d.by_width) {
        parts.push_back(row_threads_cpp(*d.by_width, func_names));
    } else if (d.number != 0) {
        parts.push_back(std::to_string(d.number));
    }
    if (d.verb == Verb::Split) {
        parts.push_back(std::string("TailStrategy::") + tail_name(d.tail));
    }
    const bool is_list = d.verb == Verb::Reorder || d.verb == Verb::ReorderStorage;
    return (is_list ? "{" : "") + join(parts, ", ") + (is_list ? "}" : "");
}

}  // namespace

namespace {

/// Writes directives in their order, each declaration before its first use.
class Writer {
public:
    std::string body;
    std::set<int> funcs;  ///< those mentioned

    explicit Writer(std::vector<std::string> names) : names(std::move(names)) {}

    void write(const Directive &d) {
        mention(d);
        if (d.verb == Verb::Wrap) {
            std::vector<std::string> callers;
            for (const int caller : d.callers) {
                callers.push_back(names[caller]);
            }
            body += "    Func " + names[d.func_id] + " = " + names[d.other] + ".in(" +
                    (callers.empty() ? "" : "{" + join(callers, ", ") + "}") + ");\n";
            return;
        }
        if (d.verb == Verb::NativeMath) {
            body += "    " + names[d.func_id] + ".function().mutate(&native_math);\n";
            return;
        }
        if (d.verb == Verb::WholeIndices) {
            body += "    " + names[d.func_id] + ".function().mutate(&whole_indices);\n";
            return;
        }
        if (d.verb == Verb::IdentityWhere) {
            body += "    fold_identity_where_false(" + names[d.func_id] + ".function(), " +
                    std::to_string(d.update - 1) + ");\n";
            return;
        }
        if (d.verb == Verb::FoldAll) {
            body += "    " + names[d.func_id] + ".function().update(" + std::to_string(d.update - 1) +
                    ").predicate() = Internal::const_true();\n";
            return;
        }
        if (d.verb == Verb::ScatterPlace) {
            body += "    Func " + names[d.func_id] + " = keep_scatter_place(" + names[d.other] + ".function(), " +
                    std::to_string(d.update - 1) + ");\n";
            return;
        }
        const int owner = d.verb == Verb::RFactor ? d.other : d.func_id;
        for (const Loop &loop : d.loops) {
            const auto [func, update] = owner_of(d, loop);
            const std::string text = declaration(loop, names[func], update);
            body += declared.insert(text).second ? text : "";
        }
        if (!is_of_func(d.verb) && stages.insert({owner, d.update}).second) {
            body += "    Stage " + stage_text(names[owner], d.update, -1) + " = " + names[owner] +
                    (d.update == 0 ? "" : ".update(" + std::to_string(d.update - 1) + ")") + ";\n";
        }
        if (d.verb == Verb::RFactor) {
            std::vector<std::string> pairs;
            for (size_t i = 0; i < d.loops.size(); i += 2) {
                pairs.push_back("{" + loop_text(d.loops[i], names[owner], d.update) + ", " +
                                loop_text(d.loops[i + 1], names[owner], d.update) + "}");
            }
            body += "    Func " + names[d.func_id] + " = " + stage_text(names[owner], d.update, -1) + ".rfactor({" +
                    join(pairs, ", ") + "});\n";
            return;
        }
        const bool opens = d.verb == Verb::Specialize || d.verb == Verb::Choose;
        const std::string stage = stage_text(names[d.func_id], d.update, opens ? d.within : d.branch);
        const std::string call = std::string(method(d.verb)) + "(" + arguments(d, names) + ");\n";
        if (opens) {
            body += "    Stage " + stage_text(names[d.func_id], d.update, d.branch) + " = " + stage + "." + call;
        } else {
            body += "    " + (is_of_func(d.verb) ? names[d.func_id] : stage) + "." + call;
        }
    }

private:
    std::vector<std::string> names;
    std::set<std::pair<int, int>> stages;
    std::set<std::string> declared;

    void mention(const Directive &d) {
        funcs.insert(d.func_id);
        funcs.insert(d.callers.begin(), d.callers.end());
        if (d.other >= 0) {
            funcs.insert(d.other);
        }
        for (const Fact &fact : d.condition) {
            funcs.insert(fact.left.buffer.func_id);
            funcs.insert(fact.right.buffer.func_id);
            for (const BufferField &factor : fact.factors) {
                funcs.insert(factor.buffer.func_id);
            }
        }
    }
};

}  // namespace

std::string to_cpp(const Schedule &schedule, const PipelineView &view, const std::map<int, int> &func_index) {
    std::vector<std::string> names;
    size_t ids = view.sources.size();
    bool has_conditions = false, has_native_math = false, has_identities = false, has_places = false,
         has_widths = false, has_indices = false;
    for (const Directive &d : schedule) {
        ids = std::max(ids, (size_t)d.func_id + 1);
        has_conditions |= !d.condition.empty() || d.by_width;
        has_widths |= d.by_width.has_value();
        has_native_math |= d.verb == Verb::NativeMath;
        has_identities |= d.verb == Verb::IdentityWhere;
        has_places |= d.verb == Verb::ScatterPlace;
        has_indices |= d.verb == Verb::WholeIndices;
    }
    for (size_t id = 0; id < ids; id++) {
        names.push_back("f" + std::to_string(id));
    }
    Writer writer(names);
    for (const Directive &d : schedule) {
        writer.write(d);
    }
    std::string gets;
    for (const int id : writer.funcs) {
        if (id < (int)view.sources.size()) {
            gets += "    Func " + names[id] + " = pipeline.get_func(" + std::to_string(func_index.at(id)) + ");  // " +
                    view.sources[id].function.name() + "\n";
        }
    }
    const bool has_narrow = has_narrow_elements(view);
    const std::string pass = has_narrow ? "    pipeline.add_custom_lowering_pass(new WideAccesses);\n" : "";
    return gets + (has_conditions ? condition_prelude() : "") + (has_identities ? identity_where_source() : "") +
           (has_places ? scatter_place_source() : "") + (has_widths ? row_threads_source() : "") +
           (has_indices ? whole_indices_source() + "    WholeIndices whole_indices;\n" : "") +
           (has_native_math ? native_math_source() + "    NativeMath native_math;\n" : "") +
           (has_narrow ? wide_accesses_source() : "") + writer.body + pass;
}

}  // namespace fusion

#include "fusion/halide/choose_rewrites.h"

#include "fusion/error.h"
#include "fusion/halide/reassociate.h"
#include "fusion/price.h"
#include "fusion/rewrites/native_math.h"
#include "fusion/rewrites/rewrite.h"

namespace fusion {
namespace {

using Functions = std::vector<Halide::Internal::Function>;

/// Reductions that round stay in the order of their loops.
void keep_order(PipelineView &view) {
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        Stage &stage = view.graph[v];
        stage.reassociable =
            stage.reassociable && !rounds(view.sources[stage.func_id].function.update(stage.update - 1));
    }
}

Price total_of(const Functions &outputs, const Halide::Target &target, const Options &options, Variant variant) {
    const PlanOptions plan_options{.variant = variant, .register_cap = options.max_registers};
    const PipelineView view = read_to_plan(outputs, target, options).first;
    return total(make_plan(view.graph, device_named(options.device), plan_options).groups);
}

}  // namespace

std::optional<double> predicted_us(const Functions &outputs, const Halide::Target &target, const Options &options) {
    try {
        return total_of(outputs, target, options, Variant::Fused).time_us;
    } catch (const UserError &) {
        return std::nullopt;
    }
}

Chosen choose_rewrites(const Functions &outputs, const Halide::Target &target, const Options &options) {
    Chosen chosen;
    if (variant_named(options.variant) != Variant::Fused || target.has_feature(Halide::Target::StrictFloat)) {
        return chosen;
    }
    const Device &device = device_named(options.device);
    std::optional<double> before;  // of the pipeline as it is now
    for (const std::string &id : reduction_rewrites()) {
        if (!options.allows(id)) {
            continue;
        }
        const Functions copy = Halide::Internal::deep_copy(outputs, Halide::Internal::build_environment(outputs)).first;
        if (rewrite_reductions(copy, id, device).empty()) {
            continue;
        }
        before = before ? before : predicted_us(outputs, target, options);
        const std::optional<double> after = predicted_us(copy, target, options);
        if (!before || !after || *after >= kLeastGain * *before) {
            continue;
        }
        before = after;
        if (chosen.rewrites.empty()) {
            chosen.unfused = total_of(outputs, target, options, Variant::Unfused);
        }
        const std::vector<Rewrite> made = rewrite_reductions(outputs, id, device);
        chosen.rewrites.insert(chosen.rewrites.end(), made.begin(), made.end());
    }
    return chosen;
}

std::pair<PipelineView, std::vector<Rewrite>> read_to_plan(const std::vector<Halide::Internal::Function> &outputs,
                                                           const Halide::Target &target, const Options &options) {
    PipelineView view = read_pipeline(outputs);
    std::vector<Rewrite> rewrites;
    if (target.has_feature(Halide::Target::StrictFloat)) {
        keep_order(view);
    } else if (options.allows("native-math") && target.has_feature(Halide::Target::CUDA)) {
        rewrites = plan_native_math(view);
    }
    return {std::move(view), std::move(rewrites)};
}

}  // namespace fusion

#include "fusion/halide/planning.h"

#include <algorithm>

#include "fusion/error.h"
#include "fusion/halide/measure_registers.h"
#include "fusion/halide/reassociate.h"
#include "fusion/halide/verify.h"
#include "fusion/rewrites/native_math.h"
#include "schedules/apply.h"
#include "schedules/lower.h"

namespace fusion {
namespace {

void check_target(const Halide::Target &target) {
    if (!target.has_feature(Halide::Target::CUDA) && !target.has_feature(Halide::Target::OpenCL)) {
        throw UserError(
            "Target \"" + target.to_string() +
            "\" has neither CUDA nor OpenCL, and Fusion plans GPU kernels only. Next step: use a target such as "
            "host-cuda-cuda_capability_80.");
    }
}

/// Reductions that round stay in the order of their loops.
void keep_order(PipelineView &view) {
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        Stage &stage = view.graph[v];
        stage.reassociable =
            stage.reassociable && !rounds(view.sources[stage.func_id].function.update(stage.update - 1));
    }
}

Planned plan_as(const PipelineView &view, const Device &device, const Halide::Target &target,
                const PlanOptions &options, const std::string &name) {
    PlanOptions unfused_options = options;
    unfused_options.variant = Variant::Unfused;
    unfused_options.max_vector = PlanOptions().max_vector;
    Planned planned{name, &device, view, make_plan(view.graph, device, options), {}, {}};
    planned.ledger = make_ledger(view.graph, planned.plan, make_plan(view.graph, device, unfused_options));
    planned.schedule = lower(view, planned.plan, target);
    return planned;
}

/// Registers from ptxas; where kernels spill, narrower ones are tried too and the cheaper plan is taken.
Planned plan_measured(const PipelineView &view, const Device &device, const Halide::Target &target,
                      const PlanOptions &options, const std::string &name) {
    Planned wide = plan_as(view, device, target, options, name);
    try {
        measure_registers(wide, target);
    } catch (const Halide::Error &) {
        return wide;  // not a schedule that compiles: verify says why
    }
    const auto spills = [](const Group &group) { return group.price.spilled > 0; };
    if (std::none_of(wide.plan.groups.begin(), wide.plan.groups.end(), spills)) {
        return wide;
    }
    PlanOptions narrow_options = options;
    narrow_options.max_vector = 1;
    Planned narrow = plan_as(view, device, target, narrow_options, name);
    measure_registers(narrow, target);
    return narrow.ledger.planned.time_us < wide.ledger.planned.time_us ? narrow : wide;
}

}  // namespace

std::vector<Halide::Internal::Function> functions_of(const Halide::Pipeline &pipeline) {
    if (!pipeline.defined()) {
        throw UserError("The pipeline is empty. Next step: construct it from at least one defined Func.");
    }
    std::vector<Halide::Internal::Function> functions;
    for (const Halide::Func &f : pipeline.outputs()) {
        functions.push_back(f.function());
    }
    return functions;
}

Planned plan_pipeline(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                      const Options &options, const std::string &name) {
    check_target(target);
    const Device &device = device_named(options.device);
    PipelineView view = read_pipeline(outputs);
    PlanOptions plan_options{.variant = variant_named(options.variant), .register_cap = options.max_registers};
    const bool is_strict = target.has_feature(Halide::Target::StrictFloat);
    if (is_strict) {
        keep_order(view);
    }
    if (options.allows("native-math") && target.has_feature(Halide::Target::CUDA) && !is_strict) {
        plan_options.rewrites = plan_native_math(view);
    }
    Planned planned = options.registers == "measure" ? plan_measured(view, device, target, plan_options, name)
                                                     : plan_as(view, device, target, plan_options, name);
    if (!options.verify) {
        return planned;
    }
    const Decision sound = verify(planned.schedule, view, planned.plan, device, target);
    if (sound.allowed()) {
        return planned;
    }
    // Halide 21 cannot compile every vector (OpenCL: masks of unlike widths; CUDA: some conversions of 64-bit values).
    PlanOptions scalar_options = plan_options;
    scalar_options.max_vector = 1;
    const Planned scalar = plan_as(view, device, target, scalar_options, name);
    if (verify(scalar.schedule, view, scalar.plan, device, target).allowed()) {
        return scalar;
    }
    if (!plan_options.rewrites.empty()) {
        // What simplification makes independent of memory, Halide moves to the host, which has no such instructions.
        Options without = options;
        without.rewrites = "none";
        return plan_pipeline(outputs, target, without, name);
    }
    PlanOptions plain_options = plan_options;
    plain_options.variant = Variant::Unfused;
    Planned plain = plan_as(view, device, target, plain_options, name);
    plain.plan.fallback = sound.why();
    const Decision plain_sound = verify(plain.schedule, view, plain.plan, device, target);
    if (!plain_sound.allowed()) {
        throw UserError("No schedule for pipeline \"" + name + "\" passes its check. Fused: " + sound.why() +
                        " Unfused: " + plain_sound.why() + " Next step: report it with the pipeline.");
    }
    return plain;
}

std::string schedule_source(const Planned &planned, const Halide::Pipeline &pipeline) {
    std::map<std::string, int> by_name;
    Halide::Pipeline p = pipeline;
    const auto environment = Halide::Internal::build_environment(functions_of(pipeline));
    for (int i = 0; i < (int)environment.size(); i++) {
        by_name[p.get_func(i).name()] = i;
    }
    std::map<int, int> index;
    for (int id = 0; id < (int)planned.view.sources.size(); id++) {
        const auto &source = planned.view.sources[id];
        if (source.function.get_contents().defined()) {
            index[id] = by_name.at(source.function.name());
        }
    }
    // The function that Halide writes around it declares a few names only.
    return "    using namespace ::Halide;\n    (void)target;\n" + to_cpp(planned.schedule, planned.view, index);
}

}  // namespace fusion

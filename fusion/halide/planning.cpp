#include "fusion/halide/planning.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "fusion/contraction_kernel.h"
#include "fusion/error.h"
#include "fusion/halide/choose_rewrites.h"
#include "fusion/halide/fixed_plans.h"
#include "fusion/halide/measure_registers.h"
#include "fusion/halide/measured_tiles.h"
#include "fusion/halide/verify.h"
#include "fusion/isolate_fault.h"
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

/// The cap of Halide's runtime first, then those that leave room for fewer threads: 640, 512, 256 a multiprocessor of 65,536
/// registers (compute capability 8.0 and 9.0).
const std::vector<int> kRegisterCaps = {64, 96, 128, 255};

bool is_contraction_kernel(const Group &group) {
    return group.kind == Template::Reduction && is_contraction(group.tile);
}

/// Time under the cap of Halide's runtime, over the best there, that a plan for a larger cap may take: not everybody sets it.
constexpr double kMostRegret = 1.5;

bool has_same_tiles(const Plan &a, const Plan &b) {
    return a.placement == b.placement &&
           std::equal(a.groups.begin(), a.groups.end(), b.groups.begin(), b.groups.end(),
                      [](const Group &x, const Group &y) { return x.outputs == y.outputs && x.tile == y.tile; });
}

/// The plan, measured under all of `caps`, or one whose contractions have larger tiles, for a larger cap.
Planned with_roomier_tiles(const Planned &measured, const PipelineView &view, const Device &device,
                           const Halide::Target &target, PlanOptions options, const std::vector<int> &caps,
                           const std::string &name) {
    const double first_us = measured.plan.first_cap_us;
    Planned best = measured;
    for (size_t i = 1; i < caps.size(); i++) {
        options.register_cap = caps[i];
        Planned roomy = plan_as(view, device, target, options, name);
        if (has_same_tiles(roomy.plan, measured.plan)) {
            continue;
        }
        measure_registers(roomy, target, {caps[0], caps[i]});
        const bool pays = roomy.ledger.planned.time_us < kLargerCapPays * best.ledger.planned.time_us;
        if (pays && roomy.plan.first_cap_us <= kMostRegret * first_us) {
            best = std::move(roomy);
        }
    }
    return best;
}

/// Tiles of points whose registers leave a multiprocessor fewer threads than a cap of 64 does, which is half.
bool wants_fewer_registers(const Group &group) {
    constexpr double kFew = 0.45;
    return group.kind == Template::Stencil && (group.price.spilled > 0 || group.price.occupancy < kFew);
}

/// Registers from ptxas; where tiles of points take many, a plan that counts what their threads share, and where kernels spill,
/// narrower ones are tried too and the cheaper plan is taken.
Planned plan_measured(const PipelineView &view, const Device &device, const Halide::Target &target,
                      const PlanOptions &options, const std::string &name) {
    const std::vector<int> caps = options.register_cap > 0 ? std::vector<int>{options.register_cap} : kRegisterCaps;
    Planned wide = plan_as(view, device, target, options, name);
    try {
        measure_registers(wide, target, caps);
    } catch (const Halide::Error &) {
        return wide;  // not a schedule that compiles: verify says why
    }
    if (std::any_of(wide.plan.groups.begin(), wide.plan.groups.end(), is_contraction_kernel)) {
        wide = with_roomier_tiles(wide, view, device, target, options, caps, name);
    }
    wide = with_measured_tiles(wide, target, caps);
    const auto try_also = [&](const PlanOptions &other_options) {
        Planned other = plan_as(view, device, target, other_options, name);
        if (!has_same_tiles(other.plan, wide.plan)) {
            measure_registers(other, target, caps);
            wide = other.ledger.planned.time_us < wide.ledger.planned.time_us ? std::move(other) : wide;
        }
    };
    const auto has_any = [&](bool (*is_such)(const Group &)) {
        return std::any_of(wide.plan.groups.begin(), wide.plan.groups.end(), is_such);
    };
    if (has_any(wants_fewer_registers)) {
        PlanOptions counting = options;
        counting.counts_shared = true;
        try_also(counting);
    }
    for (const int most : {kWordVector, 1}) {
        if (has_any([](const Group &group) { return group.price.spilled > 0; })) {
            PlanOptions narrow = options;
            narrow.max_vector = most;
            try_also(narrow);
        }
    }
    return wide;
}

/// What a kernel does besides computing what it stores from memory.
struct Together {
    std::vector<Vertex> stages;  ///< computed in it, and a kernel of their own could
    std::vector<Vertex> staged;  ///< stored buffers that it reads through tiles
};

Together together_in(const StageGraph &graph, const Group &group) {
    Together together;
    for (const Member &member : group.members) {
        const Stage &stage = graph[member.stage];
        const bool starts_updates = stage.update == 0 && stage.has_updates && group.kind != Template::Private;
        if (stage.role == Role::Intermediate && !stage.unbounded && !starts_updates &&
            std::find(group.outputs.begin(), group.outputs.end(), member.stage) == group.outputs.end()) {
            together.stages.push_back(member.stage);
        }
    }
    for (const Staged &staged : group.staged) {
        together.staged.push_back(staged.producer);
    }
    return together;
}

/// The plan in which the kernels at fault alone are taken apart; nullopt where it does not pass even so.
std::optional<Planned> plan_around_fault(const PipelineView &view, const Device &device, const Halide::Target &target,
                                         const PlanOptions &options, const std::string &name, const Plan &refused,
                                         const std::string &refusal) {
    std::vector<Together> suspects;
    for (const Group &group : refused.groups) {
        if (Together together = together_in(view.graph, group); !together.stages.empty() || !together.staged.empty()) {
            suspects.push_back(std::move(together));
        }
    }
    const auto apart = [&](const std::vector<size_t> &taken_apart) -> std::optional<Planned> {
        PipelineView changed = view;
        for (const size_t i : taken_apart) {
            for (const Vertex stage : suspects[i].stages) {
                changed.graph[stage].kept_apart = "in one kernel it was refused: " + refusal;
            }
            for (const Vertex buffer : suspects[i].staged) {
                changed.graph[buffer].can_be_staged = false;
            }
        }
        Planned planned = plan_as(changed, device, target, options, name);
        const bool passes = verify(planned.schedule, changed, planned.plan, device, target).allowed();
        return passes ? std::optional(std::move(planned)) : std::nullopt;
    };
    std::vector<size_t> all(suspects.size());
    std::iota(all.begin(), all.end(), 0);
    std::optional<Planned> best = all.empty() ? std::nullopt : apart(all);
    if (best && all.size() > 1) {
        best = apart(isolate_fault(
            all.size(), [&](const std::vector<size_t> &taken_apart) { return apart(taken_apart).has_value(); }));
    }
    if (best) {
        best->plan.fallback = refusal;
    }
    return best;
}

/// What is left where the wanted plan does not pass: a kernel a stage, and should that fail too, a thread a point of each.
Planned plan_plainly(PipelineView view, const Device &device, const Halide::Target &target, PlanOptions options,
                     const std::string &name, const std::string &refusal) {
    options.variant = Variant::Unfused;
    std::string refusals = "Wanted: " + refusal;
    for (const bool in_blocks : {true, false}) {
        if (!in_blocks) {
            options.max_vector = 1;
            for (Vertex v = 0; v < num_vertices(view.graph); v++) {
                view.graph[v].reassociable = view.graph[v].folds = view.graph[v].can_be_staged = false;
                view.graph[v].kept_apart = "in one kernel with others it was refused";
            }
        }
        Planned plain = plan_as(view, device, target, options, name);
        plain.plan.fallback = refusal;
        const Decision sound = verify(plain.schedule, view, plain.plan, device, target);
        if (sound.allowed()) {
            return plain;
        }
        refusals += (in_blocks ? " Unfused: " : " A thread a point: ") + sound.why();
    }
    throw UserError("No schedule for pipeline \"" + name + "\" passes its check. " + refusals +
                    " Next step: report it with the pipeline.");
}

/// The plan of a pipeline in which the rewrites `made` have been made, or what takes its place where it does not pass.
Planned plan_checked(const std::vector<Halide::Internal::Function> &outputs, const Halide::Target &target,
                     const Options &options, const std::string &name, const std::vector<Rewrite> &made) {
    const Device &device = device_named(options.device);
    auto [view, native_math] = read_to_plan(outputs, target, options);
    PlanOptions plan_options{
        .variant = variant_named(options.variant), .register_cap = options.max_registers, .rewrites = made};
    plan_options.rewrites.insert(plan_options.rewrites.end(), native_math.begin(), native_math.end());
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
    Planned scalar = plan_as(view, device, target, scalar_options, name);
    if (verify(scalar.schedule, view, scalar.plan, device, target).allowed()) {
        return scalar;
    }
    if (!native_math.empty()) {
        // What simplification makes independent of memory, Halide moves to the host, which has no such instructions.
        Options without = options;
        without.rewrites = "none";
        return plan_checked(outputs, target, without, name, made);
    }
    if (auto around = plan_around_fault(view, device, target, plan_options, name, planned.plan, sound.why())) {
        return *std::move(around);
    }
    return plan_plainly(std::move(view), device, target, plan_options, name, sound.why());
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
    const auto fixed = fixed_copy(outputs, options);
    const auto plan_chosen = [&](const std::vector<Halide::Internal::Function> &of, const Chosen &chosen,
                                 const Options &with) {
        Planned planned = plan_checked(of, target, with, name, chosen.rewrites);
        if (!chosen.rewrites.empty()) {
            planned.ledger.unfused = chosen.unfused;
        }
        return planned;
    };
    const Chosen chosen = choose_rewrites(outputs, target, options);
    auto both = fixed ? plan_fixed(*fixed, outputs, chosen, target, options, plan_chosen) : std::nullopt;
    return both ? *std::move(both) : plan_chosen(outputs, chosen, options);
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
    std::string text = "    using namespace ::Halide;\n    (void)target;\n";
    for (const Rewrite &rewrite : planned.plan.rewrites) {
        if (rewrite.func_id < 0) {
            text += "    // Only for the pipeline after the rewrite " + rewrite.id + " of " + rewrite.why + "\n";
        }
    }
    return text + to_cpp(planned.schedule, planned.view, index);
}

}  // namespace fusion

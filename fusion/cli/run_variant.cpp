#include "fusion/cli/run_variant.h"

#include <algorithm>

#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/halide/launch_counter.h"
#include "fusion/halide/reference.h"
#include "fusion/halide/regions.h"
#include "fusion/time_calls.h"
#include "schedules/apply.h"
#include "schedules/hand/hand.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

using namespace Halide;

/// Buffers and scalars for every input: regions as the pipeline asks for at the estimates, scalars at theirs.
void bind_inputs(const BuiltGenerator &built, const PipelineView &view, uint32_t seed) {
    for (size_t i = 0; i < built.inputs.size(); i++) {
        Parameter p = built.inputs[i];
        if (!p.is_buffer()) {
            const Expr estimate = p.estimate();
            if (!estimate.defined()) {
                throw UserError("Scalar input \"" + p.name() +
                                "\" has no estimate to run with. Next step: call set_estimate on it.");
            }
            if (const auto number = Internal::as_const_float(estimate); number && p.type() == Float(32)) {
                p.set_scalar<float>((float)*number);
            } else if (const auto whole = at_estimates(estimate); whole && p.type() == Int(32)) {
                p.set_scalar<int32_t>((int32_t)*whole);
            } else {
                halide_scalar_value_t value{};
                value.u.i64 = whole.value_or(0);
                p.set_scalar(p.type(), value);
            }
            continue;
        }
        for (Vertex v = 0; v < num_vertices(view.graph); v++) {
            const Stage &stage = view.graph[v];
            if (stage.role != Role::Input || view.sources[stage.func_id].parameter.name() != p.name()) {
                continue;
            }
            std::vector<int> min, extent;
            for (const Extent &dim : stage.dims) {
                min.push_back((int)dim.min);
                extent.push_back((int)dim.extent);
            }
            std::vector<int> order(stage.memory_order.begin(), stage.memory_order.end());
            Buffer<> buffer(p.type(), extent, order);
            buffer.set_min(min);
            fill(buffer, seed + (uint32_t)i);
            p.set_buffer(buffer);
        }
    }
}

std::vector<Buffer<>> outputs_in_memory_order(const PipelineView &view) {
    return make_outputs(view.outputs, estimated_regions(view));
}

/// Schedules the pipeline as result.variant says and fills in what is known before it runs.
PipelineView schedule_variant(const Request &request, const BuiltGenerator &built, const Target &target,
                              VariantResult &result) {
    if (result.variant == kHand) {
        const PipelineView view = read_pipeline(functions_of(built.pipeline));
        result.is_planned = false;
        result.predicted_launches = hand_schedule_of(request.generator).apply(HandPipeline(view));
        return view;
    }
    Options options = request.options;
    options.variant = result.variant;
    const Planned planned = plan_pipeline(functions_of(built.pipeline), target, options, request.generator);
    result.ledger = planned.ledger;
    result.predicted_launches = planned.ledger.planned.launches;
    result.fallback = planned.plan.fallback;
    result.register_cap = planned.plan.register_cap;
    apply_schedule(planned.schedule, planned.view);
    use_wide_accesses(built.pipeline, planned.view);
    return planned.view;
}

}  // namespace

void compare(const std::vector<Buffer<>> &outputs, const std::vector<Buffer<>> &reference, double terms,
             VariantResult &result) {
    result.is_right = !reference.empty();
    for (size_t i = 0; i < reference.size(); i++) {
        const double difference = largest_difference(outputs[i], reference[i]);
        result.difference = std::max(result.difference, difference);
        result.is_right &= difference <= tolerance(reference[i].type(), terms);
    }
}

void use_register_cap(int cap) {
    if (cap > 0) {
        setenv("HL_CUDA_JIT_MAX_REGISTERS", std::to_string(cap).c_str(), 1);
    } else {
        unsetenv("HL_CUDA_JIT_MAX_REGISTERS");
    }
}

std::vector<Buffer<>> run_reference(const Request &request, uint32_t seed) {
    const Target target = target_for("");
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    const PipelineView view = read_pipeline(functions_of(built.pipeline));
    schedule_reference(view);
    bind_inputs(built, view, seed);
    std::vector<Buffer<>> outputs = outputs_in_memory_order(view);
    Pipeline pipeline = built.pipeline;
    pipeline.realize(Realization(outputs), target);
    return outputs;
}

VariantResult run_variant(const Request &request, const std::string &variant, const std::string &api,
                          const std::vector<Buffer<>> &reference, uint32_t seed, bool timed) {
    VariantResult result;
    result.variant = variant;
    const Target target = target_for(api.empty() ? "cuda" : api);
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    const PipelineView view = schedule_variant(request, built, target, result);
    Pipeline pipeline = built.pipeline;
    if (api.empty()) {
        pipeline.compile_to_module(built.arguments, request.generator, target);
        return result;
    }
    use_register_cap(result.register_cap);
    count_launches(pipeline);
    bind_inputs(built, view, seed);
    std::vector<Buffer<>> outputs = outputs_in_memory_order(view);
    pipeline.compile_jit(target);
    take_launches();
    pipeline.realize(Realization(outputs), target);
    result.launches = take_launches();
    for (Buffer<> &output : outputs) {
        output.copy_to_host();
    }
    compare(outputs, reference, most_terms(view.graph), result);
    if (timed) {
        result.milliseconds =
            time_calls([&] { pipeline.realize(Realization(outputs), target); }, [&] { outputs[0].device_sync(); });
    }
    return result;
}

}  // namespace fusion

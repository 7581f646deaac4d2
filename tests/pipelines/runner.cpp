#include "tests/pipelines/runner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "fusion/cli/generators.h"
#include "fusion/halide/launch_counter.h"
#include "fusion/halide/memory_order.h"
#include "fusion/halide/reference.h"
#include "fusion/halide/regions.h"
#include "fusion/price.h"
#include "schedules/apply.h"
#include "schedules/hand/hand.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

using namespace Halide;

constexpr uint8_t kUntouched = 0x5a;

/// How much larger a cropped buffer's parent is, before and behind.
constexpr int kBefore = 3, kBehind = 2;

/// Whether a larger parent may have more of dimension `d`: not where the next stride is a constant.
bool can_grow(const Parameter &constraints, const std::vector<int> &order, int d) {
    for (size_t i = 0; i + 1 < order.size(); i++) {
        if (order[i] == d && constraints.defined() && constraints.stride_constraint(order[i + 1]).defined()) {
            return false;
        }
    }
    return true;
}

bool is_empty(const Region &region) {
    return std::count(region.extent.begin(), region.extent.end(), 0) > 0;
}

/// To the value given, or to its estimate.
void set_scalar(Parameter p, const std::map<std::string, double> &given) {
    const auto value = given.find(p.name());
    const Expr estimate = value == given.end() ? p.estimate() : cast(p.type(), Expr(value->second));
    ASSERT_TRUE(estimate.defined()) << p.name();
    if (p.type() == Float(32)) {
        p.set_scalar<float>((float)*Internal::as_const_float(Internal::simplify(estimate)));
    } else if (p.type() == Int(32)) {
        p.set_scalar<int32_t>((int32_t)*at_estimates(estimate));
    } else {
        FAIL() << "a scalar input of a type that the tests do not set: " << p.name();
    }
}

/// Plans and applies the plan, or applies the hand schedule and says how many launches it makes.
Planned schedule(const Built &built, const Target &target, const Options &options) {
    if (options.variant == "hand") {
        Planned planned{"hand", nullptr, read_pipeline(functions_of(built.pipeline)), {}, {}, {}};
        planned.ledger.planned.launches = hand_schedule_of(built.generator).apply(HandPipeline(planned.view));
        return planned;
    }
    Planned planned = plan_pipeline(functions_of(built.pipeline), target, options, "test");
    apply_schedule(planned.schedule, planned.view);
    use_wide_accesses(built.pipeline, planned.view);
    return planned;
}

/// Elements of `big` outside of `region` that are no longer as they were made.
int touched_outside(const Buffer<> &big, const Region &region) {
    int touched = 0;
    const int bytes = big.type().bytes();
    big.get()->for_each_element([&](const int *at) {
        bool inside = true;
        const uint8_t *value = static_cast<const uint8_t *>(big.data());
        for (int d = 0; d < big.dimensions(); d++) {
            inside &= at[d] >= region.min[d] && at[d] < region.min[d] + region.extent[d];
            value += (ptrdiff_t)(at[d] - big.dim(d).min()) * big.dim(d).stride() * bytes;
        }
        touched += !inside && std::count(value, value + bytes, kUntouched) != bytes;
    });
    return touched;
}

}  // namespace

/// A buffer and the larger one it is cropped out of.
struct Runner::Placed {
    Buffer<> parent, used;
};

std::string name_of(Memory memory) {
    return memory == Memory::Dense ? "dense" : memory == Memory::Padded ? "padded" : "misplaced";
}

Region at(std::vector<int> min, std::vector<int> extent) {
    return {std::move(min), std::move(extent)};
}

Region of(std::vector<int> extent) {
    std::vector<int> min(extent.size(), 0);
    return {std::move(min), std::move(extent)};
}

Builder generator(const std::string &name, const std::map<std::string, std::string> &params) {
    return [=] {
        // The generator itself may go: the pipeline holds its Funcs and parameters.
        const BuiltGenerator built = build_generator(name, params, target_for(device_api()));
        return Built{built.pipeline, built.inputs, name};
    };
}

Runner::Runner(const Builder &builder, const Options &options)
    : target(target_for(device_api())), reference(builder()), device(builder()),
      plan(schedule(device, target, options)) {
    schedule_reference(read_pipeline(functions_of(reference.pipeline)));
    reference.pipeline.compile_jit(target_for(""));
    count_launches(device.pipeline);
    device.pipeline.compile_jit(target);
}

Runner::Placed Runner::place(const Type &type, const Region &region, const Parameter &constraints, Memory memory) {
    const std::vector<int> order = memory_order_of(constraints, (int)region.extent.size());
    Region grown = region;
    std::vector<std::pair<int, int>> crop;
    for (int d = 0; d < (int)region.extent.size(); d++) {
        if (memory != Memory::Dense && can_grow(constraints, order, d)) {
            grown.min[d] -= kBefore;
            grown.extent[d] += kBefore + kBehind;
        }
        crop.emplace_back(region.min[d], region.extent[d]);
    }
    Placed placed;
    placed.parent = Buffer<>(type, grown.extent, order);
    placed.parent.set_min(grown.min);
    if (placed.parent.size_in_bytes() > 0) {
        std::memset(placed.parent.begin(), kUntouched, placed.parent.size_in_bytes());
    }
    placed.used = memory == Memory::Dense ? placed.parent : placed.parent.cropped(crop);
    return placed;
}

/// Gives both pipelines the same data in buffers of the regions given, or those that the reference asks for.
void Runner::bind(const std::vector<Buffer<>> &outputs, Memory memory, uint32_t seed,
                  const std::map<std::string, Region> &inputs) {
    for (const Built *built : {&reference, &device}) {
        for (Parameter p : built->inputs) {
            const auto given = inputs.find(p.name());
            if (!p.is_buffer()) {
                set_scalar(p, scalars);
            } else if (given != inputs.end()) {
                p.set_buffer(place(p.type(), given->second, p, Memory::Dense).used);
            } else {
                p.set_buffer(Buffer<>());
            }
        }
    }
    reference.pipeline.infer_input_bounds(Realization(outputs), target_for(""));
    const bool any_empty = std::any_of(outputs.begin(), outputs.end(),
                                       [](const Buffer<> &output) { return output.number_of_elements() == 0; });
    if (!any_empty) {
        // On outputs of its own: a pipeline that reads no buffer takes this for a call.
        std::vector<Buffer<>> scratch;
        for (const Buffer<> &output : outputs) {
            scratch.push_back(Buffer<>::make_with_shape_of(output));
        }
        device.pipeline.infer_input_bounds(Realization(scratch), target);
        take_launches();
    }
    for (size_t i = 0; i < reference.inputs.size(); i++) {
        Parameter known = reference.inputs[i], other = device.inputs[i];
        if (!known.is_buffer()) {
            continue;
        }
        ASSERT_TRUE(known.buffer().defined()) << known.name();
        // An input that the reference has no use for after simplification is still checked by the fused pipeline.
        const Buffer<> shape = !any_empty && known.buffer().number_of_elements() == 0 ? other.buffer() : known.buffer();
        ASSERT_TRUE(shape.defined()) << known.name();
        Region region;
        for (int d = 0; d < shape.dimensions(); d++) {
            region.min.push_back(shape.dim(d).min());
            // One that neither has a use for must still hold an element, or Halide takes the call for a bounds query.
            region.extent.push_back(any_empty ? shape.dim(d).extent() : std::max(1, shape.dim(d).extent()));
        }
        Placed placed = place(known.type(), region, known, memory);
        fill(placed.parent, seed + (uint32_t)i);
        placed.used.set_host_dirty();
        known.set_buffer(placed.used);
        if (memory == Memory::Misplaced && !is_empty(region)) {
            placed.parent.copy_to_device(target);
            std::vector<std::pair<int, int>> crop;
            for (int d = 0; d < known.dimensions(); d++) {
                crop.emplace_back(region.min[d], region.extent[d]);
            }
            other.set_buffer(placed.parent.cropped(crop));
        } else {
            other.set_buffer(placed.used);
        }
    }
}

void Runner::check(std::vector<Region> regions, Memory memory, uint32_t seed,
                   const std::map<std::string, Region> &inputs) {
    if (regions.size() == 1) {
        regions.resize(plan.view.outputs.size(), regions[0]);
    }
    ASSERT_EQ(regions.size(), plan.view.outputs.size());
    std::string what = name_of(memory);
    for (const Region &region : regions) {
        what += " " + ::testing::PrintToString(region.min) + "+" + ::testing::PrintToString(region.extent);
    }
    for (const auto &[name, region] : inputs) {
        what += " " + name + " " + ::testing::PrintToString(region.min) + "+" + ::testing::PrintToString(region.extent);
    }
    SCOPED_TRACE(what);
    try {
        run(regions, memory, seed, inputs);
    } catch (const Halide::Error &e) {  // not a std::exception, so gtest would not print it
        ADD_FAILURE() << e.what();
    }
}

void Runner::run(const std::vector<Region> &regions, Memory memory, uint32_t seed,
                 const std::map<std::string, Region> &inputs) {
    if (memory == Memory::Misplaced && device_api() == "opencl") {
        memory = Memory::Padded;  // OpenCL refuses to crop at an address that is not a multiple of 128
    }
    bool any_empty = false, all_empty = true;
    std::vector<Region> flat;
    std::vector<Placed> placed;
    std::vector<Buffer<>> wanted, got;
    for (size_t i = 0; i < regions.size(); i++) {
        any_empty |= is_empty(regions[i]);
        all_empty &= is_empty(regions[i]);
        const auto &parameters = plan.view.outputs[i].output_buffers();
        for (const Parameter &p : parameters) {
            wanted.push_back(place(p.type(), regions[i], p, Memory::Dense).used);
            placed.push_back(place(p.type(), regions[i], p, memory));
            flat.push_back(regions[i]);
        }
    }
    bind(wanted, memory, seed, inputs);
    double terms = 1;
    for (const auto &[name, region] : inputs) {
        double elements = 1;
        for (const int extent : region.extent) {
            elements *= extent;
        }
        terms = std::max(terms, elements);
    }
    for (size_t i = 0; i < placed.size(); i++) {
        if (memory == Memory::Misplaced && !is_empty(flat[i])) {
            placed[i].parent.set_host_dirty();
            placed[i].parent.copy_to_device(target);
            std::vector<std::pair<int, int>> crop;
            for (int d = 0; d < placed[i].parent.dimensions(); d++) {
                crop.emplace_back(flat[i].min[d], flat[i].extent[d]);
            }
            placed[i].used = placed[i].parent.cropped(crop);
        }
        got.push_back(placed[i].used);
    }
    reference.pipeline.realize(Realization(wanted), target_for(""));
    take_launches();
    device.pipeline.realize(Realization(got), target);
    counted = take_launches();
    for (size_t i = 0; i < got.size(); i++) {
        if (is_empty(flat[i])) {
            continue;
        }
        got[i].copy_to_host();
        EXPECT_LE(largest_difference(got[i], wanted[i]), tolerance(wanted[i].type(), terms)) << "output " << i;
        if (memory == Memory::Misplaced) {
            placed[i].parent.set_device_dirty();
            placed[i].parent.copy_to_host();
        }
        EXPECT_EQ(touched_outside(placed[i].parent, flat[i]), 0)
            << "elements outside of output " << i << " were written";
    }
    const bool is_elsewhere = !scalars.empty() && plan.elsewhere;
    const int launches = is_elsewhere ? total(plan.elsewhere->groups).launches : plan.ledger.planned.launches;
    if (!any_empty && !may_launch_fewer) {
        EXPECT_EQ(counted, launches) << "launches counted, and predicted";
    } else if (all_empty || may_launch_fewer) {
        EXPECT_LE(counted, launches);
    }
}

}  // namespace fusion

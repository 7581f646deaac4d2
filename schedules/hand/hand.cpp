#include "schedules/hand/hand.h"

#include "fusion/error.h"
#include "fusion/text.h"
#include "schedules/condition.h"

namespace fusion {
namespace {

using namespace Halide;

constexpr HandSchedule kSchedules[] = {
    {"blur3x3", schedule_blur3x3},
    {"conv_relu", schedule_conv_relu},
    {"harris", schedule_harris},
    {"layernorm", schedule_layernorm},
    {"local_laplacian", schedule_local_laplacian},
    {"pointwise_chain", schedule_pointwise_chain},
    {"softmax", schedule_softmax},
    {"transpose_sandwich", schedule_transpose_sandwich},
};

/// Without Halide's process-wide "$n".
std::string given_name(const std::string &name) {
    return name.substr(0, name.find('$'));
}

template<typename T>
T find(const std::map<std::string, T> &known, const std::string &name) {
    const auto found = known.find(name);
    if (found == known.end()) {
        throw InternalError("a hand schedule asks for \"" + name + "\", which its generator does not have");
    }
    return found->second;
}

}  // namespace

Expr HandBuffer::min(int dim) const {
    return field_of(parameter, BufferField::Min, dim);
}

Expr HandBuffer::extent(int dim) const {
    return field_of(parameter, BufferField::Extent, dim);
}

Expr HandBuffer::stride(int dim) const {
    return field_of(parameter, BufferField::Stride, dim);
}

Expr HandBuffer::has_aligned_rows(int count) const {
    const Expr bytes = Internal::make_const(UInt(64), count * parameter.type().bytes());
    Expr aligned = device_address_of(parameter) % bytes == Internal::make_const(UInt(64), 0);
    for (int d = 1; d < parameter.dimensions(); d++) {
        aligned = aligned && stride(d) % count == 0;
    }
    return aligned;
}

HandPipeline::HandPipeline(const PipelineView &view) {
    for (const PipelineView::Source &source : view.sources) {
        if (source.parameter.defined()) {
            inputs[given_name(source.parameter.name())] = {source.parameter};
        } else if (source.function.get_contents().defined()) {
            funcs[given_name(source.function.name())] = Func(source.function);
        }
    }
    for (const Internal::Function &f : view.outputs) {
        outputs[given_name(f.name())] = {f.output_buffers()[0]};
    }
}

Func HandPipeline::func(const std::string &name) const {
    return find(funcs, name);
}

bool HandPipeline::has_func(const std::string &name) const {
    return funcs.count(name) > 0;
}

HandBuffer HandPipeline::input(const std::string &name) const {
    return find(inputs, name);
}

HandBuffer HandPipeline::output(const std::string &name) const {
    return find(outputs, name);
}

std::vector<std::string> hand_scheduled() {
    std::vector<std::string> names;
    for (const HandSchedule &schedule : kSchedules) {
        names.push_back(schedule.generator);
    }
    return names;
}

const HandSchedule &hand_schedule_of(const std::string &generator) {
    for (const HandSchedule &schedule : kSchedules) {
        if (schedule.generator == generator) {
            return schedule;
        }
    }
    throw UserError("Generator \"" + generator + "\" has no hand schedule. These have one: " +
                    join(hand_scheduled(), ", ") + ". Next step: leave out the variant hand.");
}

}  // namespace fusion

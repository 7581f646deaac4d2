#include "bench/arguments.h"

#include <HalideRuntimeCuda.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "bench/random_data.h"

namespace bench {
namespace {

constexpr size_t kAlignment = 512;  // of each buffer on the device; cuMemAlloc aligns no better
constexpr uint8_t kPoison = 0xCD;

size_t padded(size_t bytes) {
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

BufferArgument buffer_of(const halide_filter_argument_t &a) {
    BufferArgument b;
    b.name = a.name;
    b.type = a.type;
    b.is_output = a.kind == halide_argument_kind_output_buffer;
    for (int d = 0; d < a.dimensions; d++) {
        const int64_t *min = a.buffer_estimates ? a.buffer_estimates[2 * d] : nullptr;
        const int64_t *extent = a.buffer_estimates ? a.buffer_estimates[2 * d + 1] : nullptr;
        if (!min || !extent) {
            throw std::runtime_error("argument " + b.name + " has no estimate in dimension " + std::to_string(d));
        }
        b.dimensions.push_back(halide_dimension_t(int32_t(*min), int32_t(*extent), int32_t(b.elements)));
        b.elements *= size_t(*extent);
    }
    b.bytes = b.elements * size_t(a.type.bytes());
    return b;
}

halide_scalar_value_t scalar_of(const halide_filter_argument_t &a) {
    if (a.scalar_estimate) {
        return *a.scalar_estimate;
    }
    if (a.scalar_def) {
        return *a.scalar_def;
    }
    throw std::runtime_error(std::string("scalar ") + a.name + " has neither estimate nor default");
}

halide_buffer_t described(BufferArgument &b) {
    halide_buffer_t buffer{};
    buffer.type = b.type;
    buffer.dimensions = int32_t(b.dimensions.size());
    buffer.dim = b.dimensions.data();
    return buffer;
}

}  // namespace

void Arguments::read_metadata(const halide_filter_metadata_t &metadata) {
    for (int i = 0; i < metadata.num_arguments; i++) {
        const halide_filter_argument_t &a = metadata.arguments[i];
        if (a.kind == halide_argument_kind_input_scalar) {
            order_.push_back(-1 - int(scalars_.size()));
            scalars_.push_back(scalar_of(a));
        } else {
            order_.push_back(int(buffers_.size()));
            buffers_.push_back(buffer_of(a));
            set_bytes_ += buffers_.back().bytes;
            padded_set_bytes_ += padded(buffers_.back().bytes);
        }
    }
}

Arguments::Arguments(const halide_filter_metadata_t &metadata, size_t l2_bytes, bool one_set) {
    read_metadata(metadata);
    const size_t wanted = one_set ? 1 : (4 * l2_bytes) / std::max<size_t>(set_bytes_, 1) + 1;
    const size_t room = kMostMemory / std::max<size_t>(padded_set_bytes_, 1);
    const size_t count = std::clamp<size_t>(std::min(wanted, room), 1, kMostSets);
    memory_ = std::make_unique<cuda::Memory>(count * padded_set_bytes_);
    sets_.resize(count);
    for (size_t i = 0; i < count; i++) {
        make_set(sets_[i], memory_->pointer() + i * padded_set_bytes_);
    }
    fill_inputs();
}

Arguments::~Arguments() {
    for (Set &set : sets_) {
        for (halide_buffer_t &buffer : set.buffers) {
            halide_cuda_detach_device_ptr(nullptr, &buffer);
        }
    }
}

void Arguments::make_set(Set &set, cuda::DevicePointer memory) {
    for (BufferArgument &b : buffers_) {
        set.buffers.push_back(described(b));
        if (halide_cuda_wrap_device_ptr(nullptr, &set.buffers.back(), memory) != 0) {
            throw std::runtime_error("halide_cuda_wrap_device_ptr failed for " + b.name);
        }
        memory += padded(b.bytes);
    }
    for (const int i : order_) {
        set.pointers.push_back(i >= 0 ? static_cast<void *>(&set.buffers[size_t(i)]) : &scalars_[size_t(-1 - i)]);
    }
}

void Arguments::fill_inputs() {
    // One block of random values a type; every buffer takes it from another place on.
    std::map<std::pair<int, int>, std::unique_ptr<cuda::Memory>> blocks;
    size_t shift = 0;
    for (Set &set : sets_) {
        for (size_t i = 0; i < buffers_.size(); i++) {
            if (buffers_[i].is_output) {
                continue;
            }
            auto &block = blocks[{buffers_[i].type.code, buffers_[i].type.bits}];
            if (!block) {
                const std::vector<std::byte> &values = random_values(buffers_[i].type);
                block = std::make_unique<cuda::Memory>(values.size());
                cuda::copy_to_device(block->pointer(), values.data(), values.size());
            }
            for (size_t at = 0; at < buffers_[i].bytes;) {
                const size_t bytes = std::min(buffers_[i].bytes - at, block->size() - shift);
                cuda::copy_on_device(set.buffers[i].device + at, block->pointer() + shift, bytes);
                at += bytes;
                shift = bytes == block->size() - shift ? 0 : shift;
            }
            shift = (shift + 999 * kAlignment) % (kRandomBytes / 2);
        }
    }
    cuda::synchronize();
}

bool Arguments::fit(const halide_filter_metadata_t &metadata) const {
    if (size_t(metadata.num_arguments) != order_.size()) {
        return false;
    }
    for (size_t i = 0; i < order_.size(); i++) {
        const halide_filter_argument_t &a = metadata.arguments[i];
        if ((a.kind == halide_argument_kind_input_scalar) != (order_[i] < 0)) {
            return false;
        }
        if (order_[i] < 0) {
            continue;
        }
        const BufferArgument there = buffer_of(a), &here = buffers_[size_t(order_[i])];
        if (there.name != here.name || there.type != here.type || there.is_output != here.is_output ||
            there.dimensions != here.dimensions) {
            return false;
        }
    }
    return true;
}

void Arguments::poison_outputs() {
    for (size_t i = 0; i < buffers_.size(); i++) {
        if (buffers_[i].is_output) {
            cuda::set_bytes(sets_[0].buffers[i].device, kPoison, buffers_[i].bytes);
        }
    }
}

std::vector<std::byte> Arguments::download(size_t buffer) const {
    std::vector<std::byte> values(buffers_[buffer].bytes);
    cuda::copy_to_host(values.data(), sets_[0].buffers[buffer].device, values.size());
    return values;
}

std::vector<std::vector<std::byte>> Arguments::run_on_host(const halide_filter_metadata_t &metadata,
                                                           int (*function)(void **)) const {
    if (!fit(metadata)) {
        throw std::runtime_error(std::string(metadata.name) + " takes other arguments");
    }
    std::vector<BufferArgument> arguments = buffers_;
    std::vector<halide_scalar_value_t> scalars = scalars_;
    std::vector<std::vector<std::byte>> values(arguments.size());
    std::vector<halide_buffer_t> buffers(arguments.size());
    for (size_t i = 0; i < arguments.size(); i++) {
        values[i] = arguments[i].is_output ? std::vector<std::byte>(arguments[i].bytes) : download(i);
        buffers[i] = described(arguments[i]);
        buffers[i].host = reinterpret_cast<uint8_t *>(values[i].data());
    }
    std::vector<void *> pointers;
    for (const int i : order_) {
        pointers.push_back(i >= 0 ? static_cast<void *>(&buffers[size_t(i)]) : &scalars[size_t(-1 - i)]);
    }
    if (const int status = function(pointers.data())) {
        throw std::runtime_error(std::string(metadata.name) + ": error " + std::to_string(status));
    }
    for (size_t i = 0; i < arguments.size(); i++) {
        if (!arguments[i].is_output) {
            values[i].clear();
        }
    }
    return values;
}

}  // namespace bench

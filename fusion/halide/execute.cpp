#include "fusion/halide/execute.h"

#include <dlfcn.h>

#include <cmath>
#include <limits>
#include <random>

#include "fusion/error.h"
#include "fusion/halide/memory_order.h"

namespace fusion {
namespace {

using namespace Halide;

void *open_first(std::initializer_list<const char *> names) {
    for (const char *name : names) {
        if (void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL)) {
            return library;
        }
    }
    return nullptr;
}

bool has_cuda() {
    void *library = open_first({"libcuda.so", "libcuda.so.1"});
    if (!library) {
        return false;
    }
    const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(library, "cuInit"));
    const auto count = reinterpret_cast<int (*)(int *)>(dlsym(library, "cuDeviceGetCount"));
    int devices = 0;
    return init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
}

bool has_opencl() {
    void *library = open_first({"libOpenCL.so", "libOpenCL.so.1"});
    if (!library) {
        return false;
    }
    const auto platforms = reinterpret_cast<int (*)(unsigned, void *, unsigned *)>(dlsym(library, "clGetPlatformIDs"));
    unsigned count = 0;
    return platforms && platforms(0, nullptr, &count) == 0 && count > 0;
}

/// A bool in memory; std::vector<bool> has none.
struct Bit {
    uint8_t value;
    explicit operator double() const { return value; }
};

template<typename Visit>
auto with_type(const Type &type, Visit visit) {
    if (type.is_float()) {
        return type.bits() == 64 ? visit(double()) : type.bits() == 16 ? visit(float16_t()) : visit(float());
    }
    if (type.is_bool()) {
        return visit(Bit());
    }
    switch (type.bits()) {
    case 8:
        return type.is_uint() ? visit(uint8_t()) : visit(int8_t());
    case 16:
        return type.is_uint() ? visit(uint16_t()) : visit(int16_t());
    case 32:
        return type.is_uint() ? visit(uint32_t()) : visit(int32_t());
    default:
        return type.is_uint() ? visit(uint64_t()) : visit(int64_t());
    }
}

}  // namespace

std::string device_api() {
    static const std::string api = has_cuda() ? "cuda" : has_opencl() ? "opencl" : "";
    return api;
}

Target target_for(const std::string &api) {
    Target target = get_host_target();
    if (api == "cuda") {
        target.set_feature(Target::CUDA);
        target.set_feature(Target::CUDACapability80);
    } else if (api == "opencl") {
        target.set_feature(Target::OpenCL);
        target.set_feature(Target::CLDoubles);
    }
    return target;
}

void fill(Buffer<> buffer, uint32_t seed) {
    std::mt19937 random(seed);
    with_type(buffer.type(), [&](auto zero) {
        using T = decltype(zero);
        // A prime number of values, over and over: gigabytes are filled at the speed of memory, no row like the next.
        std::vector<T> values(65521);
        for (auto &&value : values) {
            const uint32_t bits = random();
            if constexpr (std::is_same_v<T, Bit>) {
                value.value = bits & 1;
            } else if constexpr (std::is_integral_v<T>) {
                value = (T)(std::is_signed_v<T> ? (int)(bits % 251) - 125 : (int)(bits % 251));
            } else {
                value = T((float)((int)(bits % 128) - 64) / 64.0f);
            }
        }
        size_t next = 0;
        T *data = reinterpret_cast<T *>(buffer.data());
        if (buffer.number_of_elements() * sizeof(T) == buffer.size_in_bytes()) {
            for (size_t left = buffer.number_of_elements(); left > 0;) {
                const size_t count = std::min(left, values.size());
                std::copy_n(values.begin(), count, data);
                data += count;
                left -= count;
            }
        } else {
            buffer.get()->for_each_element([&](const int *at) {
                *reinterpret_cast<T *>(buffer.raw_buffer()->address_of(at)) = values[next++ % values.size()];
            });
        }
        return 0;
    });
    buffer.set_host_dirty();
}

std::vector<Buffer<>> make_outputs(const std::vector<Internal::Function> &outputs, const std::vector<Region> &regions) {
    std::vector<Buffer<>> buffers;
    for (size_t i = 0; i < outputs.size(); i++) {
        for (const Parameter &p : outputs[i].output_buffers()) {
            Buffer<> buffer(p.type(), regions[i].extent, memory_order_of(p, outputs[i].dimensions()));
            buffer.set_min(regions[i].min);
            buffers.push_back(buffer);
        }
    }
    return buffers;
}

std::vector<Region> estimated_regions(const PipelineView &view) {
    std::vector<Region> regions;
    for (const Internal::Function &output : view.outputs) {
        for (Vertex v = 0; v < num_vertices(view.graph); v++) {
            const Stage &stage = view.graph[v];
            const bool is_it = stage.role == Role::Output && stage.update == 0 &&
                               view.sources[stage.func_id].function.name() == output.name();
            if (!is_it) {
                continue;
            }
            Region region;
            for (const Extent &dim : stage.dims) {
                region.min.push_back((int)dim.min);
                region.extent.push_back((int)dim.extent);
            }
            regions.push_back(region);
        }
    }
    return regions;
}

double largest_difference(const Buffer<> &result, const Buffer<> &reference) {
    return with_type(reference.type(), [&](auto zero) {
        using T = decltype(zero);
        double largest = 0, scale = 0;
        const auto value = [](const Buffer<> &buffer, const int *at) {
            return (double)*reinterpret_cast<const T *>(buffer.raw_buffer()->address_of(at));
        };
        reference.get()->for_each_element([&](const int *at) {
            const double magnitude = std::abs(value(reference, at));
            scale = magnitude > scale ? magnitude : scale;  // a NaN is not
        });
        scale = scale == 0 ? 1 : std::min(scale, 1.0);
        reference.get()->for_each_element([&](const int *at) {
            const double a = value(result, at), b = value(reference, at);
            if (std::isnan(a) != std::isnan(b)) {
                largest = std::numeric_limits<double>::infinity();
            } else if (a != b && !std::isnan(a)) {
                const double difference = std::abs(a - b) / std::max(scale, std::abs(b));
                largest =
                    std::max(largest, std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference);
            }
        });
        return largest;
    });
}

double tolerance(const Type &type, double terms) {
    const double plain = !type.is_float() ? 0 : type.bits() == 64 ? 1e-9 : type.bits() == 32 ? 2e-5 : 2e-3;
    // The reference adds one by one: of n terms of one sign its rounding error grows with n.
    return plain * std::max(1.0, terms / 4096);
}

double most_terms(const StageGraph &graph) {
    double most = 1;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        double terms = 1;
        for (const Extent &dim : graph[v].reduction) {
            terms *= (double)dim.extent;
        }
        most = std::max(most, terms);
    }
    return most;
}

}  // namespace fusion

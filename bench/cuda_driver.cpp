#include "bench/cuda_driver.h"

#include <HalideRuntimeCuda.h>
#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <stdexcept>

extern "C" int halide_cuda_acquire_context(void *user_context, void **context, bool create);

namespace bench::cuda {
namespace {

void *library = nullptr;

void fail_if(const char *name, int status) {
    if (status != 0) {
        const char *text = nullptr;
        using GetErrorName = int (*)(int, const char **);
        if (auto get_name = reinterpret_cast<GetErrorName>(dlsym(library, "cuGetErrorName"))) {
            get_name(status, &text);
        }
        throw std::runtime_error(std::string(name) + ": " + (text ? text : std::to_string(status)));
    }
}

/// Calls a driver function by name. The argument types must be exactly the function's.
template<typename... Args>
void driver(const char *name, Args... args) {
    const auto function = reinterpret_cast<int (*)(Args...)>(dlsym(library, name));
    if (!function) {
        throw std::runtime_error(std::string("libcuda.so.1 has no ") + name);
    }
    fail_if(name, function(args...));
}

int attribute(int which) {
    int value = 0;
    driver("cuDeviceGetAttribute", &value, which, 0);
    return value;
}

/// Memory that Halide's runtime has freed, by size; and the size of every piece that it was given.
std::multimap<size_t, DevicePointer> idle;
std::map<DevicePointer, size_t> size_of;

int allocate_intermediate(DevicePointer *pointer, size_t bytes) {
    if (const auto found = idle.find(bytes); found != idle.end()) {
        *pointer = found->second;
        idle.erase(found);
        return 0;
    }
    const int status =
        reinterpret_cast<int (*)(DevicePointer *, size_t)>(dlsym(library, "cuMemAlloc_v2"))(pointer, bytes);
    if (status == 0) {
        size_of[*pointer] = bytes;
    }
    return status;
}

// All work is in one stream, so whoever gets the piece next comes after its last use.
int free_intermediate(DevicePointer pointer) {
    idle.emplace(size_of.at(pointer), pointer);
    return 0;
}

constexpr int kMultiprocessorCount = 16, kL2CacheSize = 38;  // CUdevice_attribute
void *const kNullStream = nullptr;

}  // namespace

std::string start() {
    library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library) {
        return "no CUDA driver (libcuda.so.1)";
    }
    int count = 0;
    try {
        driver("cuInit", 0U);
        driver("cuDeviceGetCount", &count);
    } catch (const std::runtime_error &e) {
        return e.what();
    }
    void *context = nullptr;
    if (count == 0 || halide_cuda_acquire_context(nullptr, &context, true) != 0 || !context) {
        return "no CUDA device";
    }
    driver("cuCtxPushCurrent_v2", context);
    return "";
}

Device device() {
    Device d;
    std::array<char, 256> name{};
    driver("cuDeviceGetName", name.data(), int(name.size()), 0);
    d.name = name.data();
    driver("cuDriverGetVersion", &d.driver_version);
    d.multiprocessors = attribute(kMultiprocessorCount);
    d.l2_bytes = size_t(attribute(kL2CacheSize));
    return d;
}

Memory::Memory(size_t bytes) : bytes_(bytes) {
    driver("cuMemAlloc_v2", &pointer_, std::max<size_t>(bytes, 1));
}

Memory::~Memory() {
    using Free = int (*)(DevicePointer);
    reinterpret_cast<Free>(dlsym(library, "cuMemFree_v2"))(pointer_);
}

void copy_to_device(DevicePointer to, const void *from, size_t bytes) {
    driver("cuMemcpyHtoD_v2", to, from, bytes);
}

void copy_to_host(void *to, DevicePointer from, size_t bytes) {
    driver("cuMemcpyDtoH_v2", to, from, bytes);
}

void copy_on_device(DevicePointer to, DevicePointer from, size_t bytes) {
    driver("cuMemcpyDtoDAsync_v2", to, from, bytes, kNullStream);
}

void set_bytes(DevicePointer to, uint8_t value, size_t bytes) {
    driver("cuMemsetD8Async", to, value, bytes, kNullStream);
}

void synchronize() {
    driver("cuCtxSynchronize");
}

void free_intermediates() {
    synchronize();
    for (const auto &[bytes, pointer] : idle) {
        driver("cuMemFree_v2", pointer);
        size_of.erase(pointer);
    }
    idle.clear();
}

double time_ms(const std::function<void()> &enqueue) {
    static const std::array<void *, 2> events = [] {
        std::array<void *, 2> e{};
        driver("cuEventCreate", &e[0], 0U);
        driver("cuEventCreate", &e[1], 0U);
        return e;
    }();
    driver("cuEventRecord", events[0], kNullStream);
    enqueue();
    driver("cuEventRecord", events[1], kNullStream);
    driver("cuEventSynchronize", events[1]);
    float ms = 0;
    driver("cuEventElapsedTime", &ms, events[0], events[1]);
    return ms;
}

double measure_copy_gbps() {
    constexpr size_t bytes = size_t(1) << 30;
    const Memory from(bytes), to(bytes);
    // Not zeros: the caller's random data is elsewhere, and any pattern that differs from byte to byte will do.
    std::string pattern(1 << 20, '\0');
    uint32_t state = 1;
    for (char &c : pattern) {
        state = state * 1664525U + 1013904223U;
        c = char(state >> 24);
    }
    for (size_t at = 0; at < bytes; at += pattern.size()) {
        copy_to_device(from.pointer() + at, pattern.data(), pattern.size());
    }
    std::array<double, 9> times{};
    for (int i = -2; i < int(times.size()); i++) {
        const double ms = time_ms([&] { copy_on_device(to.pointer(), from.pointer(), bytes); });
        if (i >= 0) {
            times[size_t(i)] = ms;
        }
    }
    std::sort(times.begin(), times.end());
    return 2.0 * double(bytes) / times[times.size() / 2] * 1e-6;
}

}  // namespace bench::cuda

/// In place of the runtime's own, which is weak: it gets the driver's functions from here. (Its own looks for "libcuda.so",
/// which a machine with a driver need not have.)
extern "C" void *halide_cuda_get_symbol(void *, const char *name) {
    using namespace bench::cuda;
    if (std::strcmp(name, "cuMemAlloc_v2") == 0) {
        return reinterpret_cast<void *>(allocate_intermediate);
    }
    if (std::strcmp(name, "cuMemFree_v2") == 0) {
        return reinterpret_cast<void *>(free_intermediate);
    }
    return library ? dlsym(library, name) : nullptr;
}

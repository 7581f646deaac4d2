#pragma once
/// The few calls of the CUDA driver that a benchmark needs, in the context that Halide's runtime uses.
///
/// libcuda.so.1 is opened at run time, so that the executable also starts where there is no driver. All work is in the null
/// stream, which is the one in which Halide launches. Every function but start() throws std::runtime_error naming the call
/// and the driver's error.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace bench::cuda {

using DevicePointer = uint64_t;

struct Device {
    std::string name;
    int driver_version = 0;  ///< as cuDriverGetVersion gives it: 13000
    int multiprocessors = 0;
    size_t l2_bytes = 0;
};

/// Makes Halide's context and makes it current. Returns the reason if there is no driver or no device, else "".
std::string start();

Device device();

/// Device memory, freed with the object.
class Memory {
public:
    explicit Memory(size_t bytes);
    ~Memory();
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;
    DevicePointer pointer() const { return pointer_; }
    size_t size() const { return bytes_; }

private:
    DevicePointer pointer_ = 0;
    size_t bytes_;
};

void copy_to_device(DevicePointer to, const void *from, size_t bytes);
void copy_to_host(void *to, DevicePointer from, size_t bytes);
void copy_on_device(DevicePointer to, DevicePointer from, size_t bytes);
void set_bytes(DevicePointer to, uint8_t value, size_t bytes);
/// Waits for everything that was launched.
void synchronize();

/// Frees the memory that filters' intermediates have used. Until then Halide's runtime gets it again from call to call,
/// without limit: cuMemAlloc and cuMemFree in every call would cost an unfused pipeline more than its kernels, and the
/// runtime's own halide_reuse_device_allocations(), to be turned off, keeps 32 pieces only.
void free_intermediates();

/// Milliseconds between two events around the work that `enqueue` enqueues; waits for its end.
double time_ms(const std::function<void()> &enqueue);

/// Bandwidth of a copy of 1 GiB on the device, bytes read plus bytes written, in 1e9 bytes a second: median of nine.
double measure_copy_gbps();

}  // namespace bench::cuda

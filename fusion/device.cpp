#include "fusion/device.h"

#include <algorithm>

#include "fusion/error.h"
#include "fusion/text.h"

namespace fusion {
namespace {

constexpr const char *kHalide = "Halide 21 CUDA back end, PTX for compute capability 8.6";
constexpr const char *kCapability90 = "CUDA C++ Programming Guide 13.0, compute capability 9.0";
constexpr const char *kCapability80 = "CUDA C++ Programming Guide 13.0, compute capability 8.0";
constexpr const char *kCapability89 = "CUDA C++ Programming Guide 13.0, compute capability 8.9";
constexpr const char *kMeasured = "bench/calibrate.cu on an H200, 2026-11-29";
constexpr const char *kAssumed = "taken over from the H200, not measured";
constexpr const char *kA100 = "NVIDIA A100 80GB data sheet, times 0.9";
constexpr const char *kL40S = "NVIDIA L40S data sheet, times 0.9";
constexpr const char *kModest = "a modest data-centre GPU, not a reading";

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return (char)std::tolower(c); });
    return text;
}

}  // namespace

const std::vector<Device> &devices() {
    static const std::vector<Device> all = {
        {
            .name = "H200",
            .multiprocessors = {132, "", kMeasured},
            .threads_per_multiprocessor = {2048, "threads", kCapability90},
            .registers_per_multiprocessor = {65536, "registers", kCapability90},
            .shared_per_multiprocessor = {228 * 1024, "bytes", kCapability90},
            .shared_per_block = {48 * 1024, "bytes", kHalide},
            .threads_per_block = {1024, "threads", kCapability90},
            .registers_per_thread = {64, "registers", kHalide},
            .argument_bytes = {4096, "bytes", kHalide},
            .l1 = {256 * 1024, "bytes", kCapability90},
            .l2 = {62.9e6, "bytes", kMeasured},
            .memory_bandwidth = {4230, "GB/s", kMeasured},
            .l2_bandwidth = {7250, "GB/s", kMeasured},
            .memory_latency = {0.8, "us", kMeasured},
            .launch = {3.67, "us", kMeasured},
            .instruction_rate = {29.5e3, "Ginstr/s", kMeasured},
            .overlap = {0.95, "", kMeasured},
            .uncoalesced_waste = {4, "", kMeasured},
        },
        {
            .name = "A100",
            .multiprocessors = {108, "", kCapability80},
            .threads_per_multiprocessor = {2048, "threads", kCapability80},
            .registers_per_multiprocessor = {65536, "registers", kCapability80},
            .shared_per_multiprocessor = {164 * 1024, "bytes", kCapability80},
            .shared_per_block = {48 * 1024, "bytes", kHalide},
            .threads_per_block = {1024, "threads", kCapability80},
            .registers_per_thread = {64, "registers", kHalide},
            .argument_bytes = {4096, "bytes", kHalide},
            .l1 = {192 * 1024, "bytes", kCapability80},
            .l2 = {40e6, "bytes", kA100},
            .memory_bandwidth = {1835, "GB/s", kA100},
            .l2_bandwidth = {4500, "GB/s", kAssumed},
            .memory_latency = {0.8, "us", kAssumed},
            .launch = {3.67, "us", kAssumed},
            .instruction_rate = {9.7e3, "Ginstr/s", kA100},
            .overlap = {0.95, "", kAssumed},
            .uncoalesced_waste = {4, "", kAssumed},
        },
        {
            .name = "L40S",
            .multiprocessors = {142, "", kCapability89},
            .threads_per_multiprocessor = {1536, "threads", kCapability89},
            .registers_per_multiprocessor = {65536, "registers", kCapability89},
            .shared_per_multiprocessor = {100 * 1024, "bytes", kCapability89},
            .shared_per_block = {48 * 1024, "bytes", kHalide},
            .threads_per_block = {1024, "threads", kCapability89},
            .registers_per_thread = {64, "registers", kHalide},
            .argument_bytes = {4096, "bytes", kHalide},
            .l1 = {128 * 1024, "bytes", kCapability89},
            .l2 = {96e6, "bytes", kL40S},
            .memory_bandwidth = {778, "GB/s", kL40S},
            .l2_bandwidth = {4000, "GB/s", kAssumed},
            .memory_latency = {0.8, "us", kAssumed},
            .launch = {3.67, "us", kAssumed},
            .instruction_rate = {45.8e3, "Ginstr/s", kL40S},
            .overlap = {0.95, "", kAssumed},
            .uncoalesced_waste = {4, "", kAssumed},
        },
        {
            .name = "generic",
            .multiprocessors = {64, "", kModest},
            .threads_per_multiprocessor = {1536, "threads", kModest},
            .registers_per_multiprocessor = {65536, "registers", kModest},
            .shared_per_multiprocessor = {96 * 1024, "bytes", kModest},
            .shared_per_block = {48 * 1024, "bytes", kHalide},
            .threads_per_block = {1024, "threads", kModest},
            .registers_per_thread = {64, "registers", kHalide},
            .argument_bytes = {4096, "bytes", kHalide},
            .l1 = {128 * 1024, "bytes", kModest},
            .l2 = {32e6, "bytes", kModest},
            .memory_bandwidth = {600, "GB/s", kModest},
            .l2_bandwidth = {2000, "GB/s", kModest},
            .memory_latency = {0.8, "us", kAssumed},
            .launch = {3.67, "us", kAssumed},
            .instruction_rate = {10e3, "Ginstr/s", kModest},
            .overlap = {0.95, "", kAssumed},
            .uncoalesced_waste = {4, "", kAssumed},
        },
    };
    return all;
}

const Device &device_named(const std::string &name) {
    std::vector<std::string> valid;
    for (const Device &device : devices()) {
        if (lower_case(device.name) == lower_case(name)) {
            return device;
        }
        valid.push_back(device.name);
    }
    throw UserError("Unknown device \"" + name + "\". Valid devices: " + join(valid, ", ") + ".");
}

}  // namespace fusion

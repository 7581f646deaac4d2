#pragma once
/// The pipelines that were compiled ahead of time and linked in, and how to call one.
///
/// A filter is one generator × variant × size, emitted by `halide-fusion emit` at build time (bench/CMakeLists.txt has the
/// list) together with what the planner predicts for it. The size is the one that the plan was made for; the code takes
/// any size.
#include <HalideRuntime.h>

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

/// What the planner promises, from the `<filter>.json` beside the code (the output of `explain --format json`).
struct Prediction {
    int64_t launches = 0;
    double bytes = 0;             ///< read and written in device memory
    double compulsory_bytes = 0;  ///< each input and each output once; 0: not given
    double time_us = 0;
    int registers = 0;     ///< the most of any kernel
    int register_cap = 0;  ///< for HL_CUDA_JIT_MAX_REGISTERS; 0: the runtime's default
};

struct Filter {
    std::string name, generator, variant;
    int width = 0, height = 0;
    int (*function)(void **) = nullptr;
    const halide_filter_metadata_t *metadata = nullptr;
    Prediction predicted;

    /// "4096x16384"
    std::string size() const;
    /// Compiled for the CPU alone: what results are compared with.
    bool is_reference() const;
};

/// In the order of bench/CMakeLists.txt. Throws std::runtime_error naming the filter if its JSON lacks a field.
const std::vector<Filter> &all_filters();

/// Null if there is none.
const Filter *find_filter(const std::string &generator, const std::string &variant, int width, int height);
/// The CPU filter of the generator, whatever its size; null if there is none.
const Filter *find_reference(const std::string &generator);

/// Calls it once, without waiting for the GPU. `arguments` are as halide_filter_metadata_t orders them. Returns the number
/// of kernels launched. Throws std::runtime_error with Halide's message if the filter reports an error.
int64_t call(const Filter &filter, void **arguments);

}  // namespace bench

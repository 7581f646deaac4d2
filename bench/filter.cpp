#include "bench/filter.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

// filters.inc, made by CMake, has for each filter FILTER(name, generator, variant, width, height) after its JSON text.
#define FILTER(NAME, GENERATOR, VARIANT, WIDTH, HEIGHT)                                                                \
    extern "C" int NAME##_argv(void **);                                                                               \
    extern "C" const halide_filter_metadata_t *NAME##_metadata();
#define FILTER_JSON(NAME, TEXT)
#include "filters.inc"
#undef FILTER
#undef FILTER_JSON

// The linker's --wrap sends every launch that a filter makes through here (bench/CMakeLists.txt).
static int64_t launches = 0;

extern "C" int __real_halide_cuda_run(void *user_context, void *state, const char *entry, int blocks_x, int blocks_y,
                                      int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
                                      size_t sizes[], void *values[], int8_t is_buffer[]);

extern "C" int __wrap_halide_cuda_run(void *user_context, void *state, const char *entry, int blocks_x, int blocks_y,
                                      int blocks_z, int threads_x, int threads_y, int threads_z, int shared_bytes,
                                      size_t sizes[], void *values[], int8_t is_buffer[]) {
    launches++;
    return __real_halide_cuda_run(user_context, state, entry, blocks_x, blocks_y, blocks_z, threads_x, threads_y,
                                  threads_z, shared_bytes, sizes, values, is_buffer);
}

namespace bench {
namespace {

std::string last_error;

// Halide's own handler aborts; with this one the filter returns an error code.
void keep_error(void *, const char *message) {
    last_error = message;
}

Prediction prediction_of(const std::string &filter, const char *text) {
    if (*text == '\0') {
        return {};
    }
    try {
        const auto json = nlohmann::json::parse(text);
        const auto &totals = json.at("totals");
        Prediction p;
        p.launches = totals.at("planned").at("launches");
        p.bytes = totals.at("planned").at("bytes");
        p.time_us = totals.at("planned").at("time_us");
        p.compulsory_bytes = totals.at("compulsory_bytes");
        p.register_cap = json.at("register_cap");
        for (const auto &kernel : json.at("kernels")) {
            p.registers = std::max(p.registers, kernel.at("registers").at("value").get<int>());
        }
        return p;
    } catch (const nlohmann::json::exception &e) {
        throw std::runtime_error(filter + ".json: " + e.what());
    }
}

std::vector<Filter> make_filters() {
    std::vector<Filter> filters;
    const char *text = "";
#define FILTER_JSON(NAME, TEXT) text = TEXT;
#define FILTER(NAME, GENERATOR, VARIANT, WIDTH, HEIGHT)                                                                \
    filters.push_back(                                                                                                 \
        {#NAME, #GENERATOR, #VARIANT, WIDTH, HEIGHT, NAME##_argv, NAME##_metadata(), prediction_of(#NAME, text)});
#include "filters.inc"
    return filters;
}

}  // namespace

std::string Filter::size() const {
    return std::to_string(width) + "x" + std::to_string(height);
}

bool Filter::is_reference() const {
    return variant == "reference";
}

const std::vector<Filter> &all_filters() {
    static const std::vector<Filter> filters = make_filters();
    return filters;
}

const Filter *find_filter(const std::string &generator, const std::string &variant, int width, int height) {
    for (const Filter &f : all_filters()) {
        if (f.generator == generator && f.variant == variant && f.width == width && f.height == height) {
            return &f;
        }
    }
    return nullptr;
}

const Filter *find_reference(const std::string &generator) {
    for (const Filter &f : all_filters()) {
        if (f.generator == generator && f.is_reference()) {
            return &f;
        }
    }
    return nullptr;
}

int64_t call(const Filter &filter, void **arguments) {
    static std::set<const Filter *> called;
    if (called.insert(&filter).second) {
        halide_set_error_handler(keep_error);
        // The runtime reads the variable when it loads a filter's kernels, which is in the filter's first call.
        if (filter.predicted.register_cap > 0) {
            setenv("HL_CUDA_JIT_MAX_REGISTERS", std::to_string(filter.predicted.register_cap).c_str(), 1);
        } else {
            unsetenv("HL_CUDA_JIT_MAX_REGISTERS");
        }
    }
    const int64_t before = launches;
    if (const int status = filter.function(arguments)) {
        throw std::runtime_error(filter.name + ": error " + std::to_string(status) + ": " + last_error);
    }
    return launches - before;
}

}  // namespace bench

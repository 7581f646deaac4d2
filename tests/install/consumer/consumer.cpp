// Returns 0 if the planned library is what was asked for. Runs without a GPU.
#include "blend.h"

#include <HalideRuntime.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

namespace {

int failures = 0;

void expect(bool fact, const char *what) {
    if (!fact) {
        std::fprintf(stderr, "consumer: not so: %s\n", what);
        ++failures;
    }
}

}  // namespace

int main() {
    const halide_filter_metadata_t &metadata = *blend_metadata();
    const std::string target = metadata.target;
    expect(target.find("cuda") != std::string::npos, "the library is built for CUDA");
    expect(metadata.num_arguments == 3, "it takes two inputs and an output");
    // Not called: even a bounds query loads the CUDA driver first. Naming it makes the linker resolve everything it needs.
    int (*volatile function)(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *) = blend;
    expect(function != nullptr, "it links");

    std::ifstream file(SCHEDULE_FILE);
    const std::string schedule{std::istreambuf_iterator<char>(file), {}};
    expect(schedule.find("gpu") != std::string::npos, "the emitted schedule uses the GPU");

    return failures;
}

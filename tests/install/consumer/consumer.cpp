// Returns 0 if the planned library is what was asked for. Runs without a GPU.
#include "blend.h"

#include <HalideBuffer.h>

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

} // namespace

int main() {
    const std::string target = blend_metadata()->target;
    expect(target.find("cuda") != std::string::npos, "the library is built for CUDA");

    std::ifstream file(SCHEDULE_FILE);
    const std::string schedule{std::istreambuf_iterator<char>(file), {}};
    expect(schedule.find("gpu") != std::string::npos, "the emitted schedule uses the GPU");

    // Inputs without memory make the call a bounds query, which computes on no device.
    Halide::Runtime::Buffer<float, 2> a(nullptr, 0, 0), b(nullptr, 0, 0), out(nullptr, 64, 32);
    expect(blend(a, b, out) == 0, "a bounds query succeeds");
    expect(a.width() == 64 && a.height() == 32, "the input has the size of the output");
    return failures;
}

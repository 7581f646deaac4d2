/// The main function of a variant's executable: calls the one filter that is linked with it, fusion_variant, on random data.
///
///   --write FILE    writes the outputs
///   --compare FILE  compares the outputs with those that another variant wrote
///   --allow N       so many values may differ
///   --result FILE   times it (unless --untimed), and writes launches, milliseconds and the difference as JSON
///
/// In: the filter's metadata, whose estimates give the shapes. Ends with 1 and a message on stderr where anything fails.
#include <HalideBuffer.h>
#include <HalideRuntime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/random_data.h"
#include "fusion/compare/filter_shapes.h"
#include "fusion/time_calls.h"

extern "C" {
int fusion_variant_argv(void **);
const halide_filter_metadata_t *fusion_variant_metadata();

// Not in the runtime of a CPU target.
__attribute__((weak)) int halide_reuse_device_allocations(void *, bool);

// The link wraps the launching functions that the runtime has (--wrap); the real one is missing where there is none.
using Launch = int(void *, void *, const char *, int, int, int, int, int, int, int, void *, void *, void *);
__attribute__((weak)) Launch __real_halide_cuda_run, __real_halide_opencl_run;
static int launches = 0;
int __wrap_halide_cuda_run(void *c, void *s, const char *n, int bx, int by, int bz, int tx, int ty, int tz, int m,
                           void *sizes, void *args, void *is_buffer) {
    launches++;
    return __real_halide_cuda_run(c, s, n, bx, by, bz, tx, ty, tz, m, sizes, args, is_buffer);
}
int __wrap_halide_opencl_run(void *c, void *s, const char *n, int bx, int by, int bz, int tx, int ty, int tz, int m,
                             void *sizes, void *args, void *is_buffer) {
    launches++;
    return __real_halide_opencl_run(c, s, n, bx, by, bz, tx, ty, tz, m, sizes, args, is_buffer);
}
}

namespace {

using Buffer = Halide::Runtime::Buffer<>;

/// Together the sets are this large: a buffer that comes up again is no longer in a GPU's L2 (60 MB on an H200).
constexpr size_t kColdBytes = size_t(256) << 20;
constexpr size_t kMostSets = 64;

std::string last_error;

void keep_error(void *, const char *message) {
    last_error = message;
}

void call(void **pointers) {
    if (fusion_variant_argv(pointers) != 0) {
        throw std::runtime_error(last_error);
    }
}

/// One set of arguments.
struct Set {
    std::vector<Buffer> buffers;
    std::vector<void *> pointers;
};

void fill(Buffer &buffer, size_t shift) {
    const std::vector<std::byte> &values = bench::random_values(buffer.type());
    auto *data = reinterpret_cast<std::byte *>(buffer.begin());
    for (size_t at = 0; at < buffer.size_in_bytes();) {
        const size_t bytes = std::min(buffer.size_in_bytes() - at, values.size() - shift);
        std::memcpy(data + at, values.data() + shift, bytes);
        at += bytes;
        shift = 0;
    }
    buffer.set_host_dirty();
}

Set make_set(const halide_filter_metadata_t &metadata, fusion::FilterShapes &shapes) {
    Set set;
    set.buffers.resize(shapes.dimensions.size());
    for (size_t i = 0; i < set.buffers.size(); i++) {
        const halide_filter_argument_t &a = metadata.arguments[i];
        if (a.kind == halide_argument_kind_input_scalar) {
            set.pointers.push_back(&shapes.scalars[i]);
            continue;
        }
        set.buffers[i] = Buffer(a.type, nullptr, a.dimensions, shapes.dimensions[i].data());
        set.buffers[i].allocate();
        if (a.kind == halide_argument_kind_input_buffer) {
            fill(set.buffers[i], i * 999 * 512 % (bench::kRandomBytes / 2));
        } else {
            std::memset(set.buffers[i].begin(), 0xCD, set.buffers[i].size_in_bytes());  // that no filter writes
        }
        set.pointers.push_back(set.buffers[i].raw_buffer());
    }
    return set;
}

std::vector<Buffer *> outputs_of(const halide_filter_metadata_t &metadata, Set &set) {
    std::vector<Buffer *> outputs;
    for (size_t i = 0; i < set.buffers.size(); i++) {
        if (metadata.arguments[i].kind == halide_argument_kind_output_buffer) {
            outputs.push_back(&set.buffers[i]);
        }
    }
    return outputs;
}

/// Of all outputs together, with the text of the first that differs too much.
bench::Difference compare_with(const std::string &file, const std::vector<Buffer *> &outputs, size_t allowed) {
    std::ifstream stream(file, std::ios::binary);
    bench::Difference all;
    for (Buffer *output : outputs) {
        std::vector<std::byte> wanted(output->size_in_bytes());
        if (!stream.read(reinterpret_cast<char *>(wanted.data()), std::streamsize(wanted.size()))) {
            throw std::runtime_error("cannot read the reference's outputs from " + file);
        }
        const bench::Difference one =
            bench::difference(output->type(), reinterpret_cast<const std::byte *>(output->begin()), wanted.data(),
                              output->number_of_elements(), allowed);
        all.differing += one.differing;
        all.text = all.text.empty() ? one.text : all.text;
    }
    return all;
}

double time_cold(const halide_filter_metadata_t &metadata, fusion::FilterShapes &shapes, Set &&first) {
    size_t bytes = 1;
    for (const Buffer &buffer : first.buffers) {
        bytes += buffer.data() ? buffer.size_in_bytes() : 0;
    }
    std::vector<Set> sets;
    sets.push_back(std::move(first));
    while (sets.size() < std::min(kMostSets, kColdBytes / bytes + 1)) {
        sets.push_back(make_set(metadata, shapes));
    }
    for (Set &set : sets) {  // uploads and allocates
        call(set.pointers.data());
    }
    size_t next = 0;
    Buffer *output = outputs_of(metadata, sets[0]).at(0);
    return fusion::time_calls([&] { call(sets[next++ % sets.size()].pointers.data()); },
                              [&] { output->device_sync(); });
}

struct Wanted {
    std::string write, compare, result;
    size_t allowed = 0;
    bool timed = true;
};

void run(const Wanted &wanted) {
    const halide_filter_metadata_t &metadata = *fusion_variant_metadata();
    halide_set_error_handler(keep_error);
    if (halide_reuse_device_allocations) {  // or each call pays for its intermediates again
        halide_reuse_device_allocations(nullptr, true);
    }
    fusion::FilterShapes shapes = fusion::filter_shapes(metadata, call);
    Set set = make_set(metadata, shapes);
    launches = 0;
    call(set.pointers.data());
    const int launched = launches;
    const std::vector<Buffer *> outputs = outputs_of(metadata, set);
    for (Buffer *output : outputs) {
        output->copy_to_host();
    }
    if (!wanted.write.empty()) {
        std::ofstream stream(wanted.write, std::ios::binary);
        for (Buffer *output : outputs) {
            stream.write(reinterpret_cast<const char *>(output->begin()), std::streamsize(output->size_in_bytes()));
        }
        if (!stream.flush()) {
            throw std::runtime_error("cannot write " + wanted.write);
        }
    }
    const bench::Difference compared =
        wanted.compare.empty() ? bench::Difference() : compare_with(wanted.compare, outputs, wanted.allowed);
    if (!wanted.result.empty()) {
        const double milliseconds = wanted.timed ? time_cold(metadata, shapes, std::move(set)) : 0;
        std::ofstream stream(wanted.result);
        stream << "{\"launches\": " << launched << ", \"milliseconds\": " << milliseconds
               << ", \"differing\": " << compared.differing << ", \"difference\": \"" << compared.text << "\"}\n";
        if (!stream.flush()) {
            throw std::runtime_error("cannot write " + wanted.result);
        }
    }
}

}  // namespace

int main(int argc, char **argv) {
    Wanted wanted;
    for (int i = 1; i < argc; i++) {
        const std::string word = argv[i];
        if (word == "--untimed") {
            wanted.timed = false;
        } else if (i + 1 == argc) {
            std::fprintf(stderr, "%s: what of it?\n", argv[i]);
            return 2;
        } else if (word == "--allow") {
            wanted.allowed = size_t(std::strtoull(argv[++i], nullptr, 10));
        } else {
            (word == "--write" ? wanted.write : word == "--compare" ? wanted.compare : wanted.result) = argv[++i];
        }
    }
    try {
        run(wanted);
    } catch (const std::exception &e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
    return 0;
}

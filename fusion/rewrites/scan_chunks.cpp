#include "fusion/rewrites/scan_chunks.h"

#include <algorithm>
#include <cmath>

#include "fusion/halide/read_pipeline.h"

namespace fusion {
namespace {

using Halide::Internal::Function;

/// Shared memory of a chunk in a block: as many blocks of 256 threads as a multiprocessor of an H200 holds (8) have room. Of
/// integral_image 64 x 64 elements take 73 us, two chunks of 64 x 32 85, four of 32 x 32 81 (H200, 2026-11-30).
constexpr int64_t kMostSharedBytes = 16 * 1024;

/// Registers of a chunk in a thread: half of the 64 that Halide's runtime lets it have.
constexpr int64_t kMostRegisters = 32;

/// Elements that are worth cutting: more than a chunk in a thread has, and at least those of a chunk in a block.
constexpr int64_t kLeastRow = 256, kLeastColumn = 2 * kMostRegisters;

/// Blocks that keep an H200 busy (132 multiprocessors, of which each holds eight of 256 threads). Where there are fewer rows
/// than half of that, they are cut in more pieces.
constexpr int64_t kBlocks = 1024;

int64_t power_of_two(double least) {
    return int64_t(1) << (int64_t)std::ceil(std::log2(std::max(1.0, least)));
}

int64_t quotient_up(int64_t a, int64_t b) {
    return (a + b - 1) / b;
}

/// Points of the other dimensions at the estimates.
std::optional<int64_t> rows_of(const ScanFunc &scan, const std::vector<Function> &outputs) {
    const PipelineView view = read_pipeline(outputs);
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const Stage &stage = view.graph[v];
        if (stage.update == 0 && view.sources[stage.func_id].function.same_as(scan.function)) {
            int64_t rows = 1;
            for (int d = 0; d < (int)stage.dims.size(); d++) {
                rows *= d == scan.dim ? 1 : stage.dims[d].extent;
            }
            return stage.unbounded ? std::nullopt : std::make_optional(rows);
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<Chunks> chunks_of(const ScanFunc &scan, int64_t length, const std::vector<Function> &outputs) {
    const int64_t bytes = scan.term.type().bytes();
    if (scan.dim > 0) {
        // As many elements of a chunk as chunks, so that what is left to do in order is least.
        const int64_t most = kMostRegisters * 4 / std::max<int64_t>(bytes, 4);
        const int64_t places = std::min(most, power_of_two(std::sqrt((double)length)));
        return length >= kLeastColumn ? std::make_optional(Chunks{.places = places}) : std::nullopt;
    }
    const auto rows = length >= kLeastRow ? rows_of(scan, outputs) : std::nullopt;
    if (!rows) {
        return std::nullopt;
    }
    int64_t pieces = quotient_up(length, kMostSharedBytes / bytes);
    while (*rows * pieces < kBlocks / 2 && length / (2 * pieces) >= kLeastRow) {
        pieces *= 2;
    }
    // Steps of a thread over its part, and then of one over the parts: least where they are as many.
    const int64_t elements = quotient_up(length, pieces), places = power_of_two(std::sqrt((double)elements));
    return Chunks{.places = places, .parts = quotient_up(elements, places), .in_block = true};
}

}  // namespace fusion

#pragma once
/// The one cost model: what a kernel costs in bytes, instructions, registers and time.
#include <optional>

#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// A load takes as long as this many multiply-adds: a multiprocessor loads for 32 threads a clock and adds for 128 (compute
/// capability 9.0). One of them is counted with the arithmetic.
inline constexpr double kLoad = 4;

/// Threads resident on the whole device for a kernel of this shape.
double resident_threads(const Device &device, int threads, int registers, int shared_bytes, double blocks);

/// What ptxas says of a kernel under the cap.
struct MeasuredRegisters {
    int used = 0;
    int spilled = 0;
    int wanted = 0;  ///< what it would use without the cap
};

/// Prices a traced kernel with the given tile; `cap` is the most registers a thread may have.
Price price_kernel(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device, int cap,
                   const std::optional<MeasuredRegisters> &measured = std::nullopt);

/// Microseconds in which registers over the cap are stored to local memory and loaded again, at 4.1 to 4.8 TB/s where a copy has
/// 4.2 (live_96_cap_64 and live_64_cap_32 of bench/calibrate.cu, H200, 2026-11-29).
double spilling_us(int spilled, double threads, const Device &device);

/// Sum of the kernels' times and counts, as if run one after the other.
Price total(const std::vector<Group> &groups);

}  // namespace fusion

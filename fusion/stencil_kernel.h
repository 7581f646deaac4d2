#pragma once
/// Kernels of tiles of points, in which neighbours that several points need are computed once: for a thread's points in its
/// registers, or for a block's in shared memory.
#include <map>
#include <vector>

#include "fusion/decision.h"
#include "fusion/device.h"
#include "fusion/plan.h"
#include "fusion/sides.h"

namespace fusion {

/// Blocks of a grid in its second and third dimension (CUDA, all compute capabilities).
inline constexpr double kMostBlocksAcross = 65535;

/// Channels that one thread computes at most.
inline constexpr int64_t kMostChannels = 4;

TiledDims tiled_dims(const StageGraph &graph, const Group &group);

/// By dimension of an output of `rank`: points of one thread, and of one block.
std::vector<double> thread_tile(size_t rank, const Tile &tile);
std::vector<double> block_tile(size_t rank, const Tile &tile);

/// Some point of the kernel reads a stage or a buffer at an offset, so that neighbours share what they read.
bool reads_neighbours(const Group &group);

/// Some point of the kernel reads at a computed place that some dimension of the output does not decide: a row's or column's
/// place, weight and clamp are the same for all its points, so that a thread with several finds them once.
bool shares_places(const StageGraph &graph, const Group &group);

/// The kernel keeps the member for a thread's points, or for a block's of which several need the same.
bool is_shared_by_neighbours(const StageGraph &graph, const Member &member);

/// Whether the template can execute the kernel. A refusal names the stage.
Decision can_tile(const StageGraph &graph, const Group &group);

struct StencilWork {
    std::map<Vertex, double> evaluations;  ///< by member, over the whole kernel
    std::map<Vertex, double> flops = {};   ///< by member: instructions of these, each by itself
    double instructions = 0;               ///< of the members, with what points share of one evaluation
    double loads = 0;                      ///< elements that threads load, and those they store in shared memory
    double overhead = 0;                   ///< instructions besides
    double halo = 1;                       ///< bytes that blocks load over the distinct ones
    double shared_bytes = 0;
    double latency_us = 0;   ///< of one block, were it alone
    double values_kept = 0;  ///< 32-bit words that a thread keeps for its points
    /// The same of values that the compiler finds to be shared, and keeps or not as it likes: of unsharp it keeps all, of harris
    /// half.
    double values_shared = 0;
};

StencilWork stencil_work(const StageGraph &graph, const Group &group, const Tile &tile);

}  // namespace fusion

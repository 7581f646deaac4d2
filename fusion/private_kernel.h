#pragma once
/// Kernels of a Func with update definitions that owners compute in memory of their own until it is complete, all
/// definitions in one launch: histograms, scans of few values, small tables. The owner of a point along the independent
/// dimensions, with all of the others, is a thread or a block. What leaves the kernel is written once.
#include <vector>

#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// The definitions of a stage's Func, first to last.
std::vector<Vertex> definitions_of(const StageGraph &graph, Vertex stage);

/// Dimensions that are independent in every definition of the Func: each point of them has an owner.
std::vector<int> owned_dims(const StageGraph &graph, Vertex stage);

/// The dimension, of those that are not owned, along which neighbouring threads of a block write the result.
int lane_dim(const StageGraph &graph, Vertex stage);

/// Loops of an update that the threads of a block share: dimensions that are independent in it but not owned, or, where there
/// are none, variables of its RDom in any order.
struct SharedLoops {
    std::vector<int> dims, rvars;
    bool empty() const { return dims.empty() && rvars.empty(); }
};
SharedLoops shared_loops(const StageGraph &graph, Vertex update);

/// Threads of a block walk some update of the stage's Func together, other than one that adds where data say.
bool is_walked_together(const StageGraph &graph, Vertex stage);

/// Points of the shared memory that a block keeps of a dimension: one more than there are where neighbouring threads would meet
/// in a bank.
int64_t kept_extent(const StageGraph &graph, Vertex stage, int dim);

/// Whether a thread or a block has room for its points, whatever the sizes of inputs and outputs.
bool can_be_private(const StageGraph &graph, Vertex stage, const Device &device);

/// The kernel that stores the last definition also computes the ones before it.
bool is_private(const StageGraph &graph, const Group &group);

struct PrivateWork {
    double launches = 1;  ///< one after the other
    double threads = 0;   ///< of one
    double instructions = 0;
    double latency_us = 0;  ///< of one block, were it alone
    int shared_bytes = 0;
};

/// Instructions' worth of a load or store where the places of neighbouring threads lie in lines of their own: those of steps of
/// an RDom, or what data say of a thread's local memory. The L1 takes one line a cycle, and four instructions are issued
/// meanwhile. A guess: a histogram of 17 levels in local memory took 75 us where 27 were predicted without (H200, 2026-11-30).
inline constexpr double kLineApart = 32;

/// Instructions of finding a thread's point.
inline constexpr double kIndex = 40;

/// Steps of a serial loop that are written out, where nothing chooses.
inline constexpr int kWrittenOutSteps = 8;

/// Of a kernel with the template, or of a single definition that runs in memory, a thread a point of its independent
/// dimensions.
PrivateWork owned_work(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device);

/// Tiles that the template can execute; the price chooses. `reducing` is 1 where a thread owns its points.
std::vector<Tile> private_tiles(const StageGraph &graph, const Group &group, const Device &device);

}  // namespace fusion

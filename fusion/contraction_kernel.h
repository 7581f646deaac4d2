#pragma once
/// Reductions of which a thread computes a tile of points: what several points read is loaded once (matrix products,
/// convolutions over channels). Each thread folds in the order of its loop.
#include <vector>

#include "fusion/decision.h"
#include "fusion/plan.h"

namespace fusion {

/// The tile has the points of a contraction: a thread folds alone, for several points.
bool is_contraction(const Tile &tile);

/// Whether the template can execute the kernel of a reduction in this way: one reduction, all of whose dimensions the output
/// has, stored by the pipeline or read by a pure stage at its own point. A refusal names the stage.
Decision can_contract(const StageGraph &graph, const Group &group);

/// The reduction's dimension that follows `dim` of the kernel's output.
int dim_of_reduction(const Group &group, const Member &reduction, int dim);

/// The reduction's variables, of few steps, that move a read along its dimension `dim`: r.x in f(x + r.x). Written out,
/// neighbours along `dim` share those loads.
std::vector<int> windows_of(const StageGraph &graph, Vertex reduction, int dim);

struct ContractionWork {
    double blocks = 0;
    double padding = 1;       ///< points that the threads compute over the points there are
    double instructions = 0;  ///< of all points
    double turns = 0;         ///< of a thread's loop
    double l2_bytes = 0;      ///< that blocks load, of which their own threads share what the L1 holds
    int registers = 0;        ///< a thread with all loads of a turn in flight, besides addresses
    double turn_registers = 0, step_registers = 1;  ///< of these, what the loads of a turn take, and of one step
};

ContractionWork contraction_work(const StageGraph &graph, const Group &group, const Tile &tile);

/// What a wave of blocks waits for memory. Under a cap below the registers that are wanted nothing spills at first, but the
/// loads of a turn come in rounds.
double waiting_us(const ContractionWork &work, int wanted, int cap);

/// Tiles that the template can execute; the price chooses. None where neighbouring points share nothing.
std::vector<Tile> contraction_tiles(const StageGraph &graph, const Group &group, const Limits &limits);

}  // namespace fusion

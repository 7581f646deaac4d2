#pragma once
/// Kernels that fold for a tile of points over an RDom of which each step needs stencils of its own (non-local means, windowed
/// costs of a stereo pair): a block computes those of one step in shared memory, folds them into its points, and goes on.
#include <vector>

#include "fusion/stencil_kernel.h"

namespace fusion {

/// The block keeps stages of a single step of a fold, besides the fold.
bool keeps_steps(const StageGraph &graph, const Group &group);

/// Whether the template can execute the kernel. A refusal names the stage.
Decision can_fold(const StageGraph &graph, const Group &group);

/// Dimensions that a tile covers: the long ones are those that all stages of a step follow, since blocks that differ in another
/// compute the same steps again.
TiledDims folded_dims(const StageGraph &graph, const Group &group);

/// Points of a member at the block (the fold itself, or a stage of its step) that a block computes at once, by its dimensions.
std::vector<double> box_of_step(const StageGraph &graph, const Group &group, const Member &member, const Tile &tile);

/// The dimension of the kernel's output that dimension `dim` of a fold is.
int dim_of_output(const Group &group, const Member &fold, int dim);

/// A stage of a single step, kept by the block.
bool is_of_step(const StageGraph &graph, const Member &member);

/// Rows of a stage of a step that a thread computes below each other, since the windows of what they read overlap.
int rows_of_step(const StageGraph &graph, const Group &group, const Member &step, const Tile &tile);

StencilWork folded_work(const StageGraph &graph, const Group &group, const Tile &tile);

/// Tiles for which a block has room; the price chooses.
std::vector<Tile> folded_tiles(const StageGraph &graph, const Group &group, const Device &device);

}  // namespace fusion

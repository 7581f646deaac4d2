#pragma once
/// How the threads of a block that reduces walk their share: steps written out, slices side by side, rows in registers.
#include "fusion/reduction_kernel.h"

namespace fusion {

/// Steps of a walk that are written out, so that their loads come at once: of single elements or of vectors, `turns` as in
/// Tile::per_thread; `on_lanes`: neighbouring threads walk it.
int steps_written_out(int vector, int turns, bool on_lanes);

/// The same of single elements that neighbouring threads walk, one turn.
inline constexpr int kElementsWrittenOut = 4;

/// Steps of the cut variable that one block of such a tile folds: each thread has whole rounds of what is written out.
int64_t reduction_chunk(const StageGraph &graph, const Group &group, const Member &reduction, const Tile &tile);

/// Neighbouring slices that a thread folds side by side, with wide loads.
int slice_lanes(const StageGraph &graph, const Member &slice, const Tile &tile);

/// Slices that a thread folds one after the other; 1 where there are none.
int turns_of_slices(const StageGraph &graph, const Group &group, const Tile &tile);

/// Vectors of a row that each thread walks, where the walks of all passes are written out whole: what the first pass loads is
/// still in registers for the others. 0: they are not.
int vectors_held(const StageGraph &graph, const Group &group, const Tile &tile);

}  // namespace fusion

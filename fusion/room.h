#pragma once
/// How large a stage's region is at least, whatever the caller asks for: a tile that has no room must not run.
#include <optional>
#include <set>
#include <utility>

#include "fusion/plan.h"

namespace fusion {

/// An output of the pipeline, over `divisor` of whose extent the stage has at least: it reads the stage, maybe through others,
/// along a loop, at constant offsets and rates. Of several the one that shows most.
struct Room {
    Vertex output = 0;
    int dim = 0;
    int64_t divisor = 1;
};

/// Of a dimension of a stage; nothing where no output shows it.
std::optional<Room> room_along(const StageGraph &graph, Vertex stage, int dim);

/// Some stage that is computed reads so many neighbours by number.
bool has_numbers(const StageGraph &graph, Vertex stage, int dim, int64_t size);

/// Some member chooses what it reads by that dimension of the output. Written out, each point needs what is chosen for it; a
/// loop over them needs everything, unless it is known where it begins.
bool chooses_along(const StageGraph &graph, const Group &group, int dim);

/// A stage that is computed where others need it chooses what it reads: in their loops Halide does not see that the rest is
/// never asked for, and wants it of the caller. Not so where a clamp bounds what is read, or the choice is among what the
/// pipeline stores itself.
bool hides_choice(const StageGraph &graph, const Group &group);

/// The stage has so many points there wherever the output that bounds it is as large as its estimate.
bool has_room(const StageGraph &graph, Vertex stage, int dim, int64_t size);

/// Dimensions of outputs: where these lie as in the estimates, so does that dimension of the stage. Empty: nothing shows it.
std::set<std::pair<Vertex, int>> pinned_by(const StageGraph &graph, Vertex stage, int dim);

/// A thread can compute all points of a dimension of the kernel's output: something shows how many there are.
bool can_slice(const StageGraph &graph, const Group &group, int dim);

}  // namespace fusion

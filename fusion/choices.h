#pragma once
/// Choices of what to read that are known where a thread's points are written out, as x % 2 is of two neighbours that begin
/// at an even place.
#include <optional>
#include <set>
#include <utility>

#include "fusion/plan.h"

namespace fusion {

/// Of a dimension of the stage: the remainder of its first point, wherever the outputs that decide where it lies begin and
/// end at the remainders of their estimates. Nothing where they do not decide it alone, or it does not end at a multiple.
struct Phase {
    int64_t remainder = 0;
    std::set<std::pair<Vertex, int>> outputs;
};
std::optional<Phase> phase_of(const StageGraph &graph, Vertex stage, int dim, int64_t modulus);

/// Adds to `known` what a tile of `output` has to know for the stage's choices; false, and nothing is added, where no tile can.
/// `use`: of the stage by the output's points.
bool add_choices(const StageGraph &graph, Vertex output, Vertex stage, const Use &use, std::vector<KnownChoice> &known);

/// The tile knows all that its kernel's choices need.
bool knows_choices(const Group &group, const Tile &tile);

/// The kernel as a thread of the tile runs it, of whose uses only what is taken is left; nothing where choices are not known.
std::optional<Group> with_choices(const Group &group, const Tile &tile);

}  // namespace fusion

#pragma once
/// Which loops of a definition may run at the same time.
#include <Halide.h>
#include <vector>

namespace fusion {

/// Loops (dimensions, then variables of the RDom) whose steps touch unlike points of the definition's own Func, so that
/// they may run in any order and at once: by how many outermost variables of the RDom run one after the other around
/// them. In the first entry, of none, are the pure dimensions and what Halide itself calls pure; a later one is empty
/// where it has nothing new. Each in `memory_order` (the dimension with stride 1 first) of the points that they write.
/// Never a guess: what cannot be proved stays in the order that the user wrote.
std::vector<std::vector<int>> side_by_side(const Halide::Internal::Function &f,
                                           const Halide::Internal::Definition &definition,
                                           const std::vector<int> &memory_order);

}  // namespace fusion

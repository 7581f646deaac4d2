#pragma once
/// Which update definitions are reductions that may be computed in parts.
#include <Halide.h>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// Whether a condition of the update's RDom reads a Func or an image.
bool has_data_in_predicate(const Halide::Internal::Definition &update);

/// True where the update replaces each point by a fold of the RDom into it: a thread can keep the value while it folds.
/// Not where a condition of the RDom reads data (Halide 21 asks for data beyond the guard of a split loop then) unless the
/// update is reassociable as well.
bool folds(const Halide::Internal::Function &f, const Halide::Internal::Definition &update);

/// True where the update folds its RDom into each point by an associative and commutative operator (Halide's own proof),
/// so that parts may be computed in any order and combined. Floating-point sums count, although their rounding changes;
/// those that hold strict_float do not. A Tuple that selects (argmax) does not: which of equal values wins depends on the order.
bool is_reassociable(const Halide::Internal::Function &f, const Halide::Internal::Definition &update);

/// True where the update folds into points whose place it computes (a histogram), by sums of 32-bit integers: a GPU adds
/// them atomically, and any order gives the same digits. What data say of the place has constant bounds.
bool scatters(const Halide::Internal::Function &f, const Halide::Internal::Definition &update,
              const Halide::Internal::FuncValueBounds &value_bounds);

/// Where a loop over the RDom makes the place, its steps can be numbers where there are few of them, whatever the sizes.
Places places_of(const Halide::Internal::Function &f, const Halide::Internal::Definition &definition);

/// The dimensions whose pure variable the definition keeps: Halide allows their loops to run in any order.
std::vector<int> independent_dims(const Halide::Internal::Function &f, const Halide::Internal::Definition &definition);

/// The variables of an update's RDom that say where it writes its own Func or reads it back.
std::vector<int> rvars_of_places(const Halide::Internal::Function &f, const Halide::Internal::Definition &definition);

/// The variables of an update's RDom whose steps neither read nor write what others write, by Halide's own proof.
std::vector<int> unordered_rvars(const Halide::Internal::Definition &definition);

/// Whether another order gives other digits: sums and products of floating-point values. A target with strict_float forbids
/// that.
bool rounds(const Halide::Internal::Definition &update);

}  // namespace fusion

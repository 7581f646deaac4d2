#pragma once
/// Places that move with a loop at a rate other than one: along strides, divisions and clamps.
#include "fusion/plan.h"

namespace fusion {

/// Of a read or a use along one dimension.
Rate rate_at(const Read &read, size_t dim);
Rate rate_at(const Use &use, size_t dim);

/// Neighbouring points of the reader, or of the frame, share some of what they use.
bool has_span(const Read &read);
bool has_span(const Use &use);

/// What a tile uses lies in a box of constant size.
bool is_sized(const Read &read);
bool is_sized(const Use &use);

/// And there at constant places, so that registers can hold it.
bool is_sized_exactly(const Read &read);
bool is_sized_exactly(const Use &use);

/// Of places that move with `outer` at the rate `own`, where outer itself moves with a loop.
Rate through(const Rate &outer, const Rate &own);

/// The loops whose values decide where the places are, as in Share.
uint64_t decided_by(const Rate &rate);

/// Of loops of a stage, each of which moves with the frame at its rate: what of the frame decides them.
uint64_t decided_through(const std::vector<Rate> &rates, uint64_t loops);

/// They lie beside each other wherever the loop is.
bool move_together(const Rate &a, const Rate &b);

/// Of both places; none where they do not move at the same pace. Of unlike shapes the pace is still the same.
Rate united(const Rate &a, const Rate &b);

/// Values that so many neighbours of the loop need together, written out: half of an even number and of the next are two,
/// since nothing shows which it is but a phase.
double values_along(const Rate &rate, double points);

/// Points of memory from the first to the last that so many neighbours of the loop need.
double points_along(const Rate &rate, double points);

}  // namespace fusion

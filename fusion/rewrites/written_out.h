#pragma once
/// A reduction of few steps as one expression: what it reads are then offsets of a stencil (or numbers), and it can be computed
/// where it is read, kept for a tile, or share its neighbours' work, as any pure stage. Steps stay in their order, so no digit
/// changes.
#include <Halide.h>
#include <string>
#include <vector>

namespace fusion {

/// Replaces every reduction over a domain of constant size of at most 32 points in what `outputs` reach; returns the names.
/// Left out: Tuples, float64, and updates that name the value so far more than once.
std::vector<std::string> write_out_reductions(const std::vector<Halide::Internal::Function> &outputs);

}  // namespace fusion

#pragma once
/// How one index expression of a call depends on the loop variables around it.
#include <Halide.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace fusion {

/// index = sum(coefficient[v] * v) + constant (+ loop-invariant parameters), as far as it is affine.
struct AffineIndex {
    std::map<std::string, int64_t> coefficient;
    int64_t constant = 0;
    bool affine = true;    ///< false: only which variables it depends on is known
    bool divided = false;  ///< a variable under a division, remainder or shift
    bool clamped = false;  ///< min, max or select around an affine index: a boundary condition
    bool data_dependent = false;
    bool symbolic = false;  ///< contains a parameter: the constant is not the whole offset
};

/// The variable that the index moves with, and how many steps of it make one: 1 for 2 * x + 1, 4 for x / 4 - 1. Nothing where
/// it depends on anything else, or falls.
std::optional<std::pair<std::string, int64_t>> rate_of(const Halide::Expr &index);

/// Reads an index. Variables that belong to a parameter count as loop-invariant.
AffineIndex read_index(const Halide::Expr &index);

}  // namespace fusion

#pragma once
/// How one index expression of a call depends on the loop variables around it.
#include <Halide.h>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

/// An index that rises with one variable: between steps * variable / of + low and the same + high, before clamps.
struct Movement {
    std::string variable;
    int64_t steps = 1, of = 1;
    double low = 0, high = 0;
    bool is_clamped = false;
    std::string shape;  ///< clamps, divisions and parameters on the way; empty: none
};

/// Nothing where it depends on anything else, falls, or holds the variable twice.
std::optional<Movement> movement_of(const Halide::Expr &index);

/// Reads an index. Variables that belong to a parameter count as loop-invariant.
AffineIndex read_index(const Halide::Expr &index);

/// The loops that an index mentions, as in Share, also in the indices of what it reads. A name that is none of them and no
/// parameter stands for a value that any may decide.
uint64_t loops_in(const Halide::Expr &index, const std::vector<std::string> &loops);

}  // namespace fusion

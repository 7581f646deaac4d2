#pragma once
/// Choices that a definition makes by its own loops, as select(x % 2 == 0, f(x / 2), g(x / 2)) or mux(c, {r(x), g(x)}).
#include <Halide.h>
#include <map>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// Per dimension: what is read is chosen by its remainder of so many; 1: in another way; 0: not.
std::vector<int64_t> choices_by(const std::vector<Halide::Expr> &exprs, const std::vector<std::string> &dims);

/// The points of a period of the choices: a value for each dimension that there is a choice along, in terms of the dimension
/// itself, as 2 * x + 1. Empty: no choices, or more points than a thread computes.
using ChosenPoint = std::map<std::string, Halide::Expr>;
using Period = std::vector<ChosenPoint>;
Period points_of_period(const std::vector<Extent> &dims, const std::vector<int64_t> &choices);

/// What such a point takes of a definition. `in_place`: the loops stay as they are, so that only choices are made; else indices
/// whose divisions come out even lose them too.
std::vector<Halide::Expr> taken_at(const std::vector<Halide::Expr> &exprs, const ChosenPoint &point, bool in_place);

/// The mean work of a point of the period; `loops` as of work_of.
Work chosen_work(const std::vector<Halide::Expr> &exprs, const Period &period, const std::vector<std::string> &loops);

/// Fills in what part of the reads of a producer a point of the period takes, in the mean.
void find_taken(const std::vector<Halide::Expr> &exprs, const Period &period, const std::vector<std::string> &dims,
                std::map<std::string, std::vector<Read>> &reads);

}  // namespace fusion

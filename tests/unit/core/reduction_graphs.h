#pragma once
/// Graphs with reductions, built by hand for the tests of the core.
#include "fusion/reduction_price.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {

/// Adds a Func of two definitions, where it starts and the update that folds loops of `reduced` points; returns the update.
/// Reads follow the loops of `sizes`, then those of `reduced`.
Vertex add_reduction(Builder &b, const std::string &name, const Sizes &sizes, const Sizes &reduced,
                     const std::vector<From> &reads, Role role = Role::Intermediate, double arithmetic = 1);

/// A read of all of (x, y) by a reduction over x (the contiguous dimension), or over y.
From whole_row(Vertex producer);
From whole_column(Vertex producer);
/// A read of a value a row, or a value a column, by a stage of (x, y) or by a reduction over the other one.
From of_row(Vertex producer);
From of_column(Vertex producer);

/// in -> sum, of rows or of columns; sum is the output.
StageGraph row_sum(int64_t width, int64_t height);
StageGraph column_sum(int64_t width, int64_t height);
/// in -> row_max, e -> total, output: as the generator writes it.
StageGraph softmax(int64_t width, int64_t height);
/// weights -> sum of each row; in divided by it -> output: the first to read in is what the block computes from the sum.
StageGraph scaled_by_row_sum(int64_t width, int64_t height);
/// in -> low and high of each row, which do not wait for each other -> output.
StageGraph row_range(int64_t width, int64_t height);

/// in -> part (slice, row), each folded in order by one thread -> total of the parts of a row; in divided by it -> output.
StageGraph sliced(int64_t most_slices);

/// The kernel that stores the last stage, all reductions before it kept by its blocks and the rest inlined.
Group block_kernel(const StageGraph &graph);

const Device &h200();
/// Tiles that are offered for block_kernel(), and what it costs with one.
std::vector<Tile> tiles_of(const StageGraph &graph);
BlockWork work_of(const StageGraph &graph, const Tile &tile);

}  // namespace fusion::test

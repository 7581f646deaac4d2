#pragma once
/// How many threads of a block share a row, told from its width when the pipeline runs: rows far from the estimated width
/// keep the threads of a block as busy as those of that width do.
///
/// On an H200 (2026-11-30), softmax planned for 4096 columns, 0.5 GiB, milliseconds with 512 threads a row and with these:
/// 300 columns 6.54 and 0.58, 1004 2.27 and 0.35, 2048 0.64 and 0.34, 5000 0.49 and 0.36, 5003 0.87 and 0.41, 8192 0.346 and
/// 0.342, 16384 0.327 and 0.325.
#include <Halide.h>

#include <string>
#include <vector>

#include "schedules/condition.h"

namespace fusion {

struct RowThreads {
    BufferField width;     ///< the extent of a buffer of the caller
    int64_t estimate = 1;  ///< of it
    int vector = 1;        ///< elements
    int turns = 1;         ///< vectors a thread at the estimated width; up to twice as many of wider rows
    int most = 32;         ///< threads, a multiple of 32
};

inline constexpr int kLeastRowThreads = 32;  ///< a warp

/// From this width on the number is `most`.
int64_t wide_row(const RowThreads &threads);

/// Each alone makes the number a constant that Halide's simplifier finds: the estimated width, and all wide rows.
std::vector<Condition> known_threads(const RowThreads &threads);

/// The number of threads: a multiple of 32 (a warp) up to `most`.
Halide::Expr row_threads_expr(const RowThreads &threads, const BufferLookup &lookup);

/// C++ for the same, from the helpers in condition_prelude() and row_threads_source().
std::string row_threads_cpp(const RowThreads &threads, const std::vector<std::string> &func_names);

/// C++ text that defines `threads_of_row(Expr width, int vector, int turns, int most)` inside a function.
std::string row_threads_source();

}  // namespace fusion

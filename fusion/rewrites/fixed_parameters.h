#pragma once
/// Parameters that decide sizes (a window, a number of levels), taken for the numbers that their author expects.
///
/// A copy of the pipeline has the numbers in place of the parameters: its windows, tables and folds are of constant size, so
/// that threads and blocks can keep them. Each output chooses between what it computes and what its copy does, by the values
/// that the parameters have in a call; of the two pipelines only the one that is chosen runs.
/// Limit: other values, however near, run the pipeline as it was written, whose windows and tables are in memory.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/decision.h"

namespace fusion {

struct FixedParameter {
    Halide::Parameter parameter;
    Halide::Expr value;  ///< its estimate, of its type
};

/// Scalar parameters with an estimate that an index or the domain of a reduction mentions, by name.
std::vector<FixedParameter> parameters_of_sizes(const std::vector<Halide::Internal::Function> &outputs);

/// Whether the outputs may choose between what they compute and what the same pipeline does with the parameters fixed. Not
/// where an output has updates or is read by others, where somebody has scheduled a Func, or where a call with other values
/// might have to bring more of an input than it does now.
Decision can_choose(const std::vector<Halide::Internal::Function> &outputs, const std::vector<FixedParameter> &fixed);

/// The outputs of a copy in which the parameters are numbers. What the outputs read has names of its own.
std::vector<Halide::Internal::Function> with_fixed(const std::vector<Halide::Internal::Function> &outputs,
                                                   const std::vector<FixedParameter> &fixed);

/// Each output becomes a select between the value of its copy, where the parameters have their fixed values, and its own.
void choose_fixed(const std::vector<Halide::Internal::Function> &outputs,
                  const std::vector<Halide::Internal::Function> &copies, const std::vector<FixedParameter> &fixed);
/// Puts the outputs back as they were.
void choose_no_more(const std::vector<Halide::Internal::Function> &outputs);

/// "patch_size = 7 and search_area = 7"
std::string text_of(const std::vector<FixedParameter> &fixed);

}  // namespace fusion

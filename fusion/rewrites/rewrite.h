#pragma once
/// Rewrites that put other Funcs in place of reductions: what they are, and making them in a pipeline.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/device.h"
#include "fusion/plan.h"

namespace fusion {

/// Ids as in the option rewrites=, in the order in which they are tried.
std::vector<std::string> reduction_rewrites();

/// Changes the pipeline in place: reductions that the rewrite matches are read no more, others are read instead.
/// Returns what was done, with the reason that explain texts give; empty where nothing matched.
std::vector<Rewrite> rewrite_reductions(const std::vector<Halide::Internal::Function> &outputs, const std::string &id,
                                        const Device &device);

}  // namespace fusion

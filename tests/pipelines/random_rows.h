#pragma once
/// Pipelines with reductions drawn at random: pointwise stages before, between and after sums and extremes of the same rows.
#include <cstdint>
#include <vector>

#include "tests/pipelines/runner.h"

namespace fusion {

struct RandomRows {
    Builder builder;
    Region estimate;                        ///< of the image that all is about, of two or three dimensions
    std::vector<int> fixed;                 ///< dimensions that have to be as the estimate says
    bool can_be_cropped = true;             ///< no reduction needs more of an output than is asked for
    std::vector<std::vector<int>> outputs;  ///< per output the dimensions of the image that it has

    /// The regions of the outputs where they lie in `used` of the image.
    std::vector<Region> regions_in(const Region &used) const;
};

/// The input that has the image's whole region: what is reduced is all of it.
inline constexpr const char *kWholeInput = "whole";

/// One to three reductions along rows (sometimes along columns, or over all) and what is around them; one or two outputs.
/// The same seed gives the same pipeline. Values are as draw.h has them, but for a softmax at the end of some.
RandomRows random_rows(uint32_t seed);

}  // namespace fusion

#pragma once
/// Pipelines of every kind of stage drawn at random: pointwise, stencils, strides, gathers, tables, histograms, scans, windows,
/// several updates, Tuples, transposes, last-write-wins.
#include <cstdint>
#include <vector>

#include "tests/pipelines/runner.h"

namespace fusion {

struct RandomMixed {
    Builder builder;
    std::vector<int> ranks;               ///< by output
    std::vector<std::vector<int>> fixed;  ///< by output and dimension: the extent it has to have at most; 0: any

    /// The regions of the outputs where those that have any size lie in `plane`.
    std::vector<Region> regions_in(const Region &plane) const;
};

/// The input of every pipeline; its own size decides what is read of it.
inline constexpr const char *kMixedImage = "image";

/// Kinds of stage, some of them twice. New ones are added at the end, so that with fewer a seed draws what it once drew.
inline constexpr int kMixedKinds = 27;

/// The same seed gives the same pipeline, of 3 to 30 stages. Values are as draw.h has them.
RandomMixed random_mixed(uint32_t seed, int kinds = kMixedKinds);

}  // namespace fusion

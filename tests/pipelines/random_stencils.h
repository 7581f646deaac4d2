#pragma once
/// Image pipelines drawn at random: stages that read others at offsets, every second or half point, through boundaries.
#include <cstdint>
#include <vector>

#include "tests/pipelines/runner.h"

namespace fusion {

struct RandomStencils {
    Builder builder;
    std::vector<int> channels;  ///< by output: extent of a third dimension; 0: it has none
    bool has_boundary = false;  ///< the input's own size decides what is read of it

    /// The regions of the outputs where they lie in `plane`.
    std::vector<Region> regions_in(const Region &plane) const;
};

/// The input of every pipeline.
inline constexpr const char *kImage = "image";

/// The same seed gives the same pipeline. Values are as draw.h has them.
RandomStencils random_stencils(uint32_t seed);

}  // namespace fusion

#pragma once
/// Running the variants of a foreign generator, as run_variant.h does for those that are linked in.
#include "fusion/cli/run_variant.h"

namespace fusion {

/// The request's data and the reference's outputs. Inputs hold what `seed` makes.
struct ForeignReference {
    std::vector<Halide::Buffer<>> inputs;  ///< by argument; undefined for scalars and outputs
    std::vector<Halide::Buffer<>> outputs;
};

ForeignReference run_foreign_reference(const Request &request, uint32_t seed);

/// As run_variant. Throws UserError.
VariantResult run_foreign_variant(const Request &request, const std::string &variant, const std::string &api,
                                  const ForeignReference &reference, bool timed);

}  // namespace fusion

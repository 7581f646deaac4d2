#pragma once
/// One variant of a generator: planned, compiled, run, compared, timed.
#include <string>
#include <vector>

#include "fusion/cli/commands.h"
#include "fusion/halide/execute.h"
#include "fusion/halide/planning.h"

namespace fusion {

struct VariantResult {
    std::string variant;
    Ledger ledger;
    int predicted_launches = 0;
    int launches = -1;        ///< counted while running; -1: not run
    double milliseconds = 0;  ///< a call, of many without a pause; 0: not timed
    double difference = 0;    ///< largest, from the reference
    bool is_right = false;
    std::string fallback;
};

/// Outputs of the reference for the generator with these parameters, on the data that `seed` makes.
std::vector<Halide::Buffer<>> run_reference(const Request &request, uint32_t seed);

/// Plans and compiles for `api` ("cuda", "opencl"; "": plans and compiles for CUDA without running) and compares with
/// `reference` (ignored when empty). Times it when `timed`.
VariantResult run_variant(const Request &request, const std::string &variant, const std::string &api,
                          const std::vector<Halide::Buffer<>> &reference, uint32_t seed, bool timed);

}  // namespace fusion

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
    bool is_planned = true;  ///< not hand: then the ledger is empty
    Ledger ledger;
    int predicted_launches = 0;
    int register_cap = 0;     ///< that the plan is made for; 0: the runtime's
    int launches = -1;        ///< counted while running; -1: not run
    double milliseconds = 0;  ///< a call, of many without a pause; 0: not timed
    double difference = 0;    ///< largest, from the reference
    bool is_right = false;
    std::string fallback;
};

/// Fills in the difference from the reference and whether each output is within its type's tolerance for sums of `terms`.
void compare(const std::vector<Halide::Buffer<>> &outputs, const std::vector<Halide::Buffer<>> &reference, double terms,
             VariantResult &result);

/// Compiles the kernels that are loaded from now on for at most `cap` registers a thread; 0: as many as the runtime says.
void use_register_cap(int cap);

/// Outputs of the reference for the generator with these parameters, on the data that `seed` makes.
std::vector<Halide::Buffer<>> run_reference(const Request &request, uint32_t seed);

/// Plans (or schedules by hand) and compiles for `api` ("cuda", "opencl"; "": plans and compiles for CUDA without running) and compares with
/// `reference` (ignored when empty). Times it when `timed`.
VariantResult run_variant(const Request &request, const std::string &variant, const std::string &api,
                          const std::vector<Halide::Buffer<>> &reference, uint32_t seed, bool timed);

}  // namespace fusion

#include <cstdio>
#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/cli/foreign.h"
#include "fusion/cli/foreign_run.h"
#include "fusion/cli/generators.h"
#include "fusion/cli/run_variant.h"
#include "fusion/text.h"

namespace fusion {
namespace {

constexpr uint32_t kSeed = 1;

void print_header() {
    std::printf("%-20s %-9s %9s %11s %10s %12s %10s %s\n", "generator", "variant", "launches", "bytes", "predicted",
                "time", "vs unfused", "result");
}

void print_row(const std::string &generator, const VariantResult &r, double unfused_ms, bool has_reference) {
    const std::string launches = r.launches < 0 ? std::to_string(r.predicted_launches) : std::to_string(r.launches);
    std::string verdict = r.launches < 0   ? "planned and compiled"
                          : !has_reference ? "ran"
                          : r.is_right     ? "right"
                                           : "WRONG";
    if (r.launches >= 0 && has_reference) {
        char difference[32];
        std::snprintf(difference, sizeof(difference), " (off by %.1e)", r.difference);
        verdict += difference;
    }
    if (r.launches >= 0 && r.launches != r.predicted_launches) {
        verdict += ", predicted " + std::to_string(r.predicted_launches) + " launches";
    }
    if (!r.fallback.empty()) {
        verdict += ", not as wanted: " + r.fallback;
    }
    const Price &planned = r.ledger.planned;
    const bool compare = unfused_ms > 0 && r.milliseconds > 0;
    std::printf("%-20s %-9s %9s %11s %10s %12s %10s %s\n", generator.c_str(), r.variant.c_str(), launches.c_str(),
                r.is_planned ? bytes_text(planned.bytes_read + planned.bytes_written).c_str() : "-",
                r.is_planned ? time_text(planned.time_us).c_str() : "-",
                r.milliseconds > 0 ? time_text(r.milliseconds * 1000).c_str() : "-",
                compare ? (fixed(unfused_ms / r.milliseconds, 2) + "x").c_str() : "-", verdict.c_str());
    std::fflush(stdout);
}

std::string where(const std::string &api) {
    return api == "cuda"     ? "Running on the CUDA GPU."
           : api == "opencl" ? "No CUDA GPU here: running on the OpenCL device (results are checked; its times say "
                               "nothing about a GPU)."
                             : "Neither a CUDA GPU nor an OpenCL device here: planning and compiling only.";
}

/// Runs the variants at the parameters given; true if all are right. A header is printed when the reference is there: a
/// mistake of the user prints nothing on stdout.
bool run_all(const Request &request, const std::vector<std::string> &variants, const std::string &api, bool timed,
             bool compare, bool header) {
    std::cerr << "  " << request.generator << ": reference ...\r" << std::flush;
    const bool is_foreign = is_program(request.generator_file);
    const bool has_reference = compare && !api.empty();
    ForeignReference foreign;
    std::vector<Halide::Buffer<>> reference;
    if (has_reference && is_foreign) {
        foreign = run_foreign_reference(request, kSeed);
    } else if (has_reference) {
        reference = run_reference(request, kSeed);
    }
    if (header) {
        std::cout << where(api) << "\n";
        print_header();
    }
    double unfused_ms = 0;
    bool all_right = true;
    for (const std::string &variant : variants) {
        std::cerr << "  " << request.generator << ": " << variant << " ...        \r" << std::flush;
        const VariantResult result = is_foreign ? run_foreign_variant(request, variant, api, foreign, timed)
                                                : run_variant(request, variant, api, reference, kSeed, timed);
        std::cerr << std::string(60, ' ') << "\r" << std::flush;
        unfused_ms = variant == "unfused" ? result.milliseconds : unfused_ms;
        print_row(request.generator, result, unfused_ms, has_reference);
        all_right &= !has_reference || result.is_right;
    }
    return all_right;
}

}  // namespace

int run_command(const Request &request, const std::vector<std::string> &variants) {
    if (is_program(request.generator_file)) {
        check_foreign(request);
    } else {
        load_generators(request.generator_file);
    }
    for (const std::string &variant : variants) {
        check_variant(request, variant);
    }
    const std::string api = device_api();
    return run_all(request, variants, api, !api.empty(), true, true) ? 0 : 1;
}

int demo_command() {
    const std::string api = device_api();
    std::cout << where(api) << "\nBytes and predicted times are for the estimated sizes";
    std::cout << (api == "cuda" ? "; results are checked at 1003 x 61, times are at the estimated sizes.\n\n"
                                : " at the size run, 1003 x 61.\n\n");
    print_header();
    bool all_right = true;
    for (const std::string &generator : generator_names()) {
        Request request;
        request.generator = generator;
        request.params = {{"width", "1003"}, {"height", "61"}};
        all_right &= run_all(request, {"unfused", "fused"}, api, false, true, false);
        if (api == "cuda") {
            request.params.clear();
            run_all(request, {"unfused", "fused"}, api, true, false, false);
        }
    }
    std::cout << (all_right ? "\nAll results are right.\n" : "\nSome results are WRONG.\n");
    return all_right ? 0 : 1;
}

}  // namespace fusion

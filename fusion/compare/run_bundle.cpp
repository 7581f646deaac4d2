#include "fusion/compare/run_bundle.h"

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/process.h"
#include "fusion/text.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

/// A GPU rounds in more places than a fused multiply-add does: H200, 2026-11-30, 0.8 to 3 times as many values differed in five
/// of Halide's apps.
constexpr int64_t kRoundingFactor = 8;

void progress(const Bundle &bundle, const std::string &variant) {
    std::cerr << "  running " << bundle.generator << ": " << variant << " ...\r" << std::flush;
}

/// What went wrong in a finished process; empty: nothing.
std::string fault_of(const Finished &finished, double seconds) {
    if (finished.timed_out) {
        return "no answer in " + fixed(seconds, 0) + " s";
    }
    if (finished.status != 0) {
        return "ended with status " + std::to_string(finished.status) + ": " + last_words(finished.output, 160);
    }
    return "";
}

void read_result(const std::string &text, BundledVariant &variant) {
    const auto result = nlohmann::json::parse(text);
    variant.launches = result.at("launches");
    variant.milliseconds = result.at("milliseconds");
    variant.differing = result.at("differing");
    variant.difference = result.at("difference");
    variant.is_right = variant.difference.empty();
}

/// Values that differ between the reference and the one that multiplies and adds in one step: where a float is rounded to an
/// index or divided by almost nothing, results are not one. 0 on a CPU without that instruction.
int64_t rounding(const std::string &folder, const std::string &outputs, const std::string &result, double seconds) {
    const Finished finished =
        run_process({folder + "/" + kRoundedReference, "--compare", outputs, "--untimed", "--result", result},
                    {.seconds = seconds});
    if (!fault_of(finished, seconds).empty()) {
        return 0;
    }
    return nlohmann::json::parse(read_file(result)).at("differing").get<int64_t>();
}

std::string cell(const std::string &text, int width) {
    return text + std::string((size_t)std::max(0, width - (int)text.size()), ' ');
}

}  // namespace

Bundle run_bundle(const std::string &folder, double seconds) {
    Bundle bundle = read_bundle(folder);
    const TemporaryFolder scratch;
    const std::string outputs = scratch.file("outputs"), result = scratch.file("result.json");
    progress(bundle, kReference);
    const Finished reference = run_process({folder + "/" + kReference, "--write", outputs}, {.seconds = seconds});
    if (const std::string fault = fault_of(reference, seconds); !fault.empty()) {
        throw UserError("The reference of \"" + bundle.generator + "\" (every Func at compute_root on the CPU) gave " +
                        fault + ". Next step: smaller estimates, or a longer --run-limit.");
    }
    bundle.rounding = rounding(folder, outputs, result, seconds);
    for (BundledVariant &variant : bundle.variants) {
        if (!variant.error.empty()) {
            continue;
        }
        progress(bundle, variant.name);
        std::vector<std::string> environment;
        if (variant.register_cap > 0) {
            environment.push_back("HL_CUDA_JIT_MAX_REGISTERS=" + std::to_string(variant.register_cap));
        }
        const Finished finished = run_process({folder + "/" + variant.file(), "--compare", outputs, "--allow",
                                               std::to_string(kRoundingFactor * bundle.rounding), "--result", result},
                                              {.seconds = seconds}, environment);
        variant.error = fault_of(finished, seconds);
        if (variant.error.empty()) {
            read_result(read_file(result), variant);
        }
    }
    std::cerr << std::string(79, ' ') << "\r" << std::flush;
    return bundle;
}

std::string comparison_text(const Bundle &bundle) {
    double fused = 0;
    for (const BundledVariant &v : bundle.variants) {
        fused = v.name == kFused && v.is_right ? v.milliseconds : fused;
    }
    std::string text = bundle.generator + " for " + bundle.target + "\n" + cell("variant", 16) + cell("planning", 11) +
                       cell("compiling", 11) + cell("memory", 10) + cell("kernels", 9) + cell("time", 12) +
                       cell("of fused", 10) + "result\n";
    for (const BundledVariant &v : bundle.variants) {
        const bool ran = v.launches >= 0, timed = v.milliseconds > 0;
        const std::string verdict =
            !v.error.empty()  ? v.error
            : !ran            ? "compiled"
            : !v.is_right     ? "WRONG: " + v.difference
            : v.launches == 0 ? "right, but not on the GPU"
            : v.differing > 0 ? "right but for " + std::to_string(v.differing) + " values that depend on the rounding"
                              : "right";
        text += cell(v.name, 16) + cell(v.planning_seconds > 0 ? fixed(v.planning_seconds, 2) + " s" : "-", 11) +
                cell(v.compiling_seconds > 0 ? fixed(v.compiling_seconds, 1) + " s" : "-", 11) +
                cell(v.peak_bytes > 0 ? bytes_text((double)v.peak_bytes) : "-", 10) +
                cell(ran ? std::to_string(v.launches) : "-", 9) +
                cell(timed ? time_text(v.milliseconds * 1000) : "-", 12) +
                cell(timed && fused > 0 ? fixed(v.milliseconds / fused, 2) + "x" : "-", 10) + verdict + "\n";
    }
    return text;
}

bool is_sound(const Bundle &bundle) {
    return std::all_of(bundle.variants.begin(), bundle.variants.end(), [](const BundledVariant &v) {
        const bool is_ours = v.name == kFused || v.name == kUnfused;
        return !is_ours || (v.error.empty() && (v.launches < 0 || v.is_right));
    });
}

}  // namespace fusion

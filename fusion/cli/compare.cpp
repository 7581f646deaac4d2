#include "fusion/cli/compare.h"

#include <filesystem>
#include <iostream>

#include "fusion/cli/foreign.h"
#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/halide/execute.h"
#include "fusion/text.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

/// For a machine that is not this one: any x86-64, any GPU of the last years.
constexpr char kPortable[] = "x86-64-linux-cuda-cuda_capability_80";

void check_variants(const std::vector<std::string> &variants) {
    const std::vector<std::string> known = compared_variants();
    for (const std::string &variant : variants) {
        if (std::find(known.begin(), known.end(), variant) == known.end()) {
            const std::string near = nearest(variant, known);
            throw UserError("No variant \"" + variant + "\" to compare" +
                            (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                            ". There are: " + join(known, ", ") + ".");
        }
    }
}

int report(const Bundle &bundle, const std::string &json) {
    std::cout << comparison_text(bundle);
    if (!json.empty()) {
        write_file(json, bundle_json(bundle));
    }
    return is_sound(bundle) ? 0 : 1;
}

}  // namespace

int compare_command(const Request &request, const std::vector<std::string> &variants, const CompareLimits &limits,
                    const std::string &folder, const std::string &json) {
    if (request.generator.empty()) {
        throw UserError("No generator to compare. Next step: -g NAME, or --run DIR for what --bundle DIR has made.");
    }
    check_variants(variants);
    if (is_program(request.generator_file)) {
        check_foreign(request);
    } else {
        load_generators(request.generator_file);
        check_generator(request.generator);
    }
    if (!folder.empty()) {
        StagingFolder staging(folder);
        const Bundle bundle = build_bundle(request, variants, kPortable, limits, staging.folder());
        staging.publish();
        std::cout << "Bundle in " << folder << ". On the GPU machine: " << folder
                  << "/run   (or here: halide-fusion compare --run " << folder << ")\n";
        return report(bundle, json);
    }
    const std::string api = device_api();
    if (api != "cuda") {
        std::cerr << (api.empty()
                          ? "Neither a CUDA GPU nor an OpenCL device here: planning and compiling only. "
                          : "No CUDA GPU here: running on the OpenCL device, whose times say nothing about a GPU. ")
                  << "Next step: --bundle DIR, and DIR/run on a machine that has one.\n";
    }
    const TemporaryFolder made;
    const std::string target = api.empty() ? kPortable : target_for(api).to_string();
    const Bundle bundle = build_bundle(request, variants, target, limits, made.file(""));
    return report(api.empty() ? bundle : run_bundle(made.file(""), limits.run_seconds), json);
}

int run_bundle_command(const std::string &folder, const CompareLimits &limits, const std::string &json) {
    return report(run_bundle(folder, limits.run_seconds), json);
}

}  // namespace fusion

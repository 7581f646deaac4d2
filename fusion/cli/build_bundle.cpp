#include <Halide.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>

#include "fusion/cli/compare.h"
#include "fusion/cli/foreign.h"
#include "fusion/compare/run_bundle.h"
#include "fusion/device.h"
#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/process.h"
#include "fusion/text.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

namespace fs = std::filesystem;

/// The function that runner.cpp calls.
constexpr char kFunction[] = "fusion_variant";
/// Characters of a compiler's message in the table.
constexpr size_t kMostWords = 160;

/// One of Halide's own autoschedulers, and how it is told to schedule for a GPU.
struct Stock {
    const char *name, *library, *option;
};
constexpr Stock kStock[] = {
    {"Anderson2021", "libautoschedule_anderson2021.so", ""},
    {"Li2018", "libautoschedule_li2018.so", ""},
    {"Mullapudi2016", "libautoschedule_mullapudi2016.so", "autoscheduler.experimental_gpu_schedule=1"}};

const Stock *stock_named(const std::string &name) {
    const auto found =
        std::find_if(std::begin(kStock), std::end(kStock), [&](const Stock &s) { return name == s.name; });
    return found == std::end(kStock) ? nullptr : found;
}

/// A file of the installed program, wherever it was put: beside it in a build tree, in ../lib when installed.
std::string part_of_program(const std::string &name) {
    const fs::path folder = fs::path(plugin_path()).parent_path();
    for (const fs::path &place : {folder, fs::read_symlink("/proc/self/exe").parent_path()}) {
        if (fs::exists(place / name)) {
            return (place / name).string();
        }
    }
    throw UserError(name +
                    " is neither beside halide-fusion nor beside its plugin. Next step: build or install the target " +
                    fs::path(name).stem().string() + ".");
}

/// Beside the libHalide that is loaded. Throws UserError where the wheel or the package came without it.
std::string stock_library(const std::string &name) {
    Dl_info halide{};
    // The address of an imported function may be a stub in this program: ask for the symbol itself.
    dladdr(dlsym(RTLD_DEFAULT, "_ZN6Halide15get_host_targetEv"), &halide);
    const fs::path library = fs::path(halide.dli_fname ? halide.dli_fname : "").parent_path() / name;
    if (!fs::exists(library)) {
        throw UserError(name + " is not beside libHalide");
    }
    return library.string();
}

/// The command that compiles the variant. `report`: file for what the autoscheduler took. Throws UserError where there is no
/// such autoscheduler.
std::vector<std::string> compile_command(const Request &request, const ForeignOutputs &outputs,
                                         const std::string &report) {
    const std::string &variant = request.options.variant;
    if (variant == kHand && request.generator_file.empty()) {
        std::vector<std::string> words = {
            generator_program("")[0], "emit", "-g",           request.generator, "--variant",   kHand, "-f",
            outputs.function,         "-o",   outputs.folder, "--target",        outputs.target};
        for (const auto &[key, value] : request.params) {
            words.push_back(key + "=" + value);
        }
        return words;
    }
    std::vector<std::string> words = generator_command(request, outputs);
    if (variant == kHand) {
        return words;
    }
    const Stock *stock = stock_named(variant);
    const std::string plugins = plugin_path() + (stock ? "," + stock_library(stock->library) : "");
    words.insert(words.end(), {"-p", plugins, "autoscheduler=FusionTimed", "autoscheduler.report=" + report,
                               std::string("autoscheduler.of=") + (stock ? stock->name : "Fusion")});
    const int multiprocessors = (int)device_named(request.options.device).multiprocessors.value;
    std::vector<std::string> options = plugin_options(request, outputs);
    if (stock) {
        options = {"autoscheduler.parallelism=" + std::to_string(multiprocessors)};
        if (*stock->option) {
            options.push_back(stock->option);
        }
    }
    words.insert(words.end(), options.begin(), options.end());
    return words;
}

/// Links what the generator made with the runner.
void link(const std::string &filter, const std::string &runtime, const std::string &executable) {
    // Static where another machine may have an older one. Launches are counted where the runtime has such a function.
    const Finished finished =
        run_process({cxx_compiler(), "-o", executable, part_of_program("libfusion_runner.a"), filter, runtime,
                     "-Wl,--wrap=halide_cuda_run", "-Wl,--wrap=halide_opencl_run", "-static-libstdc++",
                     "-static-libgcc", "-lpthread", "-ldl"});
    if (finished.status != 0) {
        throw UserError("Linking \"" + executable + "\" failed with status " + std::to_string(finished.status) + ": " +
                        tail_of(finished.output) + "\nNext step: a C++ compiler, as c++ or as CXX.");
    }
}

/// The CPU of a target: with a fused multiply-add or without. Large, because the reference stores what nobody else does.
Halide::Target host_target(const std::string &target, bool fma) {
    Halide::Target host(target);
    const Halide::Target plain("x86-64-linux-large_buffers");
    if (host.arch != plain.arch) {
        host.set_features(
            {Halide::Target::CUDA, Halide::Target::CUDACapability80, Halide::Target::OpenCL, Halide::Target::CLDoubles},
            false);
        return host;
    }
    return fma ? plain.with_feature(Halide::Target::FMA)
                     .with_feature(Halide::Target::AVX2)
                     .with_feature(Halide::Target::AVX)
                     .with_feature(Halide::Target::SSE41)
               : plain;
}

/// Compiles the variant that the request names and links it into `folder` as `name`, unless it says why not.
BundledVariant make_variant(const Request &request, const std::string &name, const std::string &target,
                            const std::string &runtime, const CompareLimits &limits, const std::string &folder) {
    BundledVariant variant;
    variant.name = name;
    std::cerr << "  compiling " << request.generator << ": " << variant.name << " ...        \r" << std::flush;
    const TemporaryFolder scratch;
    const std::string report = scratch.file("report.json"), plan = scratch.file("plan.json");
    const bool is_planned = variant.name == kFused || variant.name == kUnfused;
    const ForeignOutputs outputs{
        scratch.file(""), kFunction, {"static_library"}, target + "-no_runtime", is_planned ? plan : ""};
    Finished finished;
    try {
        finished = run_process(compile_command(request, outputs, report),
                               {.seconds = limits.planning_seconds, .bytes = limits.bytes});
    } catch (const UserError &e) {
        variant.error = e.what();
        return variant;
    }
    variant.compiling_seconds = finished.seconds;
    if (fs::exists(report)) {
        const auto took = nlohmann::json::parse(read_file(report));
        variant.planning_seconds = took.at("seconds");
        variant.peak_bytes = took.at("peak_bytes");
    }
    if (fs::exists(plan)) {
        variant.register_cap = nlohmann::json::parse(read_file(plan)).at("register_cap");
    }
    if (finished.timed_out) {
        variant.error = "not planned and compiled in " + fixed(limits.planning_seconds, 0) + " s";
    } else if (finished.status != 0) {
        variant.error = "status " + std::to_string(finished.status) + ": " + last_words(finished.output, kMostWords);
    } else {
        link(scratch.file(std::string(kFunction) + ".a"), runtime, folder + "/" + variant.file());
    }
    return variant;
}

}  // namespace

std::vector<std::string> compared_variants() {
    std::vector<std::string> names = {kHand, kUnfused, kFused};
    for (const Stock &stock : kStock) {
        names.emplace_back(stock.name);
    }
    return names;
}

Bundle build_bundle(const Request &request, const std::vector<std::string> &variants, const std::string &target,
                    const CompareLimits &limits, const std::string &folder) {
    const TemporaryFolder runtimes;
    Request wanted = request;
    wanted.options.variant = kReference;
    CompareLimits patient = limits;  // of the variants; without the reference there is nothing to compare
    patient.bytes = 0;
    for (const char *name : {kReference, kRoundedReference}) {
        const std::string host = host_target(target, name == std::string(kRoundedReference)).to_string();
        const std::string runtime = make_runtime(request.generator_file, host, runtimes.file(name));
        const BundledVariant reference = make_variant(wanted, name, host, runtime, patient, folder);
        if (!reference.error.empty()) {
            throw UserError("The reference of \"" + request.generator + "\" could not be made: " + reference.error);
        }
    }
    const std::string runtime = make_runtime(request.generator_file, target, runtimes.file("gpu"));
    Bundle bundle{request.generator, target, {}};
    for (const auto &[key, value] : request.params) {
        bundle.generator += " " + key + "=" + value;
    }
    for (const std::string &name : variants) {
        wanted.options.variant = name;
        bundle.variants.push_back(make_variant(wanted, name, target, runtime, limits, folder));
    }
    std::cerr << std::string(79, ' ') << "\r" << std::flush;
    fs::copy_file(part_of_program("halide-fusion-bundle"), folder + "/run", fs::copy_options::overwrite_existing);
    write_bundle(bundle, folder);
    return bundle;
}

}  // namespace fusion

#include "fusion/cli/commands.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "fusion/cli/compare.h"
#include "fusion/cli/foreign.h"
#include "fusion/cli/generators.h"
#include "fusion/device.h"
#include "fusion/error.h"
#include "fusion/explain.h"
#include "fusion/plan.h"
#include "fusion/text.h"
#include "schedules/hand/hand.h"

namespace fusion {
namespace {

std::map<std::string, std::string> parse_params(const std::vector<std::string> &words) {
    std::map<std::string, std::string> params;
    for (const std::string &word : words) {
        const size_t at = word.find('=');
        if (at == std::string::npos || at == 0) {
            throw UserError("\"" + word +
                            "\" is not a generator parameter. Next step: write it as key=value, as in width=1024.");
        }
        params[word.substr(0, at)] = word.substr(at + 1);
    }
    return params;
}

std::vector<std::string> split_commas(const std::string &text) {
    std::vector<std::string> parts;
    std::string part;
    std::istringstream stream(text);
    while (std::getline(stream, part, ',')) {
        parts.push_back(part);
    }
    return parts;
}

int devices_command() {
    for (const Device &device : devices()) {
        std::cout << device.name << "\n";
        const std::pair<const char *, const Figure &> figures[] = {
            {"multiprocessors", device.multiprocessors},
            {"threads a multiprocessor", device.threads_per_multiprocessor},
            {"registers a multiprocessor", device.registers_per_multiprocessor},
            {"shared memory a multiprocessor", device.shared_per_multiprocessor},
            {"shared memory a block", device.shared_per_block},
            {"threads a block", device.threads_per_block},
            {"registers a thread", device.registers_per_thread},
            {"arguments of a launch", device.argument_bytes},
            {"L2", device.l2},
            {"memory bandwidth", device.memory_bandwidth},
            {"L2 bandwidth", device.l2_bandwidth},
            {"memory latency", device.memory_latency},
            {"launch", device.launch},
            {"instruction rate", device.instruction_rate},
            {"overlap", device.overlap},
            {"waste of uncoalesced reads", device.uncoalesced_waste}};
        for (const auto &[name, figure] : figures) {
            std::printf("  %-32s %12s %-10s %s\n", name,
                        fixed(figure.value, figure.value < 100 && figure.value != (int)figure.value ? 2 : 0).c_str(),
                        figure.unit, figure.source);
        }
    }
    return 0;
}

/// What `compare` takes besides.
struct Comparison {
    CompareLimits limits;
    std::string variants = join(compared_variants(), ","), bundle, run, json;
};

/// The options that every planning command has.
void add_request(CLI::App &command, Request &request, std::vector<std::string> &params) {
    command.add_option("-g,--name", request.generator, "generator to plan (see: halide-fusion list)")->required();
    command.add_option("--generator", request.generator_file,
                       "a compiled generator to use in place of the built-in ones: a shared library or an executable "
                       "of add_halide_generator");
    command.add_option("params", params, "generator parameters as key=value, e.g. width=1024 height=768");
    command.add_option("--device", request.options.device, "GPU to plan for (see: halide-fusion devices)")
        ->capture_default_str();
    command.add_option("--registers", request.options.registers, "measure (with ptxas, where it is) or estimate")
        ->check(CLI::IsMember({"measure", "estimate"}))
        ->capture_default_str();
    command.add_option("--max-registers", request.options.max_registers,
                       "registers a thread; 0: the Halide runtime's own cap, 64");
}

void add_compare(CLI::App &command, Request &request, std::vector<std::string> &params, Comparison &comparison) {
    add_request(command, request, params);
    command.get_option("--name")->required(false);
    command.add_option("--variants", comparison.variants, "which, with commas between")->capture_default_str();
    command.add_option(
        "--bundle", comparison.bundle,
        "folder to put executables into, for a machine with nothing installed, in place of running them");
    command.add_option("--run", comparison.run, "folder of such executables to run");
    command.add_option("--json", comparison.json, "file to write the results to as well");
    command.add_option("--planning-limit", comparison.limits.planning_seconds, "seconds to plan and compile a variant")
        ->capture_default_str();
    command.add_option("--run-limit", comparison.limits.run_seconds, "seconds that each variant may run")
        ->capture_default_str();
    command
        .add_option("--memory-limit", comparison.limits.bytes, "address space to plan and compile a variant, as 8GB")
        ->transform(CLI::AsSizeValue(false))
        ->capture_default_str();
}

int gengen_command(std::vector<std::string> words) {
    words.insert(words.begin(), "halide-fusion gengen");
    std::vector<char *> pointers;
    for (std::string &word : words) {
        pointers.push_back(word.data());
    }
    return Halide::Internal::generate_filter_main((int)pointers.size(), pointers.data());
}

}  // namespace

void check_variant(const Request &request, const std::string &variant) {
    if (variant != kHand) {
        try {
            variant_named(variant);
        } catch (const UserError &e) {
            throw UserError(std::string(e.what()) + " Or hand, where a built-in generator has a hand schedule.");
        }
    } else if (!request.generator_file.empty()) {
        throw UserError("The variant hand is for built-in generators only, and \"" + request.generator +
                        "\" is one of \"" + request.generator_file + "\". Next step: leave the variant out.");
    } else {
        check_generator(request.generator);
        hand_schedule_of(request.generator);
    }
}

int list_command(const Request &request) {
    const std::string &file = request.generator_file;
    for (const std::string &name : file.empty()       ? generator_names()
                                   : is_program(file) ? foreign_names(file)
                                                      : load_generators(file)) {
        std::cout << name << "\n";
    }
    return 0;
}

int run_program(int argc, char **argv) {
    CLI::App app("halide-fusion plans which stages of a Halide pipeline share a CUDA kernel, and explains, emits and "
                 "runs the plan.");
    app.name("halide-fusion");
    app.require_subcommand(0, 1);
    Request request;
    Comparison comparison;
    request.options.registers = "measure";
    std::vector<std::string> params;
    std::string format = "text", folder, function, target = "host-cuda-cuda_capability_80",
                variants = "unfused,inlined,fused";

    auto *list = app.add_subcommand("list", "the generators there are, a line each");
    list->add_option("--generator", request.generator_file,
                     "those of this file: a shared library or an executable of add_halide_generator");
    auto *rules = app.add_subcommand("rules", "the rules that decide, in the order in which they are asked");
    auto *devices = app.add_subcommand("devices", "the GPUs known, each figure with its unit and source");
    auto *plugin =
        app.add_subcommand("plugin-path", "where the autoscheduler plugin is, for gengen -p and load_plugin");
    auto *explain = app.add_subcommand("explain", "the plan: kernels, verdicts, prices");
    add_request(*explain, request, params);
    explain->add_option("--variant", request.options.variant, "fused, unfused or inlined")->capture_default_str();
    explain->add_option("--format", format, "text, json, dot or svg")
        ->check(CLI::IsMember({"text", "json", "dot", "svg"}))
        ->capture_default_str();
    auto *emit = app.add_subcommand(
        "emit", "schedule header, PTX, lowered statement, C header, static library and plan as JSON");
    add_request(*emit, request, params);
    emit->add_option("--variant", request.options.variant,
                     "fused, unfused, inlined, hand or reference (CPU, every Func at compute_root)")
        ->capture_default_str();
    emit->add_option("-o,--output", folder, "folder to write to; made if missing")->required();
    emit->add_option("-f,--function", function, "name of the function and the files; default: the generator's");
    emit->add_option("--target", target, "Halide target")->capture_default_str();
    auto *run =
        app.add_subcommand("run", "runs variants on this machine's GPU (or OpenCL device), checks and times them");
    add_request(*run, request, params);
    run->add_option("--variants", variants, "which, with commas between: unfused, inlined, fused, hand")
        ->capture_default_str();
    auto *compare = app.add_subcommand(
        "compare", "a generator's own schedule, this planner's and those of Halide's autoschedulers, side by side");
    add_compare(*compare, request, params, comparison);
    auto *gengen = app.add_subcommand(
        "gengen", "Halide's own generator command line (-g -f -o -e -p target=...), for the built-in generators");
    gengen->add_option("--generator", request.generator_file, "a shared library of generators, in their place");
    gengen->allow_extras();
    auto *demo =
        app.add_subcommand("demo", "plans every built-in generator and runs it fused and unfused, side by side");

    try {
        app.parse(argc, argv);
        if (compare->parsed() && !params.empty() && params[0].find('=') == std::string::npos) {
            request.generator_file = params[0];
            params.erase(params.begin());
        }
        request.params = parse_params(params);
    } catch (const CLI::ParseError &e) {
        return app.exit(e);
    }
    request.options.device = device_named(request.options.device).name;
    if (request.options.max_registers != 0) {
        parse_options(
            {{"max_registers", std::to_string(request.options.max_registers)}});  // the same bounds as the plugin's
    }
    if (list->parsed()) {
        return list_command(request);
    } else if (rules->parsed()) {
        std::cout << rules_text();
        return 0;
    } else if (devices->parsed()) {
        return devices_command();
    } else if (plugin->parsed()) {
        return plugin_path_command();
    } else if (explain->parsed()) {
        return explain_command(request, format);
    } else if (emit->parsed()) {
        return emit_command(request, folder, function, target);
    } else if (run->parsed()) {
        return run_command(request, split_commas(variants));
    } else if (gengen->parsed()) {
        load_generators(request.generator_file);
        return gengen_command(gengen->remaining());
    } else if (compare->parsed() && !comparison.run.empty()) {
        return run_bundle_command(comparison.run, comparison.limits, comparison.json);
    } else if (compare->parsed()) {
        return compare_command(request, split_commas(comparison.variants), comparison.limits, comparison.bundle,
                               comparison.json);
    } else if (demo->parsed()) {
        return demo_command();
    }
    std::cout << app.help() << "\nGenerators:\n";
    for (const std::string &name : generator_names()) {
        std::cout << "  " << name << "\n";
    }
    return 0;
}

}  // namespace fusion

#include "fusion/halide/measure_registers.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <sstream>

#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/halide/verify.h"
#include "fusion/price.h"
#include "fusion/process.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

namespace fs = std::filesystem;

/// What Halide calls the kernels of a stage, up to their loops: of its own Func, and of those that the templates of
/// reductions make of it.
std::vector<std::string> entry_prefixes(const std::string &func, int update) {
    std::string name = func;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
    return {"_kernel_" + name + "_s" + std::to_string(update) + "_", "_kernel_" + name + "_global_wrapper_",
            "_kernel_" + name + "_intm_global_wrapper_"};
}

bool is_of_stage(const std::string &entry, const std::string &func, int update) {
    const std::vector<std::string> prefixes = entry_prefixes(func, update);
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](const std::string &prefix) { return entry.rfind(prefix, 0) == 0; });
}

/// Of the branches of one loop nest the first, which is the one for the sizes of the estimates: Halide numbers them.
bool is_first_branch(const KernelResources &kernel, const std::vector<KernelResources> &kernels) {
    const auto split = [](const std::string &entry) {
        const size_t digits = entry.find_last_not_of("0123456789") + 1;
        const long number = digits < entry.size() ? std::stol(entry.substr(digits)) : -1;
        return std::make_pair(entry.substr(0, entry.find_last_not_of('_', digits - 1) + 1), number);
    };
    const auto [stem, number] = split(kernel.entry);
    return std::none_of(kernels.begin(), kernels.end(), [&](const KernelResources &other) {
        const auto [other_stem, other_number] = split(other.entry);
        return other_stem == stem && other_number < number;
    });
}

}  // namespace

std::string find_ptxas() {
    const std::string built_with = FUSION_PTXAS;
    if (!built_with.empty() && fs::exists(built_with)) {
        return built_with;
    }
    std::istringstream path(getenv("PATH") ? getenv("PATH") : "");
    for (std::string folder; std::getline(path, folder, ':');) {
        if (access((folder + "/ptxas").c_str(), X_OK) == 0) {
            return folder + "/ptxas";
        }
    }
    return "";
}

std::vector<KernelResources> assemble(const std::string &ptx, int register_cap) {
    const TemporaryFolder folder;
    const std::string file = folder.file("kernels.ptx");
    write_file(file, ptx);
    const Finished ptxas =
        run_process({find_ptxas(), "-v", "-arch=sm_90", "-maxrregcount=" + std::to_string(register_cap), "-o",
                     folder.file("kernels.cubin"), file});
    if (ptxas.status != 0) {
        throw UserError("ptxas refuses the PTX: " + ptxas.output);
    }
    std::vector<KernelResources> kernels;
    static const std::regex entry("Compiling entry function '([^']*)'"), used("Used ([0-9]+) registers"),
        spilled("([0-9]+) bytes spill stores"), shared("([0-9]+) bytes smem");
    std::istringstream lines(ptxas.output);
    for (std::string line; std::getline(lines, line);) {
        std::smatch match;
        if (std::regex_search(line, match, entry)) {
            kernels.push_back({match[1], 0, 0, 0});
        }
        if (kernels.empty()) {
            continue;
        }
        if (std::regex_search(line, match, spilled)) {
            kernels.back().spilled_bytes = std::stoi(match[1]);
        }
        if (std::regex_search(line, match, used)) {
            kernels.back().registers = std::stoi(match[1]);
        }
        if (std::regex_search(line, match, shared)) {
            kernels.back().shared_bytes = std::stoi(match[1]);
        }
    }
    return kernels;
}

std::string ptx_of(const Planned &planned, const Halide::Target &target) {
    const TemporaryFolder folder;
    const std::string file = folder.file("device.ptx");
    Halide::Pipeline pipeline = scheduled_copy(planned.schedule, planned.view);
    pipeline.compile_to({{Halide::OutputFileType::device_code, file}}, pipeline.infer_arguments(), "measured", target);
    std::string text = fs::exists(file) ? read_file(file) : "";
    std::erase(text, '\0');
    // Halide puts a line of its own in front.
    const size_t begin = text.find(".version");
    return begin == std::string::npos ? "" : text.substr(begin);
}

void measure_registers(Planned &planned, const Halide::Target &target) {
    if (find_ptxas().empty() || !target.has_feature(Halide::Target::CUDA)) {
        return;
    }
    const std::string ptx = ptx_of(planned, target);
    if (ptx.empty()) {
        return;
    }
    const std::vector<KernelResources> kernels = assemble(ptx, planned.plan.register_cap);
    const StageGraph &graph = planned.view.graph;
    for (Group &group : planned.plan.groups) {
        MeasuredRegisters most;
        for (const Vertex output : group.outputs) {
            const auto &function = planned.view.sources[graph[output].func_id].function;
            for (const KernelResources &kernel : kernels) {
                if (is_of_stage(kernel.entry, function.name(), graph[output].update) &&
                    (group.kind != Template::Reduction || is_first_branch(kernel, kernels))) {
                    most.used = std::max(most.used, kernel.registers);
                    most.spilled = std::max(most.spilled, kernel.spilled_bytes / 4);
                }
            }
        }
        if (most.used > 0) {
            group.price = price_kernel(graph, group, group.tile, *planned.device, planned.plan.register_cap, most);
        }
    }
    planned.ledger.planned = total(planned.plan.groups);
}

}  // namespace fusion

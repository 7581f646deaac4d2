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

/// Whether Halide's name for a kernel is one of the stage's: of its own Func, or of those that the templates of reductions
/// make of it. In such names "$" is one "_" or two, and what is no letter or digit is "_".
bool is_of_stage(const std::string &entry, const std::string &func, int update) {
    std::string name;
    for (const char c : func) {
        name += c == '$' ? "__?" : std::isalnum((unsigned char)c) ? std::string(1, c) : "_";
    }
    const std::regex of_stage("_kernel_" + name + "(_s" + std::to_string(update) +
                              "_|(_intm(__?[0-9]+)?)?_global_wrapper_).*");
    return std::regex_match(entry, of_stage);
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

namespace {

/// No thread can have more (compute capability 8.0 and 9.0).
constexpr int kMostRegisters = 255;

/// What the plan's kernels are made of, in the order of its groups; zero where none is found.
std::vector<MeasuredRegisters> measured_in(const std::vector<KernelResources> &kernels, const Planned &planned) {
    const StageGraph &graph = planned.view.graph;
    std::vector<MeasuredRegisters> all;
    for (const Group &group : planned.plan.groups) {
        // Of templates whose branches differ the one for the sizes of the estimates counts.
        const bool has_first = group.kind == Template::Reduction || group.kind == Template::Stencil ||
                               group.kind == Template::Folded || group.kind == Template::Transpose;
        MeasuredRegisters most;
        for (const Vertex output : group.outputs) {
            const auto &function = planned.view.sources[graph[output].func_id].function;
            for (const KernelResources &kernel : kernels) {
                if (is_of_stage(kernel.entry, function.name(), graph[output].update) &&
                    (!has_first || is_first_branch(kernel, kernels))) {
                    most.used = std::max(most.used, kernel.registers);
                    most.spilled = std::max(most.spilled, kernel.spilled_bytes / 4);
                }
            }
        }
        all.push_back(most);
    }
    return all;
}

/// The plan's kernels priced by what ptxas makes of them under a cap.
std::vector<Price> prices_under(int cap, const std::vector<MeasuredRegisters> &measured,
                                const std::vector<MeasuredRegisters> &uncapped, const Planned &planned) {
    std::vector<Price> prices;
    for (size_t i = 0; i < measured.size(); i++) {
        const Group &group = planned.plan.groups[i];
        MeasuredRegisters registers = measured[i];
        registers.wanted = uncapped[i].used;
        prices.push_back(registers.used > 0
                             ? price_kernel(planned.view.graph, group, group.tile, *planned.device, cap, registers)
                             : group.price);
    }
    return prices;
}

double time_of(const std::vector<Price> &prices) {
    double time = 0;
    for (const Price &price : prices) {
        time += price.time_us;
    }
    return time;
}

}  // namespace

void measure_registers(Planned &planned, const Halide::Target &target, const std::vector<int> &caps) {
    if (find_ptxas().empty() || !target.has_feature(Halide::Target::CUDA)) {
        return;
    }
    const std::string ptx = ptx_of(planned, target);
    if (ptx.empty()) {
        return;
    }
    const std::vector<MeasuredRegisters> uncapped = measured_in(assemble(ptx, kMostRegisters), planned);
    int wanted = 0;
    for (const MeasuredRegisters &registers : uncapped) {
        wanted = std::max(wanted, registers.used);
    }
    std::vector<Price> best;
    for (size_t i = 0; i < caps.size() && (i == 0 || caps[i - 1] < wanted); i++) {
        const bool is_free = caps[i] >= wanted;
        const std::vector<Price> prices =
            prices_under(caps[i], is_free ? uncapped : measured_in(assemble(ptx, caps[i]), planned), uncapped, planned);
        if (i == 0) {
            planned.plan.first_cap_us = time_of(prices);
        }
        // Another cap is a variable that whoever runs the pipeline must set.
        if (i == 0 || time_of(prices) < kLargerCapPays * time_of(best)) {
            best = prices;
            planned.plan.register_cap = caps[i];
        }
    }
    for (size_t i = 0; i < best.size(); i++) {
        planned.plan.groups[i].price = best[i];
    }
    planned.ledger.planned = total(planned.plan.groups);
}

}  // namespace fusion

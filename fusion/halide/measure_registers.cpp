#include "fusion/halide/measure_registers.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <sstream>

#include "fusion/error.h"
#include "fusion/halide/verify.h"
#include "fusion/price.h"
#include "fusion/write_file.h"
#include "schedules/apply.h"

namespace fusion {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone with its object.
struct ScratchFolder {
    fs::path path;
    ScratchFolder() {
        std::string name = (fs::temp_directory_path() / "halide-fusion-XXXXXX").string();
        if (!mkdtemp(name.data())) {
            throw UserError("Cannot make a folder in " + fs::temp_directory_path().string() + ".");
        }
        path = name;
    }
    ~ScratchFolder() {
        std::error_code ignored;
        fs::remove_all(path, ignored);
    }
};

std::string output_of(const std::string &command, int &status) {
    std::string output;
    std::array<char, 4096> buffer{};
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    while (const size_t count = pipe ? fread(buffer.data(), 1, buffer.size(), pipe) : 0) {
        output.append(buffer.data(), count);
    }
    status = pipe ? pclose(pipe) : -1;
    return output;
}

/// What Halide calls the kernel of a stage, up to its loops.
std::string entry_prefix(const std::string &func, int update) {
    std::string name = func;
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c) && c != '_'; }, '_');
    return "_kernel_" + name + "_s" + std::to_string(update) + "_";
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
    const ScratchFolder folder;
    const std::string file = (folder.path / "kernels.ptx").string();
    write_file(file, ptx);
    int status = 0;
    const std::string log = output_of(find_ptxas() + " -v -arch=sm_90 -maxrregcount=" + std::to_string(register_cap) +
                                          " -o " + (folder.path / "kernels.cubin").string() + " " + file,
                                      status);
    if (status != 0) {
        throw UserError("ptxas refuses the PTX: " + log);
    }
    std::vector<KernelResources> kernels;
    static const std::regex entry("Compiling entry function '([^']*)'"), used("Used ([0-9]+) registers"),
        spilled("([0-9]+) bytes spill stores"), shared("([0-9]+) bytes smem");
    std::istringstream lines(log);
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
    const ScratchFolder folder;
    const std::string file = (folder.path / "device.ptx").string();
    const PipelineView copy = copy_of(planned.view);
    apply_schedule(planned.schedule, copy);
    std::vector<Halide::Func> outputs;
    for (const auto &f : copy.outputs) {
        outputs.emplace_back(f);
    }
    Halide::Pipeline pipeline(outputs);
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
            const std::string prefix = entry_prefix(function.name(), graph[output].update);
            for (const KernelResources &kernel : kernels) {
                if (kernel.entry.rfind(prefix, 0) == 0) {
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

#include "fusion/cli/foreign.h"

#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/process.h"
#include "fusion/text.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

namespace fs = std::filesystem;

/// gengen answers an unknown name with those it knows.
constexpr char kNoSuchGenerator[] = "halide_fusion_asks_for_the_names";

/// A path that execvp does not look up on PATH.
std::string runnable(const std::string &file) {
    return file.find('/') == std::string::npos ? "./" + file : file;
}

}  // namespace

std::string tail_of(const std::string &said) {
    constexpr size_t kMost = 600;
    std::string text = said.size() > kMost ? "..." + said.substr(said.size() - kMost) : said;
    while (!text.empty() && std::isspace((unsigned char)text.back())) {
        text.pop_back();
    }
    return text.empty() ? "(nothing)" : text;
}

bool is_program(const std::string &file) {
    if (file.empty()) {
        return false;
    }
    const std::string content = read_file(file);
    Elf64_Ehdr header;
    if (content.size() < sizeof(header) || std::memcmp(content.data(), ELFMAG, SELFMAG) != 0) {
        return false;
    }
    std::memcpy(&header, content.data(), sizeof(header));
    for (int i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        const size_t at = header.e_phoff + (size_t)i * header.e_phentsize;
        if (at + sizeof(segment) > content.size()) {
            return false;
        }
        std::memcpy(&segment, content.data() + at, sizeof(segment));
        if (segment.p_type == PT_INTERP) {
            return true;
        }
    }
    return header.e_type == ET_EXEC;
}

std::vector<std::string> foreign_names(const std::string &file) {
    const TemporaryFolder folder;
    const Finished asked = run_process({runnable(file), "-g", kNoSuchGenerator, "-o", folder.file(""), "target=host"});
    // Four spaces and a name a line, behind a line that ends with a colon.
    std::vector<std::string> names;
    std::istringstream lines(asked.output);
    bool listing = false;
    for (std::string line; std::getline(lines, line);) {
        if (listing && line.rfind("    ", 0) == 0) {
            names.push_back(line.substr(4));
        } else {
            listing = asked.status != 0 && !line.empty() && line.back() == ':';
        }
    }
    const bool answered = asked.output.find(kNoSuchGenerator) != std::string::npos;
    if (!answered || names.empty()) {
        throw UserError(
            "\"" + file + "\" is not a generator executable: asked for its generators, it ended with status " +
            std::to_string(asked.status) + " and said: " + tail_of(asked.output) +
            "\nNext step: give an executable built by add_halide_generator, or a shared library of generators.");
    }
    std::sort(names.begin(), names.end());
    return names;
}

void check_foreign(const Request &request) {
    const std::vector<std::string> names = foreign_names(request.generator_file);
    if (std::find(names.begin(), names.end(), request.generator) == names.end()) {
        const std::string near = nearest(request.generator, names);
        throw UserError("\"" + request.generator_file + "\" has no generator \"" + request.generator + "\"" +
                        (near.empty() ? "" : " (did you mean \"" + near + "\"?)") + ". It has: " + join(names, ", ") +
                        ".");
    }
}

std::vector<std::string> generator_program(const std::string &file) {
    if (is_program(file)) {
        return {runnable(file)};
    }
    std::vector<std::string> words = {fs::read_symlink("/proc/self/exe").string(), "gengen"};
    if (!file.empty()) {
        words.insert(words.end(), {"--generator", file});
    }
    return words;
}

std::string make_runtime(const std::string &generator_file, const std::string &target, const std::string &base) {
    const fs::path path = base;
    std::vector<std::string> words = generator_program(generator_file);
    words.insert(words.end(), {"-r", path.filename().string(), "-o", path.parent_path().string(), "-e",
                               "static_library", "target=" + target});
    const Finished finished = run_process(words);
    if (finished.status != 0) {
        throw UserError("Making the Halide runtime with \"" + words[0] + "\" failed with status " +
                        std::to_string(finished.status) + ": " + tail_of(finished.output));
    }
    return base + ".a";
}

std::string cxx_compiler() {
    const char *compiler = std::getenv("CXX");
    return compiler && *compiler ? compiler : "c++";
}

std::vector<std::string> generator_command(const Request &request, const ForeignOutputs &outputs) {
    std::vector<std::string> words = generator_program(request.generator_file);
    words.insert(words.end(), {"-g", request.generator, "-f", outputs.function, "-o", outputs.folder, "-e",
                               join(outputs.kinds, ","), "target=" + outputs.target});
    for (const auto &[key, value] : request.params) {
        words.push_back(key + "=" + value);
    }
    return words;
}

std::vector<std::string> plugin_options(const Request &request, const ForeignOutputs &outputs) {
    std::vector<std::string> words = {
        "autoscheduler.device=" + request.options.device, "autoscheduler.variant=" + request.options.variant,
        "autoscheduler.registers=" + request.options.registers, "autoscheduler.name=" + outputs.function};
    if (!outputs.explain.empty()) {
        words.push_back("autoscheduler.explain=" + outputs.explain);
    }
    if (request.options.max_registers > 0) {
        words.push_back("autoscheduler.max_registers=" + std::to_string(request.options.max_registers));
    }
    return words;
}

void run_foreign(const Request &request, const ForeignOutputs &outputs) {
    std::vector<std::string> words = generator_command(request, outputs);
    words.insert(words.end(), {"-p", plugin_path(), "autoscheduler=Fusion"});
    const std::vector<std::string> options = plugin_options(request, outputs);
    words.insert(words.end(), options.begin(), options.end());
    const Finished finished = run_process(words);
    if (finished.status != 0) {
        throw UserError("Generator \"" + request.generator + "\" of \"" + request.generator_file +
                        "\" ended with status " + std::to_string(finished.status) + ": " + tail_of(finished.output));
    }
}

std::string explain_foreign(const Request &request, const std::string &format) {
    check_foreign(request);
    const TemporaryFolder folder;
    const std::string file = folder.file(format == "json" ? "plan.json" : format == "dot" ? "plan.dot" : "plan.txt");
    run_foreign(request, {folder.file(""), request.generator, {"schedule"}, "host-cuda-cuda_capability_80", file});
    return read_file(file);
}

std::vector<std::string> emit_foreign(const Request &request, const std::string &folder, const std::string &function,
                                      const std::string &target) {
    check_foreign(request);
    StagingFolder staging(folder);
    ForeignOutputs outputs{staging.folder(), function, {"c_header", "stmt", "static_library"}, target, ""};
    if (request.options.variant != "reference") {
        outputs.kinds.push_back("schedule");
        outputs.explain = staging.file(function + ".json");
        if (Halide::Target(target).has_feature(Halide::Target::CUDA)) {
            outputs.kinds.push_back("device_code");
        }
    }
    run_foreign(request, outputs);
    const fs::path device_code = staging.file(function + ".device_code");
    if (fs::exists(device_code)) {
        fs::rename(device_code, staging.file(function + ".ptx"));
    }
    return staging.publish();
}

}  // namespace fusion

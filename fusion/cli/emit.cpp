#include <filesystem>
#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/halide/planning.h"
#include "fusion/halide/reference.h"
#include "fusion/write_file.h"
#include "schedules/apply.h"

namespace fusion {
namespace {

namespace fs = std::filesystem;
using Halide::OutputFileType;

std::string schedule_header(const std::string &function, const std::string &body) {
    return "#pragma once\n// Made by halide-fusion: the schedule of " + function + ". Call apply_schedule_" + function +
           "(pipeline, target) in place of an autoscheduler.\n#include <Halide.h>\n\n" + "inline void apply_schedule_" +
           function + "(::Halide::Pipeline pipeline, ::Halide::Target target) {\n" + body + "}\n";
}

/// Writes everything into a folder beside the wanted one and moves the files over when all are there.
class Staging {
public:
    explicit Staging(const fs::path &folder) : wanted(folder), made(folder / (".partial-" + std::to_string(getpid()))) {
        std::error_code error;
        fs::create_directories(made, error);
        if (error) {
            throw UserError("Cannot make folder \"" + folder.string() + "\": " + error.message() + ".");
        }
    }
    ~Staging() {
        std::error_code ignored;
        fs::remove_all(made, ignored);
    }
    std::string file(const std::string &name) const { return (made / name).string(); }
    void publish() const {
        for (const auto &entry : fs::directory_iterator(made)) {
            fs::rename(entry.path(), wanted / entry.path().filename());
        }
    }

private:
    fs::path wanted, made;
};

}  // namespace

int emit_command(const Request &request, const std::string &folder, const std::string &function,
                 const std::string &target_text) {
    if (!request.generator_file.empty()) {
        load_generators(request.generator_file);
    }
    std::string problem;
    if (!Halide::Target::validate_target_string(target_text)) {
        throw UserError("\"" + target_text +
                        "\" is not a Halide target. Next step: use one such as host-cuda-cuda_capability_80.");
    }
    const Halide::Target target(target_text);
    const std::string name = function.empty() ? request.generator : function;
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    const Staging staging(folder);
    Halide::Pipeline pipeline = built.pipeline;
    std::map<OutputFileType, std::string> files = {{OutputFileType::c_header, staging.file(name + ".h")},
                                                   {OutputFileType::stmt, staging.file(name + ".stmt")},
                                                   {OutputFileType::static_library, staging.file(name + ".a")}};
    if (request.options.variant == "reference") {
        schedule_reference(read_pipeline(functions_of(pipeline)));
    } else {
        const Planned planned = plan_pipeline(functions_of(pipeline), target, request.options, name);
        if (target.has_feature(Halide::Target::CUDA)) {
            files[OutputFileType::device_code] = staging.file(name + ".ptx");
        }
        write_file(staging.file(name + ".schedule.h"), schedule_header(name, schedule_source(planned, pipeline)));
        write_file(staging.file(name + ".json"), explain_json(planned.explained()));
        apply_schedule(planned.schedule, planned.view);
    }
    pipeline.compile_to(files, built.arguments, name, target);
    staging.publish();
    for (const auto &entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        if (file.rfind(name + ".", 0) == 0) {
            std::cout << entry.path().string() << "\n";
        }
    }
    return 0;
}

}  // namespace fusion

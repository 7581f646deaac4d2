#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/cli/foreign.h"
#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/halide/planning.h"
#include "fusion/halide/reference.h"
#include "fusion/write_file.h"
#include "schedules/apply.h"
#include "schedules/hand/hand.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

using Halide::OutputFileType;

std::string schedule_header(const std::string &function, const std::string &body) {
    return "#pragma once\n// Made by halide-fusion: the schedule of " + function + ". Call apply_schedule_" + function +
           "(pipeline, target) in place of an autoscheduler.\n#include <Halide.h>\n\n" + "inline void apply_schedule_" +
           function + "(::Halide::Pipeline pipeline, ::Halide::Target target) {\n" + body + "}\n";
}

void print_lines(const std::vector<std::string> &lines) {
    for (const std::string &line : lines) {
        std::cout << line << "\n";
    }
}

}  // namespace

int emit_command(const Request &request, const std::string &folder, const std::string &function,
                 const std::string &target_text) {
    if (!Halide::Target::validate_target_string(target_text)) {
        throw UserError("\"" + target_text +
                        "\" is not a Halide target. Next step: use one such as host-cuda-cuda_capability_80.");
    }
    const Halide::Target target(target_text);
    const std::string name = function.empty() ? request.generator : function;
    const bool is_reference = request.options.variant == "reference";
    if (!is_reference) {
        check_variant(request, request.options.variant);
    }
    if (is_program(request.generator_file)) {
        print_lines(emit_foreign(request, folder, name, target_text));
        return 0;
    }
    load_generators(request.generator_file);
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    StagingFolder staging(folder);
    Halide::Pipeline pipeline = built.pipeline;
    std::map<OutputFileType, std::string> files = {{OutputFileType::c_header, staging.file(name + ".h")},
                                                   {OutputFileType::stmt, staging.file(name + ".stmt")},
                                                   {OutputFileType::static_library, staging.file(name + ".a")}};
    if (!is_reference && target.has_feature(Halide::Target::CUDA)) {
        files[OutputFileType::device_code] = staging.file(name + ".ptx");
    }
    if (is_reference) {
        schedule_reference(read_pipeline(functions_of(pipeline)));
    } else if (request.options.variant == kHand) {
        hand_schedule_of(request.generator).apply(HandPipeline(read_pipeline(functions_of(pipeline))));
    } else {
        const Planned planned = plan_pipeline(functions_of(pipeline), target, request.options, name);
        write_file(staging.file(name + ".schedule.h"), schedule_header(name, schedule_source(planned, pipeline)));
        write_file(staging.file(name + ".json"), explain_json(planned.explained()));
        apply_schedule(planned.schedule, planned.view);
        use_wide_accesses(pipeline, planned.view);
    }
    pipeline.compile_to(files, built.arguments, name, target);
    print_lines(staging.publish());
    return 0;
}

}  // namespace fusion

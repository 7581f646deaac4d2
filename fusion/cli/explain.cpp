#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/cli/foreign.h"
#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/halide/planning.h"
#include "fusion/process.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

std::string svg_of(const std::string &dot) {
    const TemporaryFolder folder;
    write_file(folder.file("plan.dot"), dot);
    const std::string next_step = " Next step: install the package graphviz, or use --format dot.";
    Finished graphviz;
    try {
        graphviz = run_process({"dot", "-Tsvg", folder.file("plan.dot"), "-o", folder.file("plan.svg")});
    } catch (const UserError &e) {
        throw UserError(e.what() + next_step);
    }
    if (graphviz.status != 0) {
        throw UserError("Graphviz's \"dot\" ended with status " + std::to_string(graphviz.status) + ": " +
                        graphviz.output + next_step);
    }
    return read_file(folder.file("plan.svg"));
}

}  // namespace

int explain_command(const Request &request, const std::string &format) {
    if (request.options.variant == kHand) {
        throw UserError("A hand schedule has no plan to explain. Next step: explain fused, unfused or inlined; run and "
                        "emit take hand.");
    }
    if (is_program(request.generator_file)) {
        const std::string text = explain_foreign(request, format == "svg" ? "dot" : format);
        std::cout << (format == "svg" ? svg_of(text) : text);
        return 0;
    }
    load_generators(request.generator_file);
    const Halide::Target target("host-cuda-cuda_capability_80");
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    const Planned planned = plan_pipeline(functions_of(built.pipeline), target, request.options, request.generator);
    const Explained explained = planned.explained();
    std::cout << (format == "json"  ? explain_json(explained)
                  : format == "dot" ? explain_dot(explained)
                  : format == "svg" ? svg_of(explain_dot(explained))
                                    : explain_text(explained));
    return 0;
}

}  // namespace fusion

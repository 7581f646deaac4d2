#include <cstdio>
#include <filesystem>
#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/cli/generators.h"
#include "fusion/error.h"
#include "fusion/halide/planning.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

std::string svg_of(const std::string &dot) {
    const std::filesystem::path file = std::filesystem::temp_directory_path() / ("halide-fusion-" + std::to_string(getpid()) + ".dot");
    write_file(file, dot);
    std::string svg;
    char buffer[4096];
    FILE *graphviz = popen(("dot -Tsvg " + file.string()).c_str(), "r");
    while (const size_t count = graphviz ? fread(buffer, 1, sizeof(buffer), graphviz) : 0) {
        svg.append(buffer, count);
    }
    const int status = graphviz ? pclose(graphviz) : -1;
    std::filesystem::remove(file);
    if (status != 0) {
        throw UserError("Graphviz's \"dot\" did not run (status " + std::to_string(status) +
                        "). Next step: install the package graphviz, or use --format dot.");
    }
    return svg;
}

}  // namespace

int explain_command(const Request &request, const std::string &format) {
    if (!request.generator_file.empty()) {
        load_generators(request.generator_file);
    }
    const Halide::Target target("host-cuda-cuda_capability_80");
    const BuiltGenerator built = build_generator(request.generator, request.params, target);
    const Planned planned = plan_pipeline(functions_of(built.pipeline), target, request.options, request.generator);
    const Explained explained = planned.explained();
    std::cout << (format == "json" ? explain_json(explained)
                  : format == "dot" ? explain_dot(explained)
                  : format == "svg" ? svg_of(explain_dot(explained))
                                    : explain_text(explained));
    return 0;
}

}  // namespace fusion

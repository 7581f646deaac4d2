#include "fusion/cli/generators.h"

#include <dlfcn.h>

#include <algorithm>

#include "fusion/error.h"
#include "fusion/text.h"
#include "fusion/write_file.h"

namespace fusion {

using namespace Halide;
using namespace Halide::Internal;

std::vector<std::string> generator_names() {
    std::vector<std::string> names = GeneratorRegistry::enumerate();
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> load_generators(const std::string &file) {
    if (file.empty()) {
        return {};
    }
    read_file(file);  // a clear message for what is not there
    const std::vector<std::string> before = generator_names();
    // By path: dlopen looks a bare name up in the system's folders.
    const std::string path = file.find('/') == std::string::npos ? "./" + file : file;
    std::string reason;
    try {
        reason = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL) ? "" : dlerror();
    } catch (const Halide::Error &e) {  // a name that is taken
        reason = e.what();
    }
    if (!reason.empty()) {
        throw UserError("\"" + file + "\" is not a library of Halide generators: " + reason +
                        ". Next step: give a shared library (or an executable) built by add_halide_generator.");
    }
    std::vector<std::string> added;
    for (const std::string &name : generator_names()) {
        if (!std::binary_search(before.begin(), before.end(), name)) {
            added.push_back(name);
        }
    }
    if (added.empty()) {
        throw UserError("\"" + file +
                        "\" registers no Halide generator. Next step: use HALIDE_REGISTER_GENERATOR and link " +
                        "against the same libHalide.");
    }
    return added;
}

void check_generator(const std::string &name) {
    const std::vector<std::string> names = generator_names();
    if (std::find(names.begin(), names.end(), name) == names.end()) {
        const std::string near = nearest(name, names);
        throw UserError("Unknown generator \"" + name + "\"" +
                        (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                        ". There are: " + join(names, ", ") + ".");
    }
}

BuiltGenerator build_generator(const std::string &name, const std::map<std::string, std::string> &params,
                               const Target &target) {
    check_generator(name);
    BuiltGenerator built;
    built.name = name;
    try {
        built.generator = GeneratorRegistry::create(name, GeneratorContext(target));
        for (const auto &[key, value] : params) {
            built.generator->set_generatorparam_value(key, value);
        }
        built.pipeline = built.generator->build_pipeline();
        for (const auto &info : built.generator->arginfos()) {
            if (info.dir != ArgInfoDirection::Input) {
                continue;
            }
            for (const Parameter &p : built.generator->input_parameter(info.name)) {
                built.inputs.push_back(p);
                const auto kind = p.is_buffer() ? Argument::InputBuffer : Argument::InputScalar;
                const ArgumentEstimates estimates = p.get_argument_estimates();
                built.arguments.emplace_back(p.name(), kind, p.type(), p.is_buffer() ? p.dimensions() : 0, estimates);
            }
        }
    } catch (const Halide::Error &e) {
        throw UserError("Generator \"" + name + "\" could not be built: " + e.what());
    }
    return built;
}

}  // namespace fusion

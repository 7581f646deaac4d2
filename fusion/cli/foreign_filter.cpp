#include "fusion/cli/foreign_filter.h"

#include <dlfcn.h>

#include "fusion/compare/filter_shapes.h"
#include "fusion/error.h"
#include "fusion/folders.h"
#include "fusion/halide/execute.h"
#include "fusion/process.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

/// Linked with the filter: counts launches and keeps errors (the runtime's own handler aborts the process).
std::string shim(const std::string &api) {
    const std::string run = "halide_" + api + "_run";
    const std::string types =
        "(void *, void *, const char *, int, int, int, int, int, int, int, void *, void *, void *)";
    std::string text =
        "#include <cstdio>\nstatic int launches;\nstatic char message[4096];\nextern \"C\" {\n"
        "void halide_error(void *, const char *text) { snprintf(message, sizeof(message), \"%s\", text); }\n"
        "const char *fusion_last_error() { return message; }\n"
        "int fusion_take_launches() { const int n = launches; launches = 0; return n; }\n";
    if (!api.empty()) {
        text += "int __real_" + run + types + ";\nint __wrap_" + run +
                "(void *c, void *s, const char *n, int bx, int by, int bz, int tx, int ty, int tz, int m, void *z, "
                "void *a, "
                "void *b) {\n    launches++;\n    return __real_" +
                run + "(c, s, n, bx, by, bz, tx, ty, tz, m, z, a, b);\n}\n";
    }
    return text + "}\n";
}

template<typename T>
T symbol(void *library, const std::string &name) {
    void *found = dlsym(library, name.c_str());
    if (!found) {
        throw UserError("The compiled generator has no \"" + name + "\": " + dlerror());
    }
    return reinterpret_cast<T>(found);
}

}  // namespace

ForeignFilter load_foreign(const Request &request, const std::string &api, const std::string &folder,
                           const std::string &explain) {
    const std::string function = "filter_" + request.options.variant, base = folder + "/" + function;
    const std::string target = target_for(api).to_string();
    run_foreign(request, {folder, function, {"static_library"}, target + "-no_runtime", explain});
    const std::string runtime = make_runtime(request.generator_file, target, base + "_runtime");
    write_file(base + "_shim.cpp", shim(api));
    std::vector<std::string> link = {cxx_compiler(),
                                     "-shared",
                                     "-fPIC",
                                     "-O1",
                                     "-o",
                                     base + ".so",
                                     base + "_shim.cpp",
                                     "-Wl,--whole-archive",
                                     base + ".a",
                                     "-Wl,--no-whole-archive",
                                     runtime,
                                     "-Wl,-Bsymbolic",
                                     "-lpthread",
                                     "-ldl"};
    if (!api.empty()) {
        link.push_back("-Wl,--wrap=halide_" + api + "_run");
    }
    const Finished linked = run_process(link);
    if (linked.status != 0) {
        throw UserError("Linking the generated code with the C++ compiler failed with status " +
                        std::to_string(linked.status) + ": " + linked.output);
    }
    void *library = dlopen((base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        throw UserError("The compiled generator cannot be loaded: " + std::string(dlerror()));
    }
    ForeignFilter filter;
    filter.name = request.generator + " (" + request.options.variant + ")";
    filter.call = symbol<int (*)(void **)>(library, function + "_argv");
    filter.metadata = symbol<const halide_filter_metadata_t *(*)()>(library, function + "_metadata")();
    filter.take_launches = symbol<int (*)()>(library, "fusion_take_launches");
    filter.last_error = symbol<const char *(*)()>(library, "fusion_last_error");
    return filter;
}

std::vector<Halide::Buffer<>> ForeignArguments::outputs() const {
    std::vector<Halide::Buffer<>> found;
    for (size_t i = 0; i < buffers.size(); i++) {
        if (is_output[i]) {
            found.push_back(buffers[i]);
        }
    }
    return found;
}

ForeignArguments make_arguments(const ForeignFilter &filter) {
    const FilterShapes shapes = filter_shapes(*filter.metadata, [&](void **pointers) {
        if (filter.call(pointers) != 0) {
            throw UserError("Generator " + filter.name +
                            " cannot say what it reads at its estimates: " + filter.last_error());
        }
    });
    ForeignArguments arguments;
    arguments.scalars = shapes.scalars;
    arguments.buffers.resize(shapes.dimensions.size());
    for (size_t i = 0; i < arguments.buffers.size(); i++) {
        const halide_filter_argument_t &a = filter.metadata->arguments[i];
        arguments.is_output.push_back(a.kind == halide_argument_kind_output_buffer);
        if (a.kind != halide_argument_kind_input_scalar) {
            Halide::Runtime::Buffer<> buffer(halide_type_t(a.type), nullptr, a.dimensions, shapes.dimensions[i].data());
            buffer.allocate();
            arguments.buffers[i] = Halide::Buffer<>(std::move(buffer));
        }
    }
    return arguments;
}

void call_foreign(const ForeignFilter &filter, ForeignArguments &arguments) {
    std::vector<void *> pointers;
    for (size_t i = 0; i < arguments.buffers.size(); i++) {
        const bool is_buffer = arguments.buffers[i].defined();
        pointers.push_back(is_buffer ? (void *)arguments.buffers[i].raw_buffer() : (void *)&arguments.scalars[i]);
    }
    if (filter.call(pointers.data()) != 0) {
        throw UserError("Generator " + filter.name + " failed while running: " + filter.last_error());
    }
}

}  // namespace fusion

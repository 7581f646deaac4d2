#pragma once
/// One variant of a foreign generator as compiled code: linked into a shared object, loaded and called.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/cli/foreign.h"

namespace fusion {

/// A loaded variant; valid until the process ends.
struct ForeignFilter {
    std::string name;  ///< for messages
    int (*call)(void **arguments) = nullptr;
    const halide_filter_metadata_t *metadata = nullptr;
    int (*take_launches)() = nullptr;       ///< since the last call
    const char *(*last_error)() = nullptr;  ///< what the runtime said
};

/// Compiles the request's variant for `api` ("cuda", "opencl", "": the CPU) in `folder`, links and loads it.
/// `explain`: file for the plugin's explanation; empty: none. Throws UserError naming the step that failed and its output.
ForeignFilter load_foreign(const Request &request, const std::string &api, const std::string &folder,
                           const std::string &explain);

/// An argument each: a buffer, or a scalar at its estimate (its default where it has none).
struct ForeignArguments {
    std::vector<Halide::Buffer<>> buffers;  ///< undefined for scalars
    std::vector<halide_scalar_value_t> scalars;
    std::vector<bool> is_output;

    std::vector<Halide::Buffer<>> outputs() const;
};

/// Buffers of the shapes that the filter asks for when its outputs have their estimated extents. Allocated, not filled.
/// Throws UserError naming the argument without an estimate.
ForeignArguments make_arguments(const ForeignFilter &filter);

/// Calls it. Throws UserError with what the runtime said.
void call_foreign(const ForeignFilter &filter, ForeignArguments &arguments);

}  // namespace fusion

#pragma once
/// Somebody's generator executable, as add_halide_generator builds it. It cannot be loaded, so it is run with the plugin.
#include <string>
#include <vector>

#include "fusion/cli/commands.h"

namespace fusion {

/// Whether the file is an executable (which can only be run) and not a shared library. An empty name is not.
/// Throws UserError where it cannot be read.
bool is_program(const std::string &file);

/// Names of its generators, as it says itself. Throws UserError where it is no generator executable.
std::vector<std::string> foreign_names(const std::string &file);

/// Throws UserError where the request's executable has no generator of the request's name.
void check_foreign(const Request &request);

/// What a generator executable is to make.
struct ForeignOutputs {
    std::string folder;
    std::string function;
    std::vector<std::string> kinds;  ///< gengen's words for -e: "stmt", "static_library", ...
    std::string target;
    std::string explain;  ///< file for the plugin's explanation; empty: none
};

/// Runs the request's executable with the plugin. Throws UserError naming the file, with what it said.
void run_foreign(const Request &request, const ForeignOutputs &outputs);

/// The explanation; `format` is "text", "json" or "dot".
std::string explain_foreign(const Request &request, const std::string &format);

/// The same files as for a built-in generator; returns their paths.
std::vector<std::string> emit_foreign(const Request &request, const std::string &folder, const std::string &function,
                                      const std::string &target);

}  // namespace fusion

#pragma once
/// Generators in a process of their own: somebody's executable, as add_halide_generator builds it, which cannot be loaded, or
/// this program's command gengen.
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

/// The program, and its first words, that take Halide's generator command line (-g, -f, -o, -e, -p, target=...) for the
/// generators of `file`; of the built-in ones where it is empty.
std::vector<std::string> generator_program(const std::string &file);

/// Makes the Halide runtime of a target as a library, `base`.a, and returns its path. Throws UserError with what was said.
std::string make_runtime(const std::string &generator_file, const std::string &target, const std::string &base);

/// The C++ compiler that links: CXX, or c++.
std::string cxx_compiler();

/// What a generator executable is to make.
struct ForeignOutputs {
    std::string folder;
    std::string function;
    std::vector<std::string> kinds;  ///< gengen's words for -e: "stmt", "static_library", ...
    std::string target;
    std::string explain;  ///< file for the plugin's explanation; empty: none
};

/// Halide's generator command line for the request and its outputs, without an autoscheduler.
std::vector<std::string> generator_command(const Request &request, const ForeignOutputs &outputs);

/// The words "autoscheduler.KEY=VALUE" for the plugin, from the request's options.
std::vector<std::string> plugin_options(const Request &request, const ForeignOutputs &outputs);

/// Some of what a program said, for an error message.
std::string tail_of(const std::string &said);

/// Runs the request's executable with the plugin. Throws UserError naming the file, with what it said.
void run_foreign(const Request &request, const ForeignOutputs &outputs);

/// The explanation; `format` is "text", "json" or "dot".
std::string explain_foreign(const Request &request, const std::string &format);

/// The same files as for a built-in generator; returns their paths.
std::vector<std::string> emit_foreign(const Request &request, const std::string &folder, const std::string &function,
                                      const std::string &target);

}  // namespace fusion

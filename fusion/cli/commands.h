#pragma once
/// The commands of halide-fusion, each a function of its arguments that returns the exit status.
#include <Halide.h>
#include <map>
#include <string>
#include <vector>

#include "fusion/options.h"

namespace fusion {

/// The variant that an expert wrote (schedules/hand) in place of a plan. It belongs to a built-in generator.
inline constexpr char kHand[] = "hand";

/// What most commands take.
struct Request {
    std::string generator;       ///< name
    std::string generator_file;  ///< somebody's compiled generators; empty: those built in
    std::map<std::string, std::string> params;
    Options options;
};

/// Throws UserError: no variant of this name to run or to emit, or hand for a generator that has none.
void check_variant(const Request &request, const std::string &variant);

int run_program(int argc, char **argv);

int list_command(const Request &request);
int explain_command(const Request &request, const std::string &format);
int emit_command(const Request &request, const std::string &folder, const std::string &function,
                 const std::string &target);
int run_command(const Request &request, const std::vector<std::string> &variants);
int demo_command();
int plugin_path_command();

/// Where the plugin is: beside the program or in the library folder of the installation. Throws UserError.
std::string plugin_path();

}  // namespace fusion

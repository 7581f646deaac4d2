#pragma once
/// Halide generators that are linked in or loaded from a shared library, as pipelines.
#include <Halide.h>
#include <map>
#include <string>
#include <vector>

namespace fusion {

/// A generator with its pipeline built; inputs are found by name.
struct BuiltGenerator {
    std::string name;
    Halide::Internal::AbstractGeneratorPtr generator;
    Halide::Pipeline pipeline;
    std::vector<Halide::Parameter> inputs;  ///< in the order of the generator's arguments
    std::vector<Halide::Argument> arguments;
};

/// Names of all registered generators, sorted.
std::vector<std::string> generator_names();

/// Loads a shared library of generators, which register themselves, and returns their names, sorted; nothing where `file`
/// is empty. Throws UserError naming the file and the reason.
std::vector<std::string> load_generators(const std::string &file);

/// Throws UserError, with the nearest name, where no generator is called so.
void check_generator(const std::string &name);

/// Builds one. Throws UserError: unknown name (with the nearest), unknown parameter or bad value.
BuiltGenerator build_generator(const std::string &name, const std::map<std::string, std::string> &params,
                               const Halide::Target &target);

}  // namespace fusion

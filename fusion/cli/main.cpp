/// halide-fusion: explains, emits and runs plans.
#include <CLI/CLI.hpp>

#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/error.h"

int main(int argc, char **argv) {
    try {
        return fusion::run_program(argc, argv);
    } catch (const fusion::UserError &e) {
        std::cerr << "halide-fusion: " << e.what() << "\n";
        return 1;
    } catch (const Halide::Error &e) {
        std::cerr << "halide-fusion: Halide: " << e.what() << "\n";
        return 1;
    } catch (const std::exception &e) {
        std::cerr << "halide-fusion: internal error: " << e.what() << "\n";
        return 2;
    }
}

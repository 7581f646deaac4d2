/// The program `run` in a bundle: what halide-fusion compare --run does, on a machine without Halide.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "fusion/compare/run_bundle.h"
#include "fusion/error.h"
#include "fusion/write_file.h"

int main(int argc, char **argv) {
    CLI::App app("Runs the variants in the folder where this program lies, checks and times them.");
    std::string json;
    double seconds = fusion::kRunSeconds;
    app.add_option("--json", json, "file to write the results to as well");
    app.add_option("--run-limit", seconds, "seconds that each variant may run")->capture_default_str();
    CLI11_PARSE(app, argc, argv);
    try {
        const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
        const fusion::Bundle bundle = fusion::run_bundle(folder, seconds);
        std::cout << fusion::comparison_text(bundle);
        if (!json.empty()) {
            fusion::write_file(json, fusion::bundle_json(bundle));
        }
        return fusion::is_sound(bundle) ? 0 : 1;
    } catch (const std::exception &e) {
        std::cerr << "run: " << e.what() << "\n";
        return 2;
    }
}

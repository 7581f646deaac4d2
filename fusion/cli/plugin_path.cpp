#include <filesystem>
#include <iostream>

#include "fusion/cli/commands.h"
#include "fusion/error.h"

namespace fusion {

std::string plugin_path() {
    namespace fs = std::filesystem;
    const fs::path folder = fs::read_symlink("/proc/self/exe").parent_path();
    // Beside the program in a build tree, in ../lib when installed.
    for (const fs::path &place : {folder, folder / "../lib", folder / "../lib64", folder / ("../" FUSION_LIBDIR)}) {
        const fs::path plugin = place / "libautoschedule_fusion.so";
        if (fs::exists(plugin)) {
            return fs::canonical(plugin).string();
        }
    }
    throw UserError("libautoschedule_fusion.so is neither beside " + folder.string() +
                    "/halide-fusion nor in ../lib. Next step: build or install the target autoschedule_fusion.");
}

int plugin_path_command() {
    std::cout << plugin_path() << "\n";
    return 0;
}

}  // namespace fusion

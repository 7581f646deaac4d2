/// The autoscheduler "FusionTimed": runs another one and writes down what it took, for `halide-fusion compare`. A generator
/// executable says nothing of that itself.
///
/// In: autoscheduler.of, the other one's name, and autoscheduler.report, a file; all other parameters are the other one's.
/// Out: the file, as JSON: "seconds" of wall time, and "peak_bytes", resident memory of the process at its highest so far.
#define HALIDE_KEEP_MACROS
#include <Halide.h>

#include <chrono>
#include <fstream>

#include "fusion/error.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

std::string take(std::map<std::string, std::string> &parameters, const std::string &key) {
    const auto found = parameters.extract(key);
    user_assert(!found.empty()) << "FusionTimed: autoscheduler." << key << " is missing.\n";
    return found.mapped();
}

/// Resident memory of this program at its highest, in bytes; getrusage would count that of the program which started it.
int64_t peak_bytes() {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;) {
        if (word == "VmHWM:") {
            int64_t kilobytes = 0;
            status >> kilobytes;
            return kilobytes * 1024;
        }
    }
    return 0;
}

void autoschedule_timed(const Halide::Pipeline &pipeline, const Halide::Target &target,
                        const Halide::AutoschedulerParams &params, Halide::AutoSchedulerResults *results) {
    Halide::AutoschedulerParams other = params;
    other.name = take(other.extra, "of");
    const std::string report = take(other.extra, "report");
    const auto begin = std::chrono::steady_clock::now();
    *results = pipeline.apply_autoscheduler(target, other);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    std::string mistake;
    try {
        write_file(report, "{\"seconds\": " + std::to_string(seconds) +
                               ", \"peak_bytes\": " + std::to_string(peak_bytes()) + "}\n");
    } catch (const UserError &e) {
        mistake = e.what();
    }
    user_assert(mistake.empty()) << "FusionTimed: " << mistake << "\n";
}

struct Registration {
    Registration() { Halide::Pipeline::add_autoscheduler("FusionTimed", autoschedule_timed); }
} registration;

}  // namespace
}  // namespace fusion

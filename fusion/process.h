#pragma once
/// Running another program to its end, or to a limit.
#include <cstdint>
#include <string>
#include <vector>

namespace fusion {

/// What a program may use; 0: as much as it wants.
struct ProcessLimits {
    double seconds = 0;  ///< then it is killed
    int64_t bytes = 0;   ///< of address space, for it and for each program that it starts
};

struct Finished {
    int status = 0;      ///< exit status; 128 + n when signal n ended it
    std::string output;  ///< stdout and stderr
    double seconds = 0;  ///< from start to end
    bool timed_out = false;
};

/// Runs a program, found by path or on PATH, with nothing on its stdin and with `environment` (KEY=VALUE) added to this
/// process's own. Throws UserError naming what cannot be run and why.
Finished run_process(const std::vector<std::string> &words, const ProcessLimits &limits = {},
                     const std::vector<std::string> &environment = {});

}  // namespace fusion

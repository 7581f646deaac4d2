#pragma once
/// Running another program to its end.
#include <string>
#include <vector>

namespace fusion {

struct Finished {
    int status = 0;      ///< exit status; 128 + n when signal n ended it
    std::string output;  ///< stdout and stderr
};

/// Runs a program, found by path or on PATH, with nothing on its stdin. Throws UserError naming what cannot be run and why.
Finished run_process(const std::vector<std::string> &words);

}  // namespace fusion

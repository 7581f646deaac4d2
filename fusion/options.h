#pragma once
/// The planner's options as KEY=VALUE text, the same for the plugin and the program.
#include <map>
#include <string>

namespace fusion {

struct Options {
    std::string device = "H200";
    std::string explain;  ///< file to write the explanation to; JSON if it ends in .json, Graphviz if in .dot; or empty
    std::string name;     ///< what the explanation calls the pipeline; empty: its first output
    std::string registers = "estimate";  ///< or "measure": take them from ptxas and plan again where kernels spill
    int max_registers = 0;               ///< 0: what the device's runtime allows
    std::string variant = "fused";       ///< of plan.h, or "reference": no plan, every Func at compute_root on the CPU
    std::string rewrites = "all";        ///< all, none, or ids separated by commas
    bool verify = true;                  ///< lower a copy of the pipeline and look before the schedule is given out

    bool allows(const std::string &rewrite) const;
};

/// Throws UserError: an unknown key (with the nearest valid one) or a value of the wrong kind.
Options parse_options(const std::map<std::string, std::string> &given);

/// A line an option: name, default, meaning.
std::string options_text();

}  // namespace fusion

#pragma once
/// Registers read from ptxas in place of the estimate; needs no GPU.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/halide/planning.h"

namespace fusion {

/// Path of ptxas: the CUDA Toolkit's of the build, else the one on PATH; empty when there is none.
std::string find_ptxas();

struct KernelResources {
    std::string entry;  ///< name in the PTX
    int registers = 0;
    int spilled_bytes = 0;  ///< stores
    int shared_bytes = 0;
};

/// Assembles PTX for compute capability 9.0 with a register cap. Throws UserError with ptxas's message.
std::vector<KernelResources> assemble(const std::string &ptx, int register_cap);

/// Compiles a copy of the planned pipeline to PTX, applying the schedule.
std::string ptx_of(const Planned &planned, const Halide::Target &target);

/// A larger cap must be predicted to take this part of the time at most.
inline constexpr double kLargerCapPays = 0.97;

/// Replaces estimated registers in the plan and its ledger by ptxas's, under the cap of `caps` with the least predicted time;
/// larger ones are tried while some kernel would use more. Does nothing without ptxas.
void measure_registers(Planned &planned, const Halide::Target &target, const std::vector<int> &caps);

}  // namespace fusion

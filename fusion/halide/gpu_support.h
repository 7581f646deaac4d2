#pragma once
/// What Halide 21 cannot compile inside a CUDA or OpenCL kernel, found before its compiler aborts the process.
#include <Halide.h>
#include <string>

namespace fusion {

/// Empty if the definition may run in a GPU kernel; otherwise the reason, naming the Func.
std::string gpu_refusal(const Halide::Internal::Function &f, const Halide::Internal::Definition &definition);

}  // namespace fusion

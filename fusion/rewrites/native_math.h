#pragma once
/// exp, log, tanh, reciprocals and their square roots by the GPU's own instructions, inside CUDA kernels.
///
/// Halide expands exp and log of vectors into polynomials of many live values, and divides with correct rounding. Largest
/// errors of the forms used here, in units in the last place of float32 (bench and tests: native_math_test):
///   1/x            1          1/sqrt(x)   2          a/b   2; b beyond 2^126 in magnitude divides to 0
///   exp(x)         2 + 1.2|x| (the argument times log2(e) is rounded); results below 2^-126 become 0
///   log(x)         3, and 2^-21 absolute where x is in [0.5, 2]
///   tanh(x)        2^-22 absolute
/// Source: CUDA Math API, "intrinsic functions" (__expf, __logf, __frcp_rn, __frsqrt_rn) and PTX ISA 8.5 (ex2, lg2, rcp,
/// rsqrt with .approx.ftz). Never in a Func that holds strict_float.
#include <string>
#include <vector>

#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"

namespace fusion {

/// Replaces the calls in every definition of the function. Returns false where there was nothing to replace.
bool use_native_math(Halide::Internal::Function function);

/// The Funcs of the pipeline that would change, with what it saves; sets the work of their stages to what is left.
/// Funcs that the host computes, or that their author scheduled, are left alone.
std::vector<Rewrite> plan_native_math(PipelineView &view);

/// C++ that defines the struct NativeMath, whose mutate() does the same.
std::string native_math_source();

}  // namespace fusion

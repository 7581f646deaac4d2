#pragma once
/// Vectors of 8- and 16-bit elements, and of more than four of 32 bits, by accesses of 4, 8 or 16 bytes inside CUDA kernels.
///
/// Halide 21 makes one access of four elements of 32 bits only: of narrower ones LLVM may assume no more of a caller's buffer than
/// that its elements are aligned. A pass after Halide's own uses what the branch around the kernel says of the device pointer
/// (layout.h) and what Halide knows of the index; an access of which either is silent stays as it is. H200, 2026-12-01: layernorm of
/// 4096 float16 0.535 to 0.372 ms, softmax 0.325 to 0.260.
#include <Halide.h>
#include <string>

#include "fusion/halide/read_pipeline.h"

namespace fusion {

/// The pipeline reads, computes or writes elements of 8 or 16 bits.
bool has_narrow_elements(const PipelineView &view);

/// Adds the pass to a pipeline that has such elements. Only what that Pipeline compiles is changed, not a Func's own realize().
void use_wide_accesses(Halide::Pipeline pipeline, const PipelineView &view);

/// What the pass makes of a lowered statement, before its kernels are taken out of it.
Halide::Internal::Stmt with_wide_accesses(const Halide::Internal::Stmt &stmt);

/// C++ that defines the pass, the struct WideAccesses, inside a function.
std::string wide_accesses_source();

}  // namespace fusion

#pragma once
/// Where an update scatters to, computed once a step instead of on both sides of "h(place) = h(place) + value".
#include <Halide.h>

#include <string>

namespace fusion {

/// Changes update `index` (0 is the first), which scatters (reassociate.h), to read its place from the Func that is returned,
/// a function of the update's own loops. Halide 21 simplifies both sides apart, and takes an addition for an atomic one only
/// where they are still the same; else it compiles a loop that compares and swaps, which in OpenCL need not end.
Halide::Func scatter_place(const Halide::Internal::Function &f, int index);

/// The same as C++ text: defines `keep_scatter_place(Halide::Internal::Function, int)` inside a function.
std::string scatter_place_source();

}  // namespace fusion

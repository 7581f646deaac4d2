#pragma once
/// Conditions on data of an RDom, such as "where in(r) > 0", as a choice between a value and the operator's identity.
#include <Halide.h>

#include <string>

namespace fusion {

/// Rewrites update `index` (0 is the first), whose fold is reassociable (reassociate.h), so that its RDom keeps only those
/// conditions that read no data: where one of the others fails, the identity is folded (0 for a sum). The values are the
/// same. Halide 21 evaluates both sides of "in the row and of this value": left as a condition, a split loop would load
/// from behind the end of the row, and of the last row from behind the buffer.
void identity_where(const Halide::Internal::Function &f, int index);

/// The same as C++ text: defines `fold_identity_where_false(Halide::Internal::Function, int)` inside a function.
std::string identity_where_source();

}  // namespace fusion

#pragma once
/// Graphs drawn at random for the tests of what must hold of every plan.
#include "tests/unit/core/graphs.h"

namespace fusion::test {

/// A graph of `stages` definitions of all kinds: pointwise, broadcast, transposed, stencil and gather reads, reductions of
/// rows and of columns, other updates, outputs that are read, stages scheduled by their author. The same seed gives the same
/// graph.
StageGraph random_graph(unsigned seed, int stages);

}  // namespace fusion::test

#pragma once
/// From a Halide pipeline to the planner's graph. The only place that walks Halide's IR of the algorithm.
#include <Halide.h>
#include <string>
#include <vector>

#include "fusion/graph.h"

namespace fusion {

/// The graph and, for each func_id in it, what it stands for.
struct PipelineView {
    StageGraph graph;
    struct Source {
        Halide::Internal::Function function;  ///< undefined contents for an image read without a wrapper Func
        Halide::Parameter parameter;          ///< inputs: the buffer behind it; undefined for a constant image
        bool is_input_wrapper = false;        ///< the Func that Halide puts around an ImageParam or Input<Buffer>
    };
    std::vector<Source> sources;
    std::vector<Halide::Internal::Function> outputs;
};

/// Reads everything reachable from `outputs`; regions come from the estimates.
/// Throws UserError: an estimate is missing, a Func has no definition, a region is unbounded and cannot be inlined.
/// Vertices are ordered by a walk over the definitions, so neither names nor the order of creation matter.
PipelineView read_pipeline(const std::vector<Halide::Internal::Function> &outputs);

/// Names without Halide's process-wide "$n" suffix; what is then equal is numbered in order: f, f#2, f#3.
std::vector<std::string> display_names(const std::vector<std::string> &raw_names);

}  // namespace fusion

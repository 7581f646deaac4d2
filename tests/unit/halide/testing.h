#pragma once
/// What the tests of fusion/halide and schedules share.
#include <Halide.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fusion/error.h"
#include "fusion/halide/measure_registers.h"
#include "fusion/halide/planning.h"
#include "fusion/halide/read_pipeline.h"

namespace fusion::testing {

inline Halide::Target cuda() {
    return Halide::Target("x86-64-linux-cuda-cuda_capability_80-no_runtime");
}

inline Halide::Target opencl() {
    return Halide::Target("x86-64-linux-opencl-no_runtime");
}

inline std::vector<Halide::Internal::Function> functions(const std::vector<Halide::Func> &funcs) {
    std::vector<Halide::Internal::Function> result;
    for (const Halide::Func &f : funcs) {
        result.push_back(f.function());
    }
    return result;
}

inline PipelineView read(const std::vector<Halide::Func> &outputs) {
    return read_pipeline(functions(outputs));
}

/// Vertex of a definition by its display name and update number; fails the test when there is none.
inline Vertex vertex(const PipelineView &view, const std::string &func, int update = 0) {
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        if (view.graph[v].func == func && view.graph[v].update == update) {
            return v;
        }
    }
    ADD_FAILURE() << "no stage " << func << ", update " << update;
    return 0;
}

inline const Stage &stage(const PipelineView &view, const std::string &func, int update = 0) {
    return view.graph[vertex(view, func, update)];
}

/// All edges between two definitions, in the order in which the graph holds them.
inline std::vector<Read> reads(const PipelineView &view, Vertex producer, Vertex consumer) {
    std::vector<Read> found;
    for (const Edge &e : edges_in_order(view.graph)) {
        if (source(e, view.graph) == producer && target(e, view.graph) == consumer) {
            found.push_back(view.graph[e]);
        }
    }
    return found;
}

inline std::vector<Read> reads(const PipelineView &view, const std::string &producer, const std::string &consumer) {
    return reads(view, vertex(view, producer), vertex(view, consumer));
}

/// Planned without the check of the lowered statement, which the tests that compile do again anyway.
inline Planned planned(const std::vector<Halide::Func> &outputs, const std::string &variant = "fused",
                       bool verify = false, const Halide::Target &target = cuda()) {
    Options options;
    options.variant = variant;
    options.verify = verify;
    return plan_pipeline(functions(outputs), target, options, "tested");
}

/// The kernels of some PTX, each from its ".entry" on.
inline std::vector<std::string> entries(const std::string &ptx) {
    std::vector<std::string> result;
    for (size_t at = ptx.find(".entry"); at != std::string::npos;) {
        const size_t next = ptx.find(".entry", at + 1);
        result.push_back(ptx.substr(at, next == std::string::npos ? next : next - at));
        at = next;
    }
    return result;
}

/// How often a regular expression matches.
int count_matches(const std::string &text, const std::string &pattern);

/// The message of the UserError that `act` throws; fails the test when it throws none.
template<typename Act>
std::string user_error(Act act) {
    try {
        act();
    } catch (const UserError &e) {
        return e.what();
    }
    ADD_FAILURE() << "expected a UserError";
    return "";
}

}  // namespace fusion::testing

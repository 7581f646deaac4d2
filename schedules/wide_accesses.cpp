#include "schedules/wide_accesses.h"

#include <algorithm>
#include <map>
#include <set>

namespace fusion {
namespace {

#include "schedules/wide_accesses.inc"

}  // namespace

bool has_narrow_elements(const PipelineView &view) {
    const auto [begin, end] = vertices(view.graph);
    return std::any_of(begin, end, [&](Vertex v) {
        const std::vector<int> &bytes = view.graph[v].element_bytes;
        return std::any_of(bytes.begin(), bytes.end(), [](int b) { return b < 4; });
    });
}

Halide::Internal::Stmt with_wide_accesses(const Halide::Internal::Stmt &stmt) {
    return WideAccesses().mutate(stmt);
}

void use_wide_accesses(Halide::Pipeline pipeline, const PipelineView &view) {
    if (has_narrow_elements(view)) {
        pipeline.add_custom_lowering_pass(new WideAccesses);
    }
}

std::string wide_accesses_source() {
    return
#include "wide_accesses_source.inc"
        ;
}

}  // namespace fusion

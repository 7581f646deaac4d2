#include "fusion/halide/reference.h"

namespace fusion {

void schedule_reference(const PipelineView &view) {
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const Stage &stage = view.graph[v];
        if (stage.role != Role::Input && !stage.unbounded) {
            Halide::Func(view.sources[stage.func_id].function).compute_root();
        }
    }
}

}  // namespace fusion

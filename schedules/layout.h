#pragma once
/// The conditions under which wide accesses are provably aligned, for the specialised branches.
#include <optional>

#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/condition.h"

namespace fusion {

/// How a branch walks memory: `flattened` leading dimensions (in memory order) as one loop, split in vectors.
struct Layout {
    int flattened = 1;
    int vector = 4;
    bool whole_vectors = false;  ///< the loop's length must be a multiple of the vector (no guarded vectors)
};

/// Facts about every buffer of a kernel that streams; nullopt where nothing the caller can test would prove the layout.
std::optional<Condition> layout_condition(const PipelineView &view, const Group &group, const Layout &layout);

/// The output's extents, in all the dimensions given, are at least `least`; nullopt where they cannot be told from the
/// buffers of the caller.
std::optional<Condition> size_condition(const PipelineView &view, Vertex output, const std::vector<int> &dims,
                                        int least);

/// Leading dimensions that may be flattened into one loop: all when every buffer is read at the kernel's own point and
/// belongs to the caller; else 1.
int most_flattened(const PipelineView &view, const Group &group);

}  // namespace fusion

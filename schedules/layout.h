#pragma once
/// The conditions under which wide accesses are provably aligned, for the specialised branches.
#include <map>
#include <optional>

#include "fusion/halide/read_pipeline.h"
#include "fusion/plan.h"
#include "schedules/condition.h"
#include "schedules/row_threads.h"

namespace fusion {

/// How a branch walks memory: `flattened` leading dimensions (in memory order) as one loop, split in vectors.
struct Layout {
    int flattened = 1;
    int vector = 4;
    bool whole_vectors = false;  ///< the loop's length must be a multiple of the vector (no guarded vectors)
};

/// Buffers of the caller behind a stage: an input, or each element of an output; none where the pipeline allocates it.
std::vector<BufferRef> external_buffers(const PipelineView &view, Vertex v);

/// The user fixed the stride of the dimension to 1.
bool has_unit_stride(const PipelineView &view, const BufferRef &buffer, int dim);

/// Facts about every buffer of a kernel that streams; nullopt where nothing the caller can test would prove the layout.
std::optional<Condition> layout_condition(const PipelineView &view, const Group &group, const Layout &layout);

/// The stage's region has at least these points, by dimension; nullopt where that cannot be told from the buffers of the
/// caller.
std::optional<Condition> size_condition(const PipelineView &view, Vertex stage, const std::map<int, int64_t> &least);

/// The stage's dimension begins at the phase of its estimate and ends before the next: of what remainder the outputs that
/// decide it are.
Condition phase_condition(const PipelineView &view, Vertex stage, int dim, int64_t modulus);

/// The outputs that pin that dimension of the stage lie there as they do in the estimates.
Condition estimate_condition(const PipelineView &view, Vertex stage, int dim);

/// The kernel of a block that reduces runs at the sizes of the estimates: those of the rows that the output walks and that
/// its reductions need; with vectors, the rows are aligned too. nullopt where no buffer of the caller shows it.
std::optional<Condition> row_condition(const PipelineView &view, const Group &group);

/// The rows that such a kernel walks are of any length from `least` elements on in whole vectors, and aligned. nullopt where
/// no buffer of the caller shows it, or the tile has no vectors.
std::optional<Condition> whole_vectors_condition(const PipelineView &view, const Group &group, int64_t least);

/// How many threads share a row of such a kernel, from its width. nullopt where the number is the tile's: a warp or less,
/// pieces of a row in blocks of their own, Tuples, slices, columns, or rows whose width no buffer of the caller shows.
std::optional<RowThreads> row_threads(const PipelineView &view, const Group &group);

/// Leading dimensions that may be flattened into one loop: all when every buffer is read at the kernel's own point and
/// belongs to the caller, and nobody reads the output; else 1.
int most_flattened(const PipelineView &view, const Group &group);

}  // namespace fusion

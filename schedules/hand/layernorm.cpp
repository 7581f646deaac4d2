/// A block of 256 threads a row: the sum, then the sum of squares around the mean, then the normalised row, over two inputs
/// that stay in the L1.
#include "schedules/hand/block_rows.h"

namespace fusion {

int schedule_layernorm(const HandPipeline &pipeline) {
    const Halide::Func output = pipeline.func("output");
    const Halide::Var row("row");
    reduce_by_block(pipeline.func("row_sum"), output, row);
    reduce_by_block(pipeline.func("squares"), output, row);
    walk_by_block(output, pipeline, row);
    return 1;
}

}  // namespace fusion

/// A block of 256 threads a row: the maximum, then the sum of exponentials, then the quotients, over a row that stays in
/// the L1.
#include "schedules/hand/block_rows.h"

namespace fusion {

int schedule_softmax(const HandPipeline &pipeline) {
    const Halide::Func output = pipeline.func("output");
    const Halide::Var row("row");
    reduce_by_block(pipeline.func("row_max"), output, row);
    reduce_by_block(pipeline.func("total"), output, row);
    walk_by_block(output, pipeline, row);
    return 1;
}

}  // namespace fusion

#pragma once
/// Schedules that an expert wrote for generators of the project, one a file: what the planner's are measured against.
///
/// They belong to their generator, so they know its Funcs and buffers by the names it gives them. The planner never looks
/// here.
#include <Halide.h>
#include <map>
#include <string>
#include <vector>

#include "fusion/halide/read_pipeline.h"

namespace fusion {

/// A buffer of the caller, in expressions that a specialised branch may ask for.
struct HandBuffer {
    Halide::Parameter parameter;

    Halide::Expr min(int dim) const;
    Halide::Expr extent(int dim) const;
    Halide::Expr stride(int dim) const;
    /// Rows can be read in accesses of 16 bytes: they begin aligned on the device and `count` elements fill such an access.
    Halide::Expr has_aligned_rows(int count) const;
};

/// What a hand schedule works on: a generator's pipeline by the generator's names. Each throws InternalError for a name that
/// the generator does not have.
class HandPipeline {
public:
    explicit HandPipeline(const PipelineView &view);

    Halide::Func func(const std::string &name) const;
    bool has_func(const std::string &name) const;
    HandBuffer input(const std::string &name) const;
    HandBuffer output(const std::string &name) const;

private:
    std::map<std::string, Halide::Func> funcs;
    std::map<std::string, HandBuffer> inputs, outputs;
};

struct HandSchedule {
    const char *generator;
    int (*apply)(const HandPipeline &pipeline);  ///< returns how many launches a call makes
};

/// Generators that have one, sorted.
std::vector<std::string> hand_scheduled();

/// Throws UserError, with those there are, where the generator has none.
const HandSchedule &hand_schedule_of(const std::string &generator);

int schedule_blur3x3(const HandPipeline &pipeline);
int schedule_conv_relu(const HandPipeline &pipeline);
int schedule_harris(const HandPipeline &pipeline);
int schedule_layernorm(const HandPipeline &pipeline);
int schedule_local_laplacian(const HandPipeline &pipeline);
int schedule_pointwise_chain(const HandPipeline &pipeline);
int schedule_softmax(const HandPipeline &pipeline);
int schedule_transpose_sandwich(const HandPipeline &pipeline);

}  // namespace fusion

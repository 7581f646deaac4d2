/// What the planner says of each generator, word for word. FUSION_UPDATE_GOLDEN=1 in the environment writes the files anew;
/// read the difference before committing it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "fusion/write_file.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

class Golden : public testing::TestWithParam<const char *> {};

TEST_P(Golden, ExplainTextIsAsWritten) {
    const std::string name = GetParam();
    const Built built = generator(name)();
    const Halide::Target target("host-cuda-cuda_capability_80");
    Options options;
    options.verify = false;  // estimated registers, nothing lowered: the same on every machine
    const Planned planned = plan_pipeline(functions_of(built.pipeline), target, options, name);
    const std::string said = explain_text(planned.explained());
    const std::string file = std::string(FUSION_GOLDEN_DIR) + "/" + name + ".txt";
    if (std::getenv("FUSION_UPDATE_GOLDEN")) {
        write_file(file, said);
    }
    ASSERT_TRUE(std::filesystem::exists(file)) << "run with FUSION_UPDATE_GOLDEN=1 to write " << file;
    EXPECT_EQ(said, read_file(file)) << "if this is meant, run with FUSION_UPDATE_GOLDEN=1 and commit the difference";
}

INSTANTIATE_TEST_SUITE_P(Generators, Golden,
                         testing::Values("pointwise_chain", "bias_gelu_residual", "cheap_fanout", "dear_fanout",
                                         "broadcast_chain", "transpose_sandwich", "multi_output", "small_branches",
                                         "mixed_types", "deep_chain", "long_live_range", "softmax", "layernorm",
                                         "column_mean", "variance_rows", "total_sum"),
                         [](const auto &info) { return std::string(info.param); });

}  // namespace
}  // namespace fusion

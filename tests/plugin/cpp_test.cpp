/// The plugin loaded into a program: load_plugin and apply_autoscheduler; and a library that add_halide_library made.
#include <Halide.h>

#include "fused_chain.h"
#include "tests/plugin/process.h"
#include "tests/plugin/statement.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::contains;

class PluginInCpp : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    const Target cuda{"x86-64-linux-cuda-cuda_capability_80-no_runtime"};
    ImageParam in{Float(32), 2, "in"};
    Func producer{"producer"}, output{"output"};

    static void SetUpTestSuite() { load_plugin(TEST_PLUGIN); }
    void SetUp() override {
        producer(x, y) = in(x, y) + 1;
        output(x, y) = producer(x, y) * 2;
        output.set_estimates({{0, 4096}, {0, 4096}});
    }

    std::string message_of(Pipeline pipeline, const Target &target,
                           const std::map<std::string, std::string> &options = {}) const {
        try {
            pipeline.apply_autoscheduler(target, AutoschedulerParams("Fusion", options));
        } catch (const Halide::CompileError &e) {
            return e.what();
        }
        ADD_FAILURE() << "expected a CompileError";
        return "";
    }

    static std::string statement(Pipeline pipeline, const Target &target) {
        return testing::statement_of(pipeline, pipeline.infer_arguments(), target);
    }
};

TEST_F(PluginInCpp, schedules_a_pipeline_and_returns_the_source) {
    Pipeline pipeline(output);
    const AutoSchedulerResults results = pipeline.apply_autoscheduler(cuda, AutoschedulerParams("Fusion"));
    EXPECT_TRUE(contains(results.schedule_source, "gpu_threads")) << results.schedule_source;
    const std::string text = statement(pipeline, cuda);
    EXPECT_TRUE(contains(text, "gpu_block")) << text;
    EXPECT_FALSE(contains(text, "allocate producer")) << text;
}

TEST_F(PluginInCpp, takes_options) {
    const testing::Folder folder;
    Pipeline pipeline(output);
    pipeline.apply_autoscheduler(
        cuda, AutoschedulerParams("Fusion", {{"variant", "unfused"}, {"explain", folder.file("plan.txt")}}));
    EXPECT_TRUE(contains(statement(pipeline, cuda), "allocate producer"));
    EXPECT_TRUE(contains(testing::contents(folder.file("plan.txt")), "variant unfused"));
}

TEST_F(PluginInCpp, throws_nothing_but_halides_own_exceptions) {
    EXPECT_TRUE(contains(message_of(Pipeline(output), cuda, {{"no_such", "1"}}),
                         "Valid options: device, explain, max_registers"));
    EXPECT_TRUE(contains(message_of(Pipeline(output), Target("x86-64-linux")), "neither CUDA nor OpenCL"));
    Func small("small");
    small(x) = cast<float>(x);
    EXPECT_TRUE(contains(message_of(Pipeline(small), cuda), "\"small\" has no estimate for dimension 0 (x)"));
    Func narrow("narrow");
    narrow(x) = cast<bfloat16_t>(x);
    narrow.set_estimate(x, 0, 1 << 20);
    EXPECT_TRUE(contains(message_of(Pipeline(narrow), cuda), "bfloat16"));
}

TEST_F(PluginInCpp, leaves_a_pipeline_that_it_refuses_as_it_was) {
    Pipeline pipeline(output);
    message_of(pipeline, cuda, {{"no_such", "1"}});
    EXPECT_NO_THROW(pipeline.apply_autoscheduler(cuda, AutoschedulerParams("Fusion")));
}

TEST_F(PluginInCpp, keeps_the_loops_of_a_func_that_the_user_scheduled) {
    Func after("after");
    after(x, y) = output(x, y) - 3;
    after.set_estimates({{0, 4096}, {0, 4096}});
    output.compute_root().gpu_tile(x, y, Var("bx"), Var("by"), Var("tx"), Var("ty"), 16, 4);
    Pipeline pipeline(after);
    const auto results = pipeline.apply_autoscheduler(cuda, AutoschedulerParams("Fusion"));
    const std::string text = statement(pipeline, cuda);
    EXPECT_TRUE(contains(text, "allocate output")) << text;
    EXPECT_TRUE(contains(text, "gpu_block<CUDA> (output.s0.x.bx")) << text;
    EXPECT_FALSE(contains(text, "allocate producer")) << text;
    EXPECT_FALSE(contains(results.schedule_source, "compute_root")) << results.schedule_source;
}

TEST_F(PluginInCpp, names_the_explanation_alike_when_the_pipeline_is_built_again) {
    const testing::Folder folder;
    std::vector<std::string> texts;
    for (int i = 0; i < 2; i++) {
        Func again("again");
        again(x, y) = in(x, y) + 1;
        again.set_estimates({{0, 4096}, {0, 4096}});
        Pipeline(again).apply_autoscheduler(cuda,
                                            AutoschedulerParams("Fusion", {{"explain", folder.file("plan.txt")}}));
        texts.push_back(testing::contents(folder.file("plan.txt")));
    }
    EXPECT_EQ(texts[0], texts[1]);
    EXPECT_TRUE(contains(texts[0], "again on H200")) << texts[0];
}

TEST(AddHalideLibrary, makes_a_cuda_library_with_the_planners_schedule) {
    const halide_filter_metadata_t &metadata = *fused_chain_metadata();
    EXPECT_TRUE(contains(metadata.target, "cuda"));
    EXPECT_EQ(metadata.num_arguments, 4);
    // Not called: it would load the CUDA driver. Naming it makes the linker resolve all that it needs.
    int (*volatile function)(halide_buffer_t *, halide_buffer_t *, halide_buffer_t *, halide_buffer_t *) = fused_chain;
    EXPECT_NE(function, nullptr);
    const std::string source = testing::contents(TEST_LIBRARY_SCHEDULE);
    EXPECT_TRUE(contains(source, "gpu_blocks(") && contains(source, "specialize(")) << source;
}

}  // namespace
}  // namespace fusion

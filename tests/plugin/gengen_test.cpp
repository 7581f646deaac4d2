/// The plugin behind gengen's command line.
#include <nlohmann/json.hpp>

#include "tests/plugin/process.h"

namespace fusion {
namespace {

using testing::contains;
using testing::Ended;
using testing::Folder;

const std::string kCuda = "x86-64-linux-cuda-cuda_capability_80-no_runtime";

Ended gengen(const Folder &folder, const std::string &arguments, const std::string &target = kCuda,
             const std::string &emit = "schedule,stmt", const std::string &environment = "") {
    return testing::run(environment + " " TEST_GENGEN " -g pointwise_chain -f chain -o " + folder.path.string() +
                        " -e " + emit + " -p " TEST_PLUGIN " autoscheduler=Fusion target=" + target + " " + arguments);
}

TEST(Gengen, writes_a_gpu_schedule_and_its_source) {
    const Folder folder;
    const Ended ended = gengen(folder, "");
    ASSERT_EQ(ended.status, 0) << ended.output;
    EXPECT_EQ(ended.output, "") << "a plugin says nothing when all is well";
    const std::string source = testing::contents(folder.file("chain.schedule.h"));
    EXPECT_TRUE(contains(source, "gpu_blocks(")) << source;
    EXPECT_TRUE(contains(source, "specialize(")) << source;
    EXPECT_FALSE(contains(source, "compute_root(")) << "one kernel: " << source;
    EXPECT_TRUE(contains(testing::contents(folder.file("chain.stmt")), "halide_cuda_run("));
}

TEST(Gengen, explains_as_text) {
    const Folder folder;
    const Ended ended = gengen(folder, "autoscheduler.explain=" + folder.file("plan.txt"), kCuda, "schedule");
    ASSERT_EQ(ended.status, 0) << ended.output;
    const std::string plan = testing::contents(folder.file("plan.txt"));
    EXPECT_TRUE(contains(plan, "kernel 1: output")) << plan;
    EXPECT_TRUE(contains(plan, "sum (inlined)")) << plan;
    EXPECT_TRUE(contains(plan, "compulsory bytes")) << plan;
}

TEST(Gengen, explains_as_json_and_takes_a_device) {
    const Folder folder;
    const Ended ended = gengen(folder, "autoscheduler.device=L40S autoscheduler.explain=" + folder.file("plan.json"),
                               kCuda, "schedule");
    ASSERT_EQ(ended.status, 0) << ended.output;
    const auto plan = nlohmann::json::parse(testing::contents(folder.file("plan.json")));
    EXPECT_EQ(plan.at("schema"), 1);
    EXPECT_EQ(plan.at("device"), "L40S");
    EXPECT_EQ(plan.at("kernels").size(), 1u);
    EXPECT_EQ(plan.at("totals").at("planned").at("launches"), 1);
    EXPECT_EQ(plan.at("totals").at("unfused").at("launches"), 3);
}

TEST(Gengen, takes_a_variant) {
    const Folder folder;
    ASSERT_EQ(gengen(folder, "autoscheduler.variant=unfused", kCuda, "schedule").status, 0);
    EXPECT_TRUE(contains(testing::contents(folder.file("chain.schedule.h")), "compute_root("));
}

TEST(Gengen, refuses_an_unknown_option_and_lists_the_valid_ones) {
    const Folder folder;
    const Ended ended = gengen(folder, "autoscheduler.explian=" + folder.file("plan.txt"));
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(contains(ended.output, "\"explian\"")) << ended.output;
    EXPECT_TRUE(contains(ended.output, "did you mean \"explain\"")) << ended.output;
    for (const char *option : {"device", "explain", "max_registers"}) {
        EXPECT_TRUE(contains(ended.output, option)) << option << ": " << ended.output;
    }
    EXPECT_TRUE(folder.is_empty()) << "no output file is left";
}

TEST(Gengen, refuses_a_bad_value_and_says_which_are_good) {
    const Folder folder;
    const Ended ended = gengen(folder, "autoscheduler.max_registers=lots");
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(contains(ended.output, "max_registers=lots") && contains(ended.output, "16 to 255")) << ended.output;
    const Ended device = gengen(folder, "autoscheduler.device=abacus");
    EXPECT_NE(device.status, 0);
    EXPECT_TRUE(contains(device.output, "abacus") && contains(device.output, "A100")) << device.output;
    EXPECT_TRUE(folder.is_empty());
}

TEST(Gengen, refuses_a_target_without_a_gpu) {
    const Folder folder;
    const Ended ended = gengen(folder, "", "x86-64-linux");
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(contains(ended.output, "neither CUDA nor OpenCL") && contains(ended.output, "x86-64-linux"))
        << ended.output;
    EXPECT_TRUE(folder.is_empty());
}

TEST(Gengen, says_where_an_explanation_cannot_be_written) {
    const Folder folder;
    const Ended ended = gengen(folder, "autoscheduler.explain=/nowhere/plan.txt");
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(contains(ended.output, "/nowhere/plan.txt")) << ended.output;
    EXPECT_TRUE(folder.is_empty());
}

/// A copy of libHalide whose build id begins with another byte.
void copy_with_another_build_id(const Folder &folder) {
    const std::string notes = testing::run("readelf -n " TEST_LIBHALIDE).output;
    const size_t at = notes.find("Build ID: ");
    ASSERT_NE(at, std::string::npos) << notes;
    std::string id;
    for (size_t i = at + 10; std::isxdigit((unsigned char)notes[i]); i += 2) {
        id += (char)std::stoi(notes.substr(i, 2), nullptr, 16);
    }
    std::string library = testing::contents(TEST_LIBHALIDE);
    const size_t place = library.find(id);
    ASSERT_NE(place, std::string::npos);
    library[place] ^= 0x55;
    std::ofstream(folder.file("libHalide.so")) << library;
}

TEST(Gengen, says_so_when_it_is_another_libhalide_than_the_plugin_was_built_for) {
    const Folder libraries, folder;
    copy_with_another_build_id(libraries);
    const Ended ended = gengen(folder, "", kCuda, "schedule", "LD_LIBRARY_PATH=" + libraries.path.string());
    EXPECT_NE(ended.status, 0);
    EXPECT_TRUE(contains(ended.output, "was built for libHalide 21.0.0")) << ended.output;
    EXPECT_TRUE(contains(ended.output, "loaded into " + libraries.file("libHalide.so"))) << ended.output;
    EXPECT_TRUE(folder.is_empty());
}

}  // namespace
}  // namespace fusion

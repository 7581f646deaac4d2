#include "fusion/process.h"

#include <gtest/gtest.h>

#include "fusion/error.h"

namespace fusion {
namespace {

TEST(RunProcess, gives_status_and_both_outputs) {
    const Finished done = run_process({"sh", "-c", "echo out; echo err >&2; exit 3"});
    EXPECT_EQ(done.status, 3);
    EXPECT_EQ(done.output, "out\nerr\n");
    EXPECT_FALSE(done.timed_out);
}

TEST(RunProcess, names_what_is_not_there) {
    try {
        run_process({"no-such-program-anywhere"});
        FAIL();
    } catch (const UserError &e) {
        EXPECT_NE(std::string(e.what()).find("no-such-program-anywhere"), std::string::npos);
    }
}

TEST(RunProcess, kills_what_takes_too_long) {
    const Finished done = run_process({"sh", "-c", "echo begun; exec sleep 30"}, {.seconds = 0.5});
    EXPECT_TRUE(done.timed_out);
    EXPECT_EQ(done.output, "begun\n");
    EXPECT_LT(done.seconds, 10);
    EXPECT_EQ(done.status, 128 + 9);
}

TEST(RunProcess, within_its_time_is_not_killed) {
    const Finished done = run_process({"sh", "-c", "sleep 0.1; echo after"}, {.seconds = 30});
    EXPECT_FALSE(done.timed_out);
    EXPECT_EQ(done.output, "after\n");
}

TEST(RunProcess, refuses_memory_beyond_the_limit) {
    const std::vector<std::string> words = {"sh", "-c", "sleep 0.2; head -c 300000000 /dev/zero | sort | wc -c"};
    EXPECT_NE(run_process(words, {.bytes = 100 << 20}).output.find("emory"), std::string::npos);
}

TEST(RunProcess, adds_to_the_environment) {
    EXPECT_EQ(run_process({"sh", "-c", "echo $FUSION_TEST_WORD"}, {}, {"FUSION_TEST_WORD=blue"}).output, "blue\n");
}

}  // namespace
}  // namespace fusion

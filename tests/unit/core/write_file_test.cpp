#include "fusion/write_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <set>

#include "fusion/error.h"

namespace fusion {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

class WriteFile : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "write_file_test_XXXXXX").string();
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }
    std::string path(const std::string &name) const { return (folder / name).string(); }
    std::set<std::string> names() const {
        std::set<std::string> found;
        for (const auto &entry : std::filesystem::directory_iterator(folder)) {
            found.insert(entry.path().filename().string());
        }
        return found;
    }
    std::filesystem::path folder;
};

TEST_F(WriteFile, WhatWasWrittenIsReadBackByteForByte) {
    const std::string content("a\0b\r\n\xff", 6);
    write_file(path("file"), content);
    EXPECT_EQ(read_file(path("file")), content);
    EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteFile, AnOlderFileIsReplacedWhole) {
    write_file(path("file"), "a long first content");
    write_file(path("file"), "short");
    EXPECT_EQ(read_file(path("file")), "short");
    EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteFile, EmptyContentMakesAnEmptyFile) {
    write_file(path("file"), "");
    EXPECT_EQ(read_file(path("file")), "");
    EXPECT_THAT(names(), ElementsAre("file"));
}

TEST_F(WriteFile, AMissingFolderIsAnErrorThatNamesThePathAndTheReason) {
    EXPECT_THAT([&] { write_file(path("none/file"), "x"); },
                ThrowsMessage<UserError>(AllOf(HasSubstr(path("none/file")), HasSubstr("No such file or directory"))));
    EXPECT_THAT(names(), IsEmpty());
}

TEST_F(WriteFile, AFolderInItsPlaceIsAnErrorAndLeavesNoPartialFile) {
    std::filesystem::create_directory(folder / "taken");
    EXPECT_THAT([&] { write_file(path("taken"), "x"); }, ThrowsMessage<UserError>(HasSubstr("Is a directory")));
    EXPECT_THAT(names(), ElementsAre("taken"));
}

TEST_F(WriteFile, AWriteThatFailsHalfWayLeavesTheOlderFileAndNoPartialOne) {
    write_file(path("file"), "old");
    rlimit before{};
    ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
    const auto handler = std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small{4096, before.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
    std::string message;
    try {
        write_file(path("file"), std::string(1 << 20, 'x'));
    } catch (const UserError &error) {
        message = error.what();
    }
    setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
    EXPECT_THAT(message, AllOf(HasSubstr(path("file")), HasSubstr("File too large")));
    EXPECT_EQ(read_file(path("file")), "old");
    EXPECT_THAT(names(), ElementsAre("file"));
}

// /dev/stdout is such a file; replacing it would break the machine for everyone when run as root.
TEST_F(WriteFile, APipeIsWrittenToAndNotReplaced) {
    ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
    const int reader = open(path("pipe").c_str(), O_RDWR | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    write_file(path("pipe"), "hello");
    char buffer[16] = {};
    EXPECT_EQ(read(reader, buffer, sizeof(buffer)), 5);
    EXPECT_STREQ(buffer, "hello");
    close(reader);
    EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
    EXPECT_THAT(names(), ElementsAre("pipe"));
}

TEST_F(WriteFile, ReadingAMissingFileOrAFolderIsAnErrorThatSaysWhich) {
    EXPECT_THAT([&] { (void)read_file(path("none")); },
                ThrowsMessage<UserError>(AllOf(HasSubstr(path("none")), HasSubstr("No such file or directory"))));
    EXPECT_THAT([&] { (void)read_file(folder.string()); }, ThrowsMessage<UserError>(HasSubstr("folder")));
}

}  // namespace
}  // namespace fusion

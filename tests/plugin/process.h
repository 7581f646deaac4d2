#pragma once
/// Running other people's programs: what they say and how they end.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

namespace fusion::testing {

struct Ended {
    int status = -1;
    std::string output;  ///< stdout and stderr
};

/// Runs a shell command.
Ended run(const std::string &command);

/// What `work` returns in a process of its own that starts as this one is: Halide numbers names through a whole process, and
/// two that start alike number alike. Fails the test where the process does not end well.
std::string in_a_child(const std::function<std::string()> &work);

/// A folder that is gone with its object.
struct Folder {
    std::filesystem::path path;
    Folder();
    ~Folder();
    Folder(const Folder &) = delete;
    Folder &operator=(const Folder &) = delete;
    std::string file(const std::string &name) const { return (path / name).string(); }
    bool is_empty() const { return std::filesystem::is_empty(path); }
};

std::string contents(const std::string &file);

inline bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

}  // namespace fusion::testing

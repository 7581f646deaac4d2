#pragma once
/// Folders that leave nothing behind.
#include <filesystem>
#include <string>
#include <vector>

namespace fusion {

/// A temporary folder that is gone with its object.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    std::string file(const std::string &name) const { return (path / name).string(); }

private:
    std::filesystem::path path;
};

/// Files are made in a folder inside the wanted one and moved up when all of them are there; whatever happens before that,
/// the wanted folder is as it was, or is not there if it was not.
class StagingFolder {
public:
    /// Throws UserError naming the folder and the system's reason.
    explicit StagingFolder(const std::filesystem::path &wanted);
    ~StagingFolder();
    StagingFolder(const StagingFolder &) = delete;
    StagingFolder &operator=(const StagingFolder &) = delete;

    std::string file(const std::string &name) const { return (made / name).string(); }
    std::string folder() const { return made.string(); }
    /// Moves the files up and returns their paths, sorted. Throws UserError where one cannot replace what is there.
    std::vector<std::string> publish();

private:
    std::filesystem::path wanted, made;
    std::filesystem::path first_new;  ///< outermost folder that was not there before; empty: none, or keep it
};

}  // namespace fusion

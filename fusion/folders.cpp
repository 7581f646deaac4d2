#include "fusion/folders.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "fusion/error.h"

namespace fusion {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "halide-fusion-XXXXXX").string();
    if (!mkdtemp(name.data())) {
        throw UserError("Cannot make folder \"" + name + "\": " + std::strerror(errno) + ". Next step: set TMPDIR.");
    }
    path = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

StagingFolder::StagingFolder(const fs::path &folder)
    : wanted(fs::absolute(folder).lexically_normal()), made(wanted / (".partial-" + std::to_string(getpid()))) {
    std::error_code error;
    for (fs::path p = wanted; !fs::exists(p, error) && !p.empty() && p != p.parent_path(); p = p.parent_path()) {
        first_new = p;
    }
    fs::create_directories(made, error);
    if (error) {
        std::error_code ignored;
        fs::remove_all(first_new, ignored);
        throw UserError("Cannot make files in folder \"" + folder.string() + "\": " + error.message() +
                        ". Next step: give -o a folder that you can write to.");
    }
}

StagingFolder::~StagingFolder() {
    std::error_code ignored;
    fs::remove_all(made, ignored);
    if (!first_new.empty()) {
        fs::remove_all(first_new, ignored);
    }
}

std::vector<std::string> StagingFolder::publish() {
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(made)) {
        const fs::path target = wanted / entry.path().filename();
        if (fs::is_directory(target)) {
            throw UserError("\"" + target.string() +
                            "\" is a folder, where a file is to be written. Next step: remove it.");
        }
        files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    std::vector<std::string> written;
    for (const fs::path &file : files) {
        const fs::path target = wanted / file.filename();
        std::error_code error;
        fs::rename(file, target, error);
        if (error) {
            throw UserError("Cannot write \"" + target.string() + "\": " + error.message() + ".");
        }
        written.push_back(target.string());
    }
    first_new.clear();
    return written;
}

}  // namespace fusion

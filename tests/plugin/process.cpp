#include "tests/plugin/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace fusion::testing {

namespace fs = std::filesystem;

Ended run(const std::string &command) {
    Ended ended;
    std::array<char, 4096> buffer{};
    FILE *pipe = popen((command + " 2>&1").c_str(), "r");
    while (const size_t count = pipe ? fread(buffer.data(), 1, buffer.size(), pipe) : 0) {
        ended.output.append(buffer.data(), count);
    }
    const int status = pipe ? pclose(pipe) : -1;
    ended.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return ended;
}

std::string in_a_child(const std::function<std::string()> &work) {
    const Folder folder;
    const pid_t child = fork();
    if (child == 0) {
        try {
            std::ofstream(folder.file("result")) << work();
        } catch (...) {
            _exit(1);
        }
        _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child ended with status " << status;
    return contents(folder.file("result"));
}

Folder::Folder() {
    std::string name = (fs::temp_directory_path() / "plugin-test-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path = name;
}

Folder::~Folder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
}

std::string contents(const std::string &file) {
    std::ifstream stream(file);
    EXPECT_TRUE(stream) << file;
    return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace fusion::testing

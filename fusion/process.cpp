#include "fusion/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "fusion/error.h"

extern char **environ;

namespace fusion {

Finished run_process(const std::vector<std::string> &words) {
    std::vector<char *> arguments;
    for (const std::string &word : words) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw UserError("Cannot run \"" + words[0] + "\": " + std::strerror(errno) + ".");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    Finished finished;
    if (error != 0) {
        close(ends[0]);
        throw UserError("Cannot run \"" + words[0] + "\": " + std::strerror(error) + ".");
    }
    char buffer[4096];
    ssize_t count = 0;
    while ((count = read(ends[0], buffer, sizeof(buffer))) > 0 || (count < 0 && errno == EINTR)) {
        finished.output.append(buffer, count > 0 ? (size_t)count : 0);
    }
    close(ends[0]);
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return finished;
}

}  // namespace fusion

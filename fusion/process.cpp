#include "fusion/process.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "fusion/error.h"

extern char **environ;

namespace fusion {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<char *> pointers_to(const std::vector<std::string> &words) {
    std::vector<char *> pointers;
    for (const std::string &word : words) {
        pointers.push_back(const_cast<char *>(word.c_str()));
    }
    pointers.push_back(nullptr);
    return pointers;
}

/// Starts it; its output comes out of `ends`.
pid_t start(const std::vector<std::string> &words, const std::vector<std::string> &environment, int (&ends)[2]) {
    const std::vector<char *> arguments = pointers_to(words);
    std::vector<std::string> variables = environment;
    for (char **variable = environ; *variable; variable++) {
        variables.emplace_back(*variable);  // behind those given: the first of a name counts
    }
    const std::vector<char *> all = pointers_to(variables);
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw UserError("Cannot run \"" + words[0] + "\": " + std::strerror(errno) + ".");
    }
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    pid_t child = 0;
    const int error = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), all.data());
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (error != 0) {
        close(ends[0]);
        throw UserError("Cannot run \"" + words[0] + "\": " + std::strerror(error) + ".");
    }
    return child;
}

/// Reads until the end or the deadline; true at the end.
bool read_until(int end, double seconds, std::string &output) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(seconds);
    for (;;) {
        int wait = -1;
        if (seconds > 0) {
            wait = (int)std::chrono::duration<double, std::milli>(deadline - Clock::now()).count();
            if (wait <= 0) {
                return false;
            }
        }
        pollfd readable{end, POLLIN, 0};
        const int ready = poll(&readable, 1, wait);
        if (ready <= 0) {
            if (ready < 0 && errno != EINTR) {
                return true;
            }
            continue;
        }
        char buffer[4096];
        const ssize_t count = read(end, buffer, sizeof(buffer));
        if (count == 0 || (count < 0 && errno != EINTR)) {
            return true;
        }
        output.append(buffer, count > 0 ? (size_t)count : 0);
    }
}

}  // namespace

Finished run_process(const std::vector<std::string> &words, const ProcessLimits &limits,
                     const std::vector<std::string> &environment) {
    int ends[2];
    const auto begin = Clock::now();
    const pid_t child = start(words, environment, ends);
    if (limits.bytes > 0) {
        const rlimit most{(rlim_t)limits.bytes, (rlim_t)limits.bytes};
        prlimit(child, RLIMIT_AS, &most, nullptr);  // fails only where it has ended already
    }
    Finished finished;
    finished.timed_out = !read_until(ends[0], limits.seconds, finished.output);
    close(ends[0]);
    if (finished.timed_out) {
        kill(child, SIGKILL);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    finished.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    return finished;
}

}  // namespace fusion

#include "fusion/write_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "fusion/error.h"

namespace fusion {

void write_file(const std::string &path, const std::string &content) {
    // A pipe or a terminal (/dev/stdout) is written to; renaming a file over it would replace it.
    std::error_code ignored;
    const auto type = std::filesystem::status(path, ignored).type();
    const bool is_stream = type == std::filesystem::file_type::fifo || type == std::filesystem::file_type::character;
    const std::string partial = is_stream ? path : path + ".partial-" + std::to_string(getpid());
    const auto fail = [&] {
        const std::string reason = std::strerror(errno);
        if (!is_stream) {
            std::remove(partial.c_str());
        }
        throw UserError("Cannot write \"" + path + "\": " + reason +
                        ". Next step: check the folder and its permissions.");
    };
    std::ofstream out(partial, std::ios::binary);
    if (!out || !(out << content) || !out.flush()) {
        fail();
    }
    out.close();
    if (!is_stream && std::rename(partial.c_str(), path.c_str()) != 0) {
        fail();
    }
}

std::string read_file(const std::string &path) {
    std::error_code ignored;
    std::ifstream in(path, std::ios::binary);
    if (!in || std::filesystem::is_directory(path, ignored)) {
        throw UserError("Cannot read \"" + path + "\": " + (in ? "it is a folder" : std::strerror(errno)) + ".");
    }
    std::ostringstream content;
    content << in.rdbuf();
    return content.str();
}

}  // namespace fusion

#pragma once
/// Files that are there whole or not at all.
#include <string>

namespace fusion {

/// Writes through a temporary file beside it; pipes and terminals are written to directly. Throws UserError naming the path and the system's reason.
void write_file(const std::string &path, const std::string &content);

/// Throws UserError naming the path and the system's reason.
std::string read_file(const std::string &path);

}  // namespace fusion

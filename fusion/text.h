#pragma once
/// Numbers and words as a person reads them.
#include <string>
#include <vector>

namespace fusion {

/// 1536 -> "1.5 KB", 805306368 -> "805.3 MB" (decimal units, as bandwidth is quoted).
std::string bytes_text(double bytes);
/// Microseconds: 4.6 -> "4.60 us", 12345 -> "12.3 ms".
std::string time_text(double microseconds);
/// 1234567 -> "1.2 M".
std::string count_text(double count);
/// Fixed number of decimals: (2.345, 2) -> "2.35".
std::string fixed(double value, int decimals);
/// {"a","b"} with ", " -> "a, b".
std::string join(const std::vector<std::string> &parts, const std::string &separator);
/// The valid word nearest to `word` by edit distance, or "" if none is near.
std::string nearest(const std::string &word, const std::vector<std::string> &valid);
/// The end of a text of many lines as one line of at most `most` characters.
std::string last_words(const std::string &text, size_t most);

}  // namespace fusion

#include "fusion/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace fusion {
namespace {

std::string scaled(double value, const std::array<const char *, 5> &units) {
    size_t unit = 0;
    const auto rounds_to_a_thousand = [&] { return std::abs(value) >= (unit == 0 ? 999.5 : 999.95); };
    while (rounds_to_a_thousand() && unit + 1 < units.size()) {
        value /= 1000;
        unit++;
    }
    return fixed(value, unit == 0 ? 0 : 1) + " " + units[unit];
}

int edit_distance(const std::string &a, const std::string &b) {
    std::vector<int> row(b.size() + 1);
    std::iota(row.begin(), row.end(), 0);
    for (size_t i = 1; i <= a.size(); i++) {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= b.size(); j++) {
            const int substituted = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            row[j] = std::min({substituted, row[j] + 1, row[j - 1] + 1});
        }
    }
    return row[b.size()];
}

}  // namespace

std::string bytes_text(double bytes) {
    return scaled(bytes, {"B", "KB", "MB", "GB", "TB"});
}

std::string count_text(double count) {
    std::string text = scaled(count, {"", "K", "M", "G", "T"});
    while (!text.empty() && text.back() == ' ') {
        text.pop_back();
    }
    return text;
}

std::string time_text(double microseconds) {
    if (microseconds >= 999.95) {
        return fixed(microseconds / 1000, microseconds >= 100000 ? 0 : microseconds >= 10000 ? 1 : 3) + " ms";
    }
    return fixed(microseconds, microseconds >= 100 ? 1 : 2) + " us";
}

std::string fixed(double value, int decimals) {
    char buffer[64];
    std::snprintf(buffer, sizeof(buffer), "%.*f", decimals, value);
    return buffer;
}

std::string join(const std::vector<std::string> &parts, const std::string &separator) {
    std::string text;
    for (size_t i = 0; i < parts.size(); i++) {
        text += (i == 0 ? "" : separator) + parts[i];
    }
    return text;
}

std::string nearest(const std::string &word, const std::vector<std::string> &valid) {
    std::string best;
    int least = std::max(2, (int)word.size() / 3) + 1;
    for (const std::string &candidate : valid) {
        if (const int distance = edit_distance(word, candidate); distance < least) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

std::string last_words(const std::string &text, size_t most) {
    std::string line;
    for (const char c : text) {
        const bool is_space = std::isspace((unsigned char)c);
        if (!is_space || (!line.empty() && line.back() != ' ')) {
            line += is_space ? ' ' : c;
        }
    }
    while (!line.empty() && line.back() == ' ') {
        line.pop_back();
    }
    return line.size() > most ? "..." + line.substr(line.size() - (most - 3)) : line;
}

}  // namespace fusion

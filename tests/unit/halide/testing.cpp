#include "tests/unit/halide/testing.h"

#include <regex>

namespace fusion::testing {

int count_matches(const std::string &text, const std::string &pattern) {
    const std::regex expression(pattern);
    return (int)std::distance(std::sregex_iterator(text.begin(), text.end(), expression), std::sregex_iterator());
}

}  // namespace fusion::testing

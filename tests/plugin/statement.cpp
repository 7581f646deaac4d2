#include "tests/plugin/statement.h"

#include <map>
#include <regex>
#include <sstream>

namespace fusion::testing {
namespace {

struct AsText : Halide::Internal::IRMutator {
    std::string text;
    using IRMutator::mutate;
    Halide::Internal::Stmt mutate(const Halide::Internal::Stmt &s) override {
        std::ostringstream out;
        out << s;
        text = out.str();
        return s;
    }
};

/// Common subexpressions are called t1, t2, ...: numbered anew in the order in which they appear.
std::string with_own_numbers(const std::string &text) {
    static const std::regex name("\\bt([0-9]+)\\b");
    std::map<std::string, int> numbers;
    std::string result;
    auto last = text.begin();
    for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match) {
        result.append(last, text.begin() + match->position());
        result += "t#" + std::to_string(numbers.emplace((*match)[1], (int)numbers.size()).first->second);
        last = text.begin() + match->position() + match->length();
    }
    return result.append(last, text.end());
}

}  // namespace

std::string statement_of(Halide::Pipeline pipeline, const std::vector<Halide::Argument> &arguments,
                         const Halide::Target &target) {
    AsText pass;
    pipeline.add_custom_lowering_pass(&pass, [] {});
    pipeline.compile_to_module(arguments, "pipeline", target);
    return with_own_numbers(std::regex_replace(pass.text, std::regex("\\$[0-9]+"), ""));
}

}  // namespace fusion::testing

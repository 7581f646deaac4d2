#pragma once
/// The answer of a rule: may these two share a kernel? A "no" carries its reason and is a result, never an error.
#include <string>
#include <utility>

namespace fusion {

class [[nodiscard]] Decision {
public:
    static Decision allow() { return Decision(true, ""); }
    static Decision forbid(std::string why) { return Decision(false, std::move(why)); }
    bool allowed() const { return allowed_; }
    /// Empty when allowed.
    const std::string &why() const { return why_; }

private:
    Decision(bool allowed, std::string why) : allowed_(allowed), why_(std::move(why)) {}
    bool allowed_;
    std::string why_;
};

}  // namespace fusion

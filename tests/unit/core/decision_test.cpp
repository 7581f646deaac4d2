#include "fusion/decision.h"

#include <gtest/gtest.h>

#include <type_traits>

namespace fusion {
namespace {

TEST(Decision, AllowHasNoReason) {
    const Decision yes = Decision::allow();
    EXPECT_TRUE(yes.allowed());
    EXPECT_EQ(yes.why(), "");
}

TEST(Decision, ForbidKeepsItsReason) {
    const Decision no = Decision::forbid("too dear");
    EXPECT_FALSE(no.allowed());
    EXPECT_EQ(no.why(), "too dear");
}

// A bool or a string that slipped in where a decision is meant would lose the reason or invert the answer.
TEST(Decision, IsNeverMadeByConversion) {
    static_assert(!std::is_convertible_v<bool, Decision>);
    static_assert(!std::is_convertible_v<const char *, Decision>);
    static_assert(!std::is_convertible_v<std::string, Decision>);
    static_assert(!std::is_constructible_v<Decision, bool>);
    static_assert(!std::is_convertible_v<Decision, bool>);
}

}  // namespace
}  // namespace fusion

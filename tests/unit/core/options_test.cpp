#include "fusion/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "fusion/error.h"

namespace fusion {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::Not;
using ::testing::ThrowsMessage;

TEST(Options, HaveDefaultsWhenNoneIsGiven) {
    const Options options = parse_options({});
    EXPECT_EQ(options.device, "H200");
    EXPECT_EQ(options.explain, "");
    EXPECT_EQ(options.max_registers, 0);
    EXPECT_EQ(options.variant, "fused");
    EXPECT_EQ(options.registers, "estimate");
    EXPECT_TRUE(options.verify);
}

TEST(Options, EachKeySetsItsValue) {
    const Options options = parse_options({{"device", "a100"},
                                           {"explain", "plan.json"},
                                           {"max_registers", "96"},
                                           {"variant", "unfused"},
                                           {"registers", "measure"},
                                           {"verify", "off"}});
    EXPECT_EQ(options.device, "A100");
    EXPECT_EQ(options.explain, "plan.json");
    EXPECT_EQ(options.max_registers, 96);
    EXPECT_EQ(options.variant, "unfused");
    EXPECT_EQ(options.registers, "measure");
    EXPECT_FALSE(options.verify);
}

TEST(Options, UnknownKeyNamesTheNearestAndAllValidOnes) {
    EXPECT_THAT(
        [] {
            parse_options({{"max_register", "64"}});
        },
        ThrowsMessage<UserError>(AllOf(HasSubstr("\"max_register\""), HasSubstr("did you mean \"max_registers\""),
                                       HasSubstr("device"), HasSubstr("explain"), HasSubstr("variant"),
                                       HasSubstr("verify"))));
}

TEST(Options, UnknownKeyFarFromAllSuggestsNone) {
    EXPECT_THAT(
        [] {
            parse_options({{"parallelism", "4"}});
        },
        ThrowsMessage<UserError>(AllOf(HasSubstr("Valid options"), Not(HasSubstr("did you mean")))));
}

TEST(Options, KeysAreCaseSensitive) {
    EXPECT_THAT(
        [] {
            parse_options({{"Device", "H200"}});
        },
        ThrowsMessage<UserError>(HasSubstr("did you mean \"device\"")));
}

TEST(Options, RegistersAreFrom16To255) {
    EXPECT_EQ(parse_options({{"max_registers", "16"}}).max_registers, 16);
    EXPECT_EQ(parse_options({{"max_registers", "255"}}).max_registers, 255);
    for (const std::string bad : {"15", "256", "-16", "", "64x", " 64", "6.4e1", "99999999999999999999"}) {
        EXPECT_THAT(
            [&] {
                parse_options({{"max_registers", bad}});
            },
            ThrowsMessage<UserError>(AllOf(HasSubstr("max_registers=" + bad), HasSubstr("16 to 255"))));
    }
}

TEST(Options, BadValuesListWhatIsValid) {
    EXPECT_THAT([] { parse_options({{"device", "TPU"}}); }, ThrowsMessage<UserError>(HasSubstr("L40S")));
    EXPECT_THAT(
        [] {
            parse_options({{"variant", "hand"}});
        },
        ThrowsMessage<UserError>(HasSubstr("fused, unfused, inlined")));
    EXPECT_THAT([] { parse_options({{"verify", "yes"}}); }, ThrowsMessage<UserError>(HasSubstr("on or off")));
    EXPECT_THAT(
        [] {
            parse_options({{"registers", "64"}});
        },
        ThrowsMessage<UserError>(HasSubstr("estimate or measure")));
}

TEST(Options, TextHasALineForEachOption) {
    std::istringstream text(options_text());
    std::set<std::string> keys;
    for (std::string line; std::getline(text, line);) {
        EXPECT_THAT(line, HasSubstr("(default "));
        keys.insert(line.substr(2, line.find('=') - 2));
    }
    EXPECT_THAT(keys, IsSupersetOf({"device", "explain", "max_registers", "variant", "verify"}));
    for (const std::string &key : keys) {  // every line is a key that is taken, so its value is what is wrong
        EXPECT_THAT(
            [&] {
                parse_options({{key == "explain" || key == "name" ? "device" : key, "?"}});
            },
            ThrowsMessage<UserError>(Not(HasSubstr("Unknown option"))));
    }
}

TEST(Options, RewritesAreAllNoneOrAList) {
    EXPECT_TRUE(parse_options({}).allows("native-math"));
    EXPECT_TRUE(parse_options({{"rewrites", "all"}}).allows("native-math"));
    EXPECT_FALSE(parse_options({{"rewrites", "none"}}).allows("native-math"));
    EXPECT_TRUE(parse_options({{"rewrites", "native-math"}}).allows("native-math"));
    EXPECT_FALSE(parse_options({{"rewrites", "native-math"}}).allows("another"));
}

TEST(Options, ARewriteThatIsNotThereIsAUserErrorThatListsThoseThatAre) {
    for (const char *value : {"", "native", "native-math,other", "all,native-math"}) {
        EXPECT_THAT(
            [&] {
                parse_options({{"rewrites", value}});
            },
            ThrowsMessage<UserError>(AllOf(HasSubstr("rewrites"), HasSubstr("native-math"))))
            << value;
    }
}

}  // namespace
}  // namespace fusion

#include "fusion/text.h"

#include <gtest/gtest.h>

namespace fusion {
namespace {

TEST(Text, BytesAreInDecimalUnits) {
    EXPECT_EQ(bytes_text(0), "0 B");
    EXPECT_EQ(bytes_text(999), "999 B");
    EXPECT_EQ(bytes_text(1000), "1.0 KB");
    EXPECT_EQ(bytes_text(1536), "1.5 KB");
    EXPECT_EQ(bytes_text(805306368), "805.3 MB");
    EXPECT_EQ(bytes_text(3e12), "3.0 TB");
    EXPECT_EQ(bytes_text(5e15), "5000.0 TB");
}

TEST(Text, BytesThatRoundToAThousandTakeTheNextUnit) {
    EXPECT_EQ(bytes_text(999.7), "1.0 KB");
    EXPECT_EQ(bytes_text(999949), "999.9 KB");
    EXPECT_EQ(bytes_text(999960), "1.0 MB");
}

TEST(Text, CountsHaveNoTrailingSpace) {
    EXPECT_EQ(count_text(12), "12");
    EXPECT_EQ(count_text(1234567), "1.2 M");
}

TEST(Text, TimesKeepThreeOrFourDigits) {
    EXPECT_EQ(time_text(4.6), "4.60 us");
    EXPECT_EQ(time_text(123.45), "123.5 us");
    EXPECT_EQ(time_text(1234.5), "1.234 ms");
    EXPECT_EQ(time_text(12345), "12.3 ms");
    EXPECT_EQ(time_text(123456), "123 ms");
}

TEST(Text, TimesThatRoundToAThousandTakeTheNextUnit) {
    EXPECT_EQ(time_text(999.94), "999.9 us");
    EXPECT_EQ(time_text(999.97), "1.000 ms");
}

TEST(Text, FixedRounds) {
    EXPECT_EQ(fixed(2.346, 2), "2.35");
    EXPECT_EQ(fixed(-0.5, 1), "-0.5");
    EXPECT_EQ(fixed(7, 0), "7");
}

TEST(Text, JoinPutsSeparatorsBetweenPartsOnly) {
    EXPECT_EQ(join({}, ", "), "");
    EXPECT_EQ(join({"a"}, ", "), "a");
    EXPECT_EQ(join({"a", "b", "c"}, ", "), "a, b, c");
}

TEST(Text, JoinKeepsEmptyParts) {
    EXPECT_EQ(join({"", "b", ""}, "+"), "+b+");
}

TEST(Text, NearestIsTheWordWithTheFewestEdits) {
    const std::vector<std::string> valid = {"device", "explain", "max_registers"};
    EXPECT_EQ(nearest("devise", valid), "device");
    EXPECT_EQ(nearest("explian", valid), "explain");
    EXPECT_EQ(nearest("max_register", valid), "max_registers");
    EXPECT_EQ(nearest("device", valid), "device");
}

TEST(Text, NearestGivesUpOnWordsThatAreFarFromAll) {
    EXPECT_EQ(nearest("zzz", {"device", "explain"}), "");
    EXPECT_EQ(nearest("anything", {}), "");
}

TEST(Text, NearestAllowsTwoEditsInAShortWordAndNoMore) {
    EXPECT_EQ(nearest("abcdef", {"abcdxy"}), "abcdxy");
    EXPECT_EQ(nearest("abcdef", {"abcxyz"}), "");
}

TEST(LastWords, are_one_line_and_no_longer_than_asked) {
    EXPECT_EQ(last_words("", 10), "");
    EXPECT_EQ(last_words(" one\n  two \n", 20), "one two");
    EXPECT_EQ(last_words("0123456789", 10), "0123456789");
    EXPECT_EQ(last_words("0123456789x", 10), "...456789x");
}

}  // namespace
}  // namespace fusion

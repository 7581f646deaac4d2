#include "fusion/rate.h"

#include <gtest/gtest.h>

namespace fusion {
namespace {

/// 2 * x - 1 to 2 * x + 1.
const Rate kDown{.loop = 0, .steps = 2, .low = -1, .high = 1};
/// x / 2 and (x + 1) / 2.
const Rate kUp{.loop = 0, .of = 2, .low = -0.5, .high = 0.5, .shape = 7};

TEST(Rate, ATileNeedsThePointsBetweenItsFirstAndItsLast) {
    EXPECT_EQ(points_along(kDown, 1), 3);
    EXPECT_EQ(points_along(kDown, 32), 65);
    // From an even place 0 to 16, from an odd one too: 1 / 2 to 33 / 2.
    EXPECT_EQ(points_along(kUp, 32), 17);
    EXPECT_EQ(points_along(kUp, 1), 2);
}

TEST(Rate, AlongAPathRatesMultiplyAndOffsetsAreScaled) {
    const Rate twice = through(kDown, kDown);
    EXPECT_EQ(twice.steps, 4);
    EXPECT_EQ(twice.low, -3);
    EXPECT_EQ(twice.high, 3);
    const Rate back = through(kUp, kDown);
    EXPECT_EQ(back.steps, 1);
    EXPECT_EQ(back.of, 1);
    EXPECT_EQ(back.shape, 7u) << "not the same place for every point";
    EXPECT_EQ(points_along(back, 32), 36);
}

TEST(Rate, OfThirdsNoPointIsLost) {
    const Rate third{.loop = 0, .of = 3, .low = -2.0 / 3, .high = 0, .shape = 1};
    EXPECT_EQ(points_along(third, 1), 1);
    EXPECT_EQ(points_along(third, 3), 2) << "3 and 4 are in unlike thirds";
    EXPECT_EQ(points_along(third, 4), 2);
}

TEST(Rate, AKnownPhaseTellsWhichPointsAreInTheSameHalf) {
    Rate half{.loop = 0, .of = 2, .low = -0.5, .high = 0, .shape = 1};
    EXPECT_EQ(values_along(half, 2), 2);
    half.phase = 0;
    EXPECT_EQ(values_along(half, 2), 1);
    EXPECT_EQ(values_along(half, 8), 4);
    half.phase = 1;
    EXPECT_EQ(values_along(half, 2), 2) << "1 and 2";
    EXPECT_EQ(values_along(half, 8), 5);
    Rate both = kUp;
    both.phase = 0;
    EXPECT_EQ(values_along(both, 2), 2) << "0 and 1 of 0, 0 and 1, 2 halves";
}

TEST(Rate, ValuesWrittenOutAreNeverMoreThanTheirCalls) {
    EXPECT_EQ(values_along(kDown, 4), 9);
    EXPECT_EQ(values_along({.loop = 0, .steps = 8}, 4), 4) << "with gaps";
    EXPECT_EQ(values_along(kUp, 1), 2);
    EXPECT_EQ(values_along(kUp, 2), 3) << "nothing shows which two of the four are the same";
}

TEST(Rate, PlacesBehindUnlikeClampsNeedNotBeNear) {
    Rate clamped = kDown;
    clamped.shape = 3;
    EXPECT_FALSE(move_together(kDown, clamped));
    EXPECT_TRUE(move_together(clamped, clamped));
    EXPECT_EQ(united(kDown, clamped).loop, 0) << "at the same pace all the same";
    EXPECT_EQ(united(kDown, kUp).loop, -1);
}

TEST(Rate, NumbersAreARange) {
    const Rate zero{.is_number = true}, three{.low = 3, .high = 3, .is_number = true};
    EXPECT_EQ(united(zero, three).high, 3);
    EXPECT_TRUE(united(Rate(), three).is_number) << "the other index is anywhere, and this one is read as well";
}

TEST(Rate, WhatFollowsNoLoopIsDecidedBySome) {
    const Rate by_row{.decided_by = Share::bit(1)}, by_any;
    EXPECT_EQ(decided_by(by_row), Share::bit(1));
    EXPECT_EQ(decided_by(kDown), Share::bit(0)) << "its own loop";
    EXPECT_EQ(united(by_row, kDown).decided_by, Share::bit(0) | Share::bit(1));
    EXPECT_EQ(through(by_row, kDown).decided_by, Share::bit(1)) << "twice a computed place";
    EXPECT_EQ(decided_through({kDown, by_row}, Share::bit(1)), Share::bit(1));
    EXPECT_EQ(decided_through({by_any, by_row}, Share::bit(0)), ~uint64_t(0));
    EXPECT_EQ(decided_through({kDown}, Share::bit(3)), ~uint64_t(0)) << "a loop that the frame does not have";
}

TEST(Rate, RegistersHoldOnlyWhatLiesAtConstantPlaces) {
    Read read;
    read.follows = {-1};
    read.is_box = false;
    read.is_sized = true;
    read.rates = {kDown};
    EXPECT_TRUE(is_sized(read));
    EXPECT_TRUE(is_sized_exactly(read));
    read.rates = {kUp};
    EXPECT_TRUE(is_sized(read));
    EXPECT_FALSE(is_sized_exactly(read));
    EXPECT_TRUE(has_span(read));
}

}  // namespace
}  // namespace fusion

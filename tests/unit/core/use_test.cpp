#include "fusion/use.h"

#include <gtest/gtest.h>

namespace fusion {
namespace {

/// A read of two dimensions at offsets from `low` to `high` in each, `points` places in all.
Read read_around(int64_t low, int64_t high, int points) {
    Read read;
    read.points = points;
    read.follows = {0, 1};
    read.reach = {{low, high}, {low, high}};
    return read;
}

Sites output_sites() {
    return {1, 1, std::vector<Reach>(2)};
}

TEST(Use, OffsetsAddUpAlongAPath) {
    const Sites first = output_sites().through(read_around(-1, 1, 9), 2);
    const Sites second = first.through(read_around(-2, 0, 9), 2);
    EXPECT_EQ(second.calls, 81);
    EXPECT_EQ(second.others, 1);
    EXPECT_EQ(second.reach[0], (Reach{-3, 1}));
}

TEST(Use, OnePointNeedsTheBoxAroundItAndNotEachCallSite) {
    const Sites twice = output_sites().through(read_around(-1, 1, 9), 2).through(read_around(-1, 1, 9), 2);
    EXPECT_EQ(evaluations_a_point(twice.of(0, {0, 1}), {}), 25);
}

TEST(Use, FarOffsetsCountAsOftenAsTheyAreCalled) {
    EXPECT_EQ(evaluations_a_point(output_sites().through(read_around(-100, 100, 2), 2).of(0, {0, 1}), {}), 2);
}

TEST(Use, ATileSharesItsHalo) {
    const Use use = output_sites().through(read_around(-1, 1, 9), 2).of(0, {0, 1});
    EXPECT_DOUBLE_EQ(evaluations_a_point(use, {2, 8}), 4.0 * 10 / 16);
}

TEST(Use, ATileSharesWhatDoesNotFollowIt) {
    Read row;
    row.follows = {0};
    row.reach = {{0, 0}};
    const Use use = output_sites().through(row, 1).of(0, {0});
    EXPECT_DOUBLE_EQ(evaluations_a_point(use, {1, 8}), 1.0 / 8);
}

/// f(x / 2, y / 2) or f of data follows no loop one to one, and is another point for each of the tile even so.
TEST(Use, ATileDoesNotShareWhatMovesWithItInAnotherWay) {
    const Use halved{.follows = {-1, -1}, .reach = {{}, {}}, .is_box = false};
    EXPECT_DOUBLE_EQ(evaluations_a_point(halved, {2, 8}), 1);
    const Use constant{.follows = {-1, -1}, .reach = {{}, {}}};
    EXPECT_DOUBLE_EQ(evaluations_a_point(constant, {2, 8}), 1.0 / 16);
}

/// f(x, g(y)): a column has its own places, which are those of the whole row.
TEST(Use, ATileSharesWhatOneOfItsDimensionsDecides) {
    Read read;
    read.points = 4;
    read.is_box = false;
    read.follows = {-1, -1};
    read.rates = {{.decided_by = Share::bit(0)}, {.decided_by = Share::bit(1)}};
    const Use use = output_sites().through(read, 2).of(0, {-1, -1});
    EXPECT_DOUBLE_EQ(evaluations_a_point(use, {2, 8}), 4) << "both decide the place itself";
    const Share row{Share::bit(1), 5};
    EXPECT_EQ(decided_by(use, row), Share::bit(1));
    EXPECT_DOUBLE_EQ(evaluations_a_point(use, {2, 8}, row), 2.0 / 2)
        << "two rows by two columns, and what follows from y is the same for both columns";
    EXPECT_DOUBLE_EQ(instructions_in_vectors(use, 0, 4, {.arithmetic = 5, .shares = {row}}), 2 * 5.0 / 4);
    EXPECT_DOUBLE_EQ(instructions_in_vectors(use, 1, 4, {.arithmetic = 5, .shares = {row}}), 2 * 5.0);
}

TEST(Use, UnlikePlacesInOtherDimensionsMultiply) {
    Read channels = read_around(0, 0, 3);
    channels.follows = {0, 1, -1};
    channels.reach = {{0, 0}, {0, 0}, {0, 0}};
    const Sites sites = output_sites().through(channels, 3).through(read_around(-1, 1, 9), 2);
    EXPECT_EQ(evaluations_a_point(sites.of(0, {0, 1}), {}), 27);
}

TEST(Use, TwoPathsToTheSamePointsAreOne) {
    Sites sites = output_sites().through(read_around(0, 0, 1), 2);
    sites.unite(output_sites().through(read_around(0, 0, 1), 2));
    EXPECT_EQ(evaluations_a_point(sites.of(0, {0, 1}), {}), 1);
    sites.unite(output_sites().through(read_around(1, 1, 1), 2));
    EXPECT_EQ(sites.reach[1], (Reach{0, 1}));
    EXPECT_EQ(evaluations_a_point(sites.of(0, {0, 1}), {}), 3) << "never more than there are call sites";
}

TEST(Use, IsNoBoxBehindAReadThatIsNone) {
    Read clamped = read_around(0, 0, 1);
    clamped.is_box = false;
    EXPECT_FALSE(output_sites().through(clamped, 2).through(read_around(-1, 1, 9), 2).is_box);
}

}  // namespace
}  // namespace fusion

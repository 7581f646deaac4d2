#include "fusion/choices.h"

#include <gtest/gtest.h>

#include "fusion/footprint.h"
#include "fusion/stencil_kernel.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

/// half -> pairs -> out: pairs takes one of two stages by its remainder of two, each at half of its place, and out the same
/// point of pairs.
class Choices : public ::testing::Test {
protected:
    Builder b;
    Vertex even, odd, pairs, out;

    Choices() {
        const Vertex in = b.input("in", {512, 1024});
        even = b.stage("even", {512, 1024}, {{in}});
        odd = b.stage("odd", {512, 1024}, {{in}});
        pairs =
            b.stage("pairs", {1024, 1024}, {{even, ReadKind::Strided, 1, {0, 1}}, {odd, ReadKind::Strided, 1, {0, 1}}});
        out = b.output("out", {1024, 1024}, {{pairs}});
        b[pairs].choices = {2, 0};
        b[pairs].chosen.arithmetic = 0.25;
        for (const Vertex half : {even, odd}) {
            Read &read = b.graph[edge(half, pairs, b.graph).first];
            read.taken = 0.5;
            read.is_box = false;
            read.is_sized = true;
            read.rates = {{.loop = 0, .of = 2, .low = -0.5, .shape = 1}, {.loop = 1}};
        }
    }

    Group kernel() {
        std::vector<Placement> places(num_vertices(b.graph), Placement::Inlined);
        places[0] = places[out] = Placement::Root;
        Group group = trace_kernel(b.graph, places, {out});
        group.kind = Template::Stencil;
        return group;
    }

    Tile tile(int across) {
        return {.vector = across, .per_thread = 1, .threads = 256, .lanes = 32, .dims = {.x = 0, .y = 1}};
    }
};

TEST_F(Choices, APhaseIsThatOfTheEstimates) {
    EXPECT_EQ(phase_of(b.graph, pairs, 0, 2)->remainder, 0);
    EXPECT_EQ(phase_of(b.graph, pairs, 0, 2)->outputs, (std::set<std::pair<Vertex, int>>{{out, 0}}));
    b[out].dims[0].min = -3;
    EXPECT_EQ(phase_of(b.graph, pairs, 0, 2)->remainder, 1) << "remainders are not negative";
    EXPECT_EQ(phase_of(b.graph, pairs, 0, 4)->remainder, 1);
    b[out].dims[0].extent = 1023;
    EXPECT_FALSE(phase_of(b.graph, pairs, 0, 2)) << "the last tile is moved inwards";
}

TEST_F(Choices, APhaseMovesWithTheOffsetsToTheOutput) {
    Read &read = b.graph[edge(pairs, out, b.graph).first];
    read.reach = {{-1, 1}, {0, 0}};
    EXPECT_EQ(phase_of(b.graph, pairs, 0, 2)->remainder, 1);
    read.reach = {{0, 1}, {0, 0}};
    EXPECT_FALSE(phase_of(b.graph, pairs, 0, 2)) << "ends in the middle of a pair";
    read.reach = {};
    read.rates = {{.loop = 0, .is_clamped = true, .shape = 3}, {.loop = 1}};
    EXPECT_FALSE(phase_of(b.graph, pairs, 0, 2)) << "behind a clamp it may begin anywhere";
}

TEST_F(Choices, AreKnownToATileOfWholePeriods) {
    const Group group = kernel();
    EXPECT_TRUE(knows_choices(group, tile(2)));
    EXPECT_FALSE(knows_choices(group, tile(1)));
    EXPECT_TRUE(knows_choices(group, tile(4)));
    Group other = group;
    other.kind = Template::Pointwise;
    EXPECT_FALSE(knows_choices(other, tile(2)));
    b[pairs].choices = {3, 0};
    EXPECT_TRUE(kernel().known.empty()) << "1024 is no multiple";
    b[pairs].choices = {0, 0};
    EXPECT_TRUE(kernel().known.empty());
}

TEST_F(Choices, OneOfTwoIsComputedWhereTheyAreKnown) {
    const Group group = kernel();
    const double points = 1024.0 * 1024;
    const StencilWork one = stencil_work(b.graph, group, tile(1)), two = stencil_work(b.graph, group, tile(2));
    EXPECT_EQ(one.evaluations.at(even), points);
    EXPECT_EQ(two.evaluations.at(even), points / 2);
    EXPECT_EQ(two.evaluations.at(odd), points / 2);
    EXPECT_EQ(one.flops.at(pairs), points);
    EXPECT_EQ(two.flops.at(pairs), points / 4);
}

TEST_F(Choices, ByValuesNeedAllOfThemAtThePlaceOfTheEstimate) {
    const Vertex rgb = b.output("rgb", {1024, 1024, 3}, {{pairs, ReadKind::Broadcast, 1, {0, 1}}});
    b[rgb].choices = {0, 0, 1};
    const Use own{.frame = rgb, .follows = {0, 1, 2}};
    std::vector<KnownChoice> known;
    EXPECT_TRUE(add_choices(b.graph, rgb, rgb, own, known));
    EXPECT_TRUE(known[2].is_all);
    EXPECT_EQ(known[2].points, 3);
    Group group{.outputs = {rgb}, .known = known, .kind = Template::Stencil};
    Tile deep{.threads = 256, .lanes = 32, .slices = 3, .dims = {.x = 0, .y = 1, .z = 2}};
    EXPECT_TRUE(knows_choices(group, deep));
    deep.slices = 1;
    EXPECT_FALSE(knows_choices(group, deep));
    b[rgb].dims[2].extent = kMostChannels + 1;
    EXPECT_FALSE(add_choices(b.graph, rgb, rgb, own, known)) << "more than a thread computes";
}

TEST_F(Choices, AlongAReductionAreNotKnown) {
    // A sum of all values of a row of pairs into one: its only loop is its RDom's.
    const Vertex sum = add_reduction(b, "sum", {}, {1024}, {{pairs, ReadKind::Reduction, 1, {0, -1}}});
    std::vector<Placement> places(num_vertices(b.graph), Placement::Root);
    places[even] = places[odd] = places[pairs] = Placement::Inlined;
    places[sum - 1] = Placement::AtThread;
    const Group group = trace_kernel(b.graph, places, {sum});
    EXPECT_TRUE(group.known.empty());
}

TEST_F(Choices, ByANumberAreAlwaysKnown) {
    std::vector<KnownChoice> known;
    b[pairs].choices = {1, 0};
    Use use{.frame = out, .follows = {-1, 1}};
    EXPECT_FALSE(add_choices(b.graph, out, pairs, use, known));
    use.numbers = {true, false};
    EXPECT_TRUE(add_choices(b.graph, out, pairs, use, known));
}

}  // namespace
}  // namespace fusion::test

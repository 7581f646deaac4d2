#include "fusion/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;

TEST(Graph, EveryReadKindHasANameOfItsOwn) {
    std::set<std::string> names;
    for (int kind = 0; kind <= (int)ReadKind::InPlace; kind++) {
        names.insert(name_of((ReadKind)kind));
    }
    EXPECT_EQ(names.size(), (size_t)ReadKind::InPlace + 1);
    EXPECT_FALSE(names.count("unknown"));
}

TEST(Graph, PointsCountReductionLoopsAndElementsDoNot) {
    Stage stage;
    stage.dims = {{"x", 0, 6}, {"y", -2, 7}};
    stage.reduction = {{"r", 0, 5}};
    EXPECT_EQ(stage.points(), 210);
    EXPECT_EQ(stage.elements(), 42);
}

TEST(Graph, AScalarHasOnePointAndAnEmptyExtentNone) {
    Stage stage;
    EXPECT_EQ(stage.points(), 1);
    stage.dims = {{"x", 0, 8}, {"y", 0, 0}};
    EXPECT_EQ(stage.points(), 0);
    stage.dims[1].extent = -1;
    EXPECT_EQ(stage.points(), 0);
}

TEST(Graph, PointsOfHugeRegionsDoNotOverflow) {
    Stage stage;
    stage.dims = {{"x", 0, 1 << 30}, {"y", 0, 1 << 30}, {"z", 0, 1 << 30}};
    EXPECT_DOUBLE_EQ(stage.points(), std::ldexp(1.0, 90));
}

TEST(Graph, EdgesAreListedByProducerThenConsumerThenPosition) {
    Builder b;
    const Vertex in = b.input("in", {8, 8});
    const Vertex a = b.stage("a", {8, 8}, {{in}});
    const Vertex last = b.output("last", {8, 8}, {{a, ReadKind::Transposed}, {in}, {a}});
    b.graph[in].role = Role::Input;
    // A later edge to an earlier consumer.
    add_edge(in, a, Read{ReadKind::Broadcast, 1, {}, {}}, b.graph);
    std::vector<std::tuple<Vertex, Vertex, ReadKind>> listed;
    for (const Edge &e : edges_in_order(b.graph)) {
        listed.emplace_back(source(e, b.graph), target(e, b.graph), b.graph[e].kind);
    }
    using T = std::tuple<Vertex, Vertex, ReadKind>;
    EXPECT_THAT(listed, ElementsAre(T(in, a, ReadKind::Pointwise), T(in, a, ReadKind::Broadcast),
                                    T(in, last, ReadKind::Pointwise), T(a, last, ReadKind::Transposed),
                                    T(a, last, ReadKind::Pointwise)));
}

TEST(Graph, ConsumersAndProducersAreDistinctAndAscending) {
    Builder b;
    const Vertex in = b.input("in", {8});
    const Vertex a = b.stage("a", {8}, {{in}});
    const Vertex c = b.stage("c", {8}, {{a}, {in}, {a}});
    b.output("out", {8}, {{c}, {a}});
    EXPECT_THAT(consumers_of(b.graph, a), ElementsAre(c, c + 1));
    EXPECT_THAT(producers_of(b.graph, c), ElementsAre(in, a));
    EXPECT_THAT(producers_of(b.graph, in), ElementsAre());
    EXPECT_THAT(consumers_of(b.graph, c + 1), ElementsAre());
}

TEST(Graph, ADiamondIsPostDominatedByWhereItJoins) {
    const StageGraph graph = diamond({8});
    const Vertex top = stage_named(graph, "top"), bottom = stage_named(graph, "bottom");
    const auto joins = post_dominators(graph);
    EXPECT_EQ(joins[top], bottom);
    EXPECT_EQ(joins[stage_named(graph, "left")], bottom);
    EXPECT_EQ(joins[stage_named(graph, "in")], top);
    EXPECT_EQ(joins[bottom], std::nullopt);
}

TEST(Graph, OnlyTheEndPostDominatesAStageThatTwoOutputsRead) {
    const StageGraph graph = fan_out(2, {8}, 1);
    const auto joins = post_dominators(graph);
    EXPECT_EQ(joins[stage_named(graph, "shared")], std::nullopt);
    EXPECT_EQ(joins[stage_named(graph, "in")], stage_named(graph, "shared"));
}

TEST(Graph, AnOutputInsideADiamondEndsPathsOfItsOwn) {
    StageGraph graph = diamond({8});
    graph[stage_named(graph, "left")].role = Role::Output;
    EXPECT_EQ(post_dominators(graph)[stage_named(graph, "top")], std::nullopt);
    EXPECT_EQ(post_dominators(graph)[stage_named(graph, "right")], stage_named(graph, "bottom"));
}

TEST(Graph, StageNamesNumberUpdatesAsHalideDoes) {
    Stage stage;
    stage.func = "hist";
    EXPECT_EQ(stage_name(stage), "hist");
    stage.update = 1;
    EXPECT_EQ(stage_name(stage), "hist.update(0)");
}

}  // namespace
}  // namespace fusion::test

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "fusion/explain.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string dot_of(const StageGraph &graph, Variant variant = Variant::Fused) {
    const Plan plan = plan_of(graph, variant);
    const Ledger ledger = make_ledger(graph, plan, plan_of(graph, Variant::Unfused));
    return explain_dot({"a \"pipeline\"", graph, device_named("H200"), plan, ledger});
}

int count(const std::string &text, const std::string &part) {
    int found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        found++;
    }
    return found;
}

TEST(ExplainDot, DrawsABoxForEachKernelAndALineForEachEdge) {
    const StageGraph graph = diamond({1 << 20});
    EXPECT_EQ(count(dot_of(graph), "subgraph cluster_"), 1);
    EXPECT_EQ(count(dot_of(graph, Variant::Unfused), "subgraph cluster_"), 4);
    EXPECT_EQ(count(dot_of(graph), " -> "), 5);
    EXPECT_EQ(count(dot_of(graph), "style=dashed"), 4);
    EXPECT_EQ(count(dot_of(graph, Variant::Unfused), "style=dashed"), 0);
}

TEST(ExplainDot, DrawsAStageThatTwoKernelsComputeOnce) {
    const std::string dot = dot_of(fan_out(2, {1 << 24}, 1));
    EXPECT_EQ(count(dot, "        \"shared\""), 1);
}

TEST(ExplainDot, KeepsAnInputApartFromAFuncOfTheSameName) {
    Builder b;
    b.output("f", {64}, {{b.input("f", {64})}});
    EXPECT_THAT(dot_of(b.graph), HasSubstr("\"input f\" -> \"f\""));
}

TEST(ExplainDot, EscapesQuotesAndBackslashes) {
    Builder b;
    b.output("a\"b\\c", {64}, {{b.input("in", {64})}});
    EXPECT_THAT(dot_of(b.graph), HasSubstr(R"("a\"b\\c")"));
    EXPECT_THAT(dot_of(b.graph), HasSubstr(R"(digraph "a \"pipeline\"")"));
}

TEST(ExplainDot, IsReadByGraphviz) {
    if (std::system("dot -V >/dev/null 2>&1") != 0) {
        GTEST_SKIP() << "no dot on PATH";
    }
    const std::string file =
        (std::filesystem::temp_directory_path() / ("dot_test_" + std::to_string(getpid()))).string();
    for (unsigned seed = 0; seed < 5; seed++) {
        StageGraph graph = random_graph(seed, 25);
        graph[5].func = "odd \"name\" \\ {<|>}";
        std::ofstream(file) << dot_of(graph);
        EXPECT_EQ(std::system(("dot -Tcanon '" + file + "' >/dev/null 2>&1").c_str()), 0) << dot_of(graph);
    }
    std::ofstream(file) << "digraph { a -> ";
    EXPECT_NE(std::system(("dot -Tcanon '" + file + "' >/dev/null 2>&1").c_str()), 0) << "dot accepts anything";
    std::remove(file.c_str());
}

}  // namespace
}  // namespace fusion::test

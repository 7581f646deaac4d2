#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "fusion/explain.h"
#include "fusion/rules.h"
#include "fusion/text.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const StageGraph &graph, Variant variant = Variant::Fused) {
    const Plan plan = plan_of(graph, variant);
    const Ledger ledger = make_ledger(graph, plan, plan_of(graph, Variant::Unfused));
    return explain_text({"pipeline", graph, device_named("H200"), plan, ledger});
}

TEST(ExplainText, BeginsWithPipelineDeviceVariantAndRegisterCap) {
    EXPECT_EQ(text_of(chain(2, {64})).find("pipeline on H200, variant fused, at most 64 registers a thread\n"), 0u);
}

TEST(ExplainText, AKernelNamesWhatItComputesReadsAndWrites) {
    const std::string text = text_of(chain(2, {1000, 500}));
    EXPECT_THAT(text, HasSubstr("kernel 1: s2   1000 x 500, pointwise"));
    EXPECT_THAT(text, HasSubstr("computes   s1 (inlined), s2\n"));
    EXPECT_THAT(text, HasSubstr("reads      2.0 MB: in 2.0 MB\n"));
    EXPECT_THAT(text, HasSubstr("writes     2.0 MB\n"));
    EXPECT_THAT(text, HasSubstr("(estimated)"));
    EXPECT_THAT(text, Not(HasSubstr("kernel 2")));
}

TEST(ExplainText, AnUncoalescedReadIsSaidWhereItHappens) {
    StageGraph graph = transpose(512, false);
    EXPECT_THAT(text_of(graph, Variant::Inlined), HasSubstr("in 1.0 MB uncoalesced"));
    EXPECT_THAT(text_of(chain(2, {512, 512}), Variant::Inlined), Not(HasSubstr("uncoalesced")));
}

TEST(ExplainText, LongListsOfStagesAreShortenedAndKeepTheirEnds) {
    EXPECT_THAT(text_of(chain(12, {64})), HasSubstr("s11 (inlined), s12\n"));
    EXPECT_THAT(text_of(chain(12, {64})), Not(HasSubstr("more ...")));
    const std::string text = text_of(chain(40, {64}));
    EXPECT_THAT(text, HasSubstr("s1 (inlined)"));
    EXPECT_THAT(text, HasSubstr("... 28 more ..., s40\n"));
}

TEST(ExplainText, EveryEdgeHasItsVerdictRulePricesAndReason) {
    const StageGraph graph = fan_out(2, {1 << 24}, 100000);
    const std::string text = text_of(graph);
    const Verdict verdict = verdict_on(plan_of(graph), 1, 2);
    EXPECT_THAT(text, ContainsRegex("in -> shared +pointwise +stored +pipeline-input\n"));
    EXPECT_THAT(text, ContainsRegex("shared -> out0 +pointwise +stored +" + verdict.rule));
    EXPECT_THAT(text, HasSubstr("(apart " + time_text(verdict.apart_us) + ", fused " + time_text(verdict.fused_us) +
                                ", margin "));
    EXPECT_THAT(text, HasSubstr(verdict.why));
}

TEST(ExplainText, JoinedLaunchesAreListed) {
    EXPECT_THAT(text_of(branches(2, {256}, false)), HasSubstr("out0 + out1  one launch  horizontal-siblings"));
}

TEST(ExplainText, TotalsStandBesideUnfusedAndCompulsoryBytes) {
    const std::string text = text_of(chain(3, {1000000}));
    EXPECT_THAT(text, ContainsRegex("unfused +3 launches +24.0 MB"));
    EXPECT_THAT(text, ContainsRegex("fused +1 launches +8.0 MB"));
    EXPECT_THAT(text, HasSubstr("compulsory bytes 8.0 MB; this plan moves 1.00x that"));
}

TEST(ExplainText, HasNoWordThatIsNoNumber) {
    for (const StageGraph &graph : {chain(2, {0, 16}), chain(2, {}), chain(1, {1})}) {
        const std::string text = text_of(graph);
        EXPECT_THAT(text, Not(HasSubstr("nan")));
        EXPECT_THAT(text, Not(HasSubstr("inf,")));
        EXPECT_THAT(text, Not(HasSubstr("inf us")));
    }
    EXPECT_THAT(text_of(chain(2, {})), HasSubstr("one value"));
}

TEST(ExplainText, IsTheSameEveryTime) {
    for (unsigned seed = 0; seed < 10; seed++) {
        EXPECT_EQ(text_of(random_graph(seed, 30)), text_of(random_graph(seed, 30)));
    }
}

TEST(RulesText, HasALineForEachRuleWithItsKindAndMeaning) {
    std::istringstream text(rules_text());
    for (const Rule &rule : rules()) {
        std::string line;
        ASSERT_TRUE(std::getline(text, line));
        EXPECT_EQ(line.find(rule.id), 0u);
        EXPECT_THAT(line, HasSubstr(rule.reads_as));
        const char *kinds[] = {"legality", "resource", "profit"};
        EXPECT_THAT(line, HasSubstr(kinds[(int)rule.kind]));
    }
    std::string rest;
    EXPECT_FALSE(std::getline(text, rest));
}

TEST(DominantPart, IsTheLargestOfTheFour) {
    Price price;
    price.launch_us = 4;
    price.read_us = 3;
    price.compute_us = 2;
    price.write_us = 1;
    EXPECT_EQ(dominant_part(price), "launch");
    price.read_us = 5;
    EXPECT_EQ(dominant_part(price), "read");
    price.compute_us = 6;
    EXPECT_EQ(dominant_part(price), "compute");
    price.write_us = 7;
    EXPECT_EQ(dominant_part(price), "write");
}

TEST(KernelName, JoinsTheNamesOfAllOutputs) {
    const StageGraph graph = branches(2, {64}, true);
    Group group;
    group.outputs = {1, 2};
    EXPECT_EQ(kernel_name(graph, group), "out0+out1");
}

}  // namespace
}  // namespace fusion::test

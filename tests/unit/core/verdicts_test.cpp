#include "fusion/verdicts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/rules.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StrEq;

TEST(Verdicts, AreOneAnEdgeAlsoWhereTwoStagesHaveTwo) {
    Builder b;
    const Vertex in = b.input("in", {64, 64});
    const Vertex a = b.stage("a", {64, 64}, {{in}});
    b.output("out", {64, 64}, {{a}, {a, ReadKind::Transposed}});
    const Plan plan = plan_of(b.graph);
    ASSERT_EQ(plan.verdicts.size(), 3u);
    EXPECT_EQ(plan.verdicts[1].kind, ReadKind::Pointwise);
    EXPECT_EQ(plan.verdicts[2].kind, ReadKind::Transposed);
}

TEST(Verdicts, AYesSaysWhatItSavesAndWhen) {
    const Plan plan = plan_of(chain(2, {1000}));
    const Verdict &verdict = verdict_on(plan, 1, 2);
    EXPECT_THAT(verdict.why, HasSubstr("8.0 KB"));  // stored and read back: two trips of 4 KB
    EXPECT_GT(verdict.step, 0);
}

TEST(Verdicts, ANoWasNeverAStep) {
    const Plan plan = plan_of(fan_out(3, {1 << 24}, 100000));
    EXPECT_EQ(verdict_on(plan, 1, 2).step, 0);
    EXPECT_THAT(verdict_on(plan, 1, 2).why, Not(StrEq("")));
}

TEST(Verdicts, RecomputedIsSaidOnlyWhereItIsComputedMoreThanOnce) {
    const StageGraph shared = fan_out(2, {1 << 24}, 1);
    const Plan plan = plan_of(shared);
    const Verdict &verdict = verdict_on(plan, 1, 2);
    EXPECT_EQ(verdict.verdict, "recomputed");
    EXPECT_THAT(verdict.why, HasSubstr("computing it 2.0 times"));
    EXPECT_EQ(verdict_on(plan_of(diamond({1 << 20})), 1, 2).verdict, "fused");
}

TEST(Verdicts, AnExternStageAndWhatItReadsAreOnTheHost) {
    StageGraph graph = chain(4, {64});
    graph[3].is_extern = true;
    graph[*out_edges(2, graph).first].kind = ReadKind::Opaque;
    const Plan plan = plan_of(graph);
    EXPECT_EQ(verdict_on(plan, 2, 3).rule, "extern-stage");
    EXPECT_EQ(verdict_on(plan, 3, 4).rule, "extern-stage");
    EXPECT_EQ(verdict_on(plan, 3, 4).verdict, "stored");
}

TEST(Verdicts, AStageThatItsAuthorLeftInlineHasARuleAndAReason) {
    StageGraph graph = chain(3, {64});
    graph[2].scheduled_by_user = true;
    const Verdict verdict = verdict_on(plan_of(graph), 2, 3);
    EXPECT_EQ(verdict.rule, "user-schedule");
    EXPECT_NE(verdict.why, "");
}

TEST(Verdicts, AVariantIsTheReasonForWhatItForces) {
    const StageGraph graph = chain(3, {64});
    const Plan unfused = plan_of(graph, Variant::Unfused), inlined = plan_of(graph, Variant::Inlined);
    EXPECT_EQ(verdict_on(unfused, 1, 2).verdict, "stored");
    EXPECT_EQ(verdict_on(inlined, 1, 2).verdict, "fused");
    EXPECT_EQ(verdict_on(unfused, 1, 2).rule, kVariant);
    EXPECT_EQ(verdict_on(inlined, 1, 2).rule, kVariant);
    EXPECT_EQ(verdict_on(unfused, 0, 1).rule, "pipeline-input");
}

TEST(Verdicts, AVariantIsNotTheReasonForWhatItCannotInline) {
    StageGraph graph = chain(3, {64});
    graph[1].has_updates = true;
    const Verdict verdict = verdict_on(plan_of(graph, Variant::Inlined), 1, 2);
    EXPECT_EQ(verdict.verdict, "stored");
    EXPECT_EQ(verdict.rule, "update-stages");
    EXPECT_THAT(verdict.why, HasSubstr("update definitions"));
}

}  // namespace
}  // namespace fusion::test

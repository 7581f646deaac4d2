/// Each rule of legality: just inside its bound and just outside.
#include "fusion/legality.h"

#include "tests/unit/core/rules_fixture.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;

TEST_F(Rules, PipelineInputForbidsAnInput) {
    b[mid].role = Role::Input;
    forbids(RuleKind::Legality, "pipeline-input");
}

TEST_F(Rules, OutputIsStoredForbidsAnOutputAndNamesIt) {
    b[mid].role = Role::Output;
    forbids(RuleKind::Legality, "output-is-stored");
    EXPECT_THAT(ask(RuleKind::Legality).decision.why(), HasSubstr("mid is an output"));
}

TEST_F(Rules, UserScheduleForbidsTheProducerButNotTheConsumer) {
    b[out].scheduled_by_user = true;
    allows(RuleKind::Legality);
    b[mid].scheduled_by_user = true;
    forbids(RuleKind::Legality, "user-schedule");
}

TEST_F(Rules, ExternStageForbidsTheStageItselfAndWhatItReads) {
    b[mid].is_extern = true;
    forbids(RuleKind::Legality, "extern-stage");
    b[mid].is_extern = false;
    allows(RuleKind::Legality);
    b[out].is_extern = true;
    set_read_kind(ReadKind::Opaque);
    forbids(RuleKind::Legality, "extern-stage");
    EXPECT_THAT(ask(RuleKind::Legality).decision.why(), HasSubstr("out is an extern stage"));
}

TEST_F(Rules, UpdateStagesForbidsAProducerWithUpdatesInOrderButNotAConsumer) {
    b[out].has_updates = true;
    allows(RuleKind::Legality);
    set_reduction(false);
    forbids(RuleKind::Legality, "update-stages");
    proposed = Placement::AtBlock;
    forbids(RuleKind::Legality, "update-stages");
}

TEST_F(Rules, ReductionBoundaryForbidsInliningAReductionButNotKeepingItAtTheBlock) {
    set_reduction(true);
    forbids(RuleKind::Legality, "reduction-boundary");
    EXPECT_THAT(ask(RuleKind::Legality).decision.why(), HasSubstr("what reads mid needs the whole reduction first"));
    proposed = Placement::AtBlock;
    allows(RuleKind::Legality);
}

TEST_F(Rules, ReadKindAllowsWhatIsKnownBeforeItRuns) {
    for (const ReadKind kind : {ReadKind::Pointwise, ReadKind::Broadcast, ReadKind::Transposed, ReadKind::Reduction,
                                ReadKind::Stencil, ReadKind::Strided}) {
        set_read_kind(kind);
        allows(RuleKind::Legality);
    }
}

TEST_F(Rules, ReadKindForbidsEveryOtherKindByItsName) {
    for (const ReadKind kind : {ReadKind::Gather, ReadKind::InPlace}) {
        set_read_kind(kind);
        forbids(RuleKind::Legality, "read-kind");
        EXPECT_THAT(ask(RuleKind::Legality).decision.why(), HasSubstr("out reads it as a " + name_of(kind)));
    }
}

TEST_F(Rules, ReadKindForbidsWhenOneOfSeveralReadsCannotBeFused) {
    add_edge(mid, out, Read{ReadKind::Gather, 3, {0, 1}, b[mid].dims}, b.graph);
    forbids(RuleKind::Legality, "read-kind");
}

TEST_F(Rules, StencilTileForbidsKeepingWhatIsNoBoxButNotComputingItAgain) {
    b.graph[edge(mid, out, b.graph).first].is_box = false;
    allows(RuleKind::Legality);
    proposed = Placement::AtThread;
    forbids(RuleKind::Legality, "stencil-tile");
}

TEST(Legality, AStageKeptApartIsStoredInEveryVariantAndTheOthersFuse) {
    StageGraph graph = chain(4, {512, 512});
    graph[2].kept_apart = "Halide refused it";
    for (const Variant variant : {Variant::Fused, Variant::Inlined}) {
        const Plan plan = make_plan(graph, device_named("H200"), {.variant = variant});
        EXPECT_EQ(plan.placement[1], Placement::Inlined);
        EXPECT_EQ(plan.placement[2], Placement::Root);
        EXPECT_EQ(plan.placement[3], Placement::Inlined);
    }
    for (const Verdict &verdict : make_plan(graph, device_named("H200"), {}).verdicts) {
        if (verdict.producer == 2) {
            EXPECT_EQ(verdict.rule, "kept-apart");
            EXPECT_EQ(verdict.why, "Halide refused it");
        }
    }
}

}  // namespace
}  // namespace fusion::test

/// Each rule alone: just inside its bound and just outside. Kernels are made by hand so that only one thing differs.
#include "fusion/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;
using ::testing::StrEq;

/// in -> mid -> out, and mid as the candidate.
class Rules : public ::testing::Test {
protected:
    Rules() {
        in = b.input("in", {8, 8});
        mid = b.stage("mid", {8, 8}, {{in}});
        out = b.output("out", {8, 8}, {{mid}});
        Group of_mid, of_out;
        of_mid.outputs = {mid};
        of_mid.members = {{mid, Placement::Root, 64}};
        of_mid.inputs = {{.producer = in}};
        of_out.outputs = {out};
        of_out.members = {{out, Placement::Root, 64}};
        of_out.inputs = {{.producer = mid}};
        apart = {of_mid, of_out};
        Group both = of_out;
        both.members = {{mid, Placement::Inlined, 64}, {out, Placement::Root, 64}};
        both.inputs = {{.producer = in}};
        fused = {both};
        for (Group *group : {&apart[0], &apart[1], &fused[0]}) {
            group->price.occupancy = 1;
            group->price.time_us = 10;
        }
    }

    Judgement ask(RuleKind kind) {
        Candidate candidate{b.graph, device, mid, proposed, {}, &apart, &fused};
        candidate.edges.assign(out_edges(mid, b.graph).first, out_edges(mid, b.graph).second);
        return judge(candidate, kind);
    }
    void allows(RuleKind kind) {
        const Judgement judgement = ask(kind);
        EXPECT_TRUE(judgement.decision.allowed()) << judgement.rule << ": " << judgement.decision.why();
    }
    void forbids(RuleKind kind, const char *rule) {
        const Judgement judgement = ask(kind);
        EXPECT_FALSE(judgement.decision.allowed());
        EXPECT_THAT(judgement.rule, StrEq(rule));
        EXPECT_NE(judgement.decision.why(), "");
    }
    /// 20 us apart; fused a little less or not less.
    void set_faster(bool faster) { fused[0].price.time_us = faster ? 19.99 : 20; }
    void set_read_kind(ReadKind kind) { b.graph[*out_edges(mid, b.graph).first].kind = kind; }

    /// mid becomes an update, one that may be computed in parts or not.
    void set_reduction(bool reassociable) {
        b[mid].update = b[mid].has_updates = true;
        b[mid].folds = b[mid].reassociable = reassociable;
    }

    Builder b;
    Device device = device_named("H200");
    Placement proposed = Placement::Inlined;
    Vertex in, mid, out;
    std::vector<Group> apart, fused;
};

TEST_F(Rules, TableHasDistinctKebabCaseIdsAndMeanings) {
    std::set<std::string> ids = {kHorizontalSiblings, kUnboundedRegion, kTransposedTile, kVariant,
                                 kRowResident,        kAccumulator};
    for (const Rule &rule : rules()) {
        EXPECT_TRUE(ids.insert(rule.id).second) << rule.id << " is there twice";
        EXPECT_STRNE(rule.reads_as, "");
    }
    for (const std::string &id : ids) {
        EXPECT_EQ(id.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), std::string::npos) << id;
    }
}

TEST_F(Rules, LegalityIsAskedBeforeResourcesAndThoseBeforeProfit) {
    RuleKind last = RuleKind::Legality;
    for (const Rule &rule : rules()) {
        EXPECT_GE((int)rule.kind, (int)last) << rule.id;
        last = rule.kind;
    }
}

TEST_F(Rules, PlainPointwiseStageThatSavesTimeIsAllowedByAll) {
    set_faster(true);
    allows(RuleKind::Legality);
    allows(RuleKind::Resource);
    allows(RuleKind::Profit);
    EXPECT_THAT(ask(RuleKind::Profit).rule, StrEq("vertical-fusion"));
}

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

TEST_F(Rules, ReadKindAllowsPointwiseBroadcastTransposedAndReduction) {
    for (const ReadKind kind : {ReadKind::Pointwise, ReadKind::Broadcast, ReadKind::Transposed, ReadKind::Reduction}) {
        set_read_kind(kind);
        allows(RuleKind::Legality);
    }
}

TEST_F(Rules, ReadKindForbidsEveryOtherKindByItsName) {
    for (const ReadKind kind : {ReadKind::Stencil, ReadKind::Strided, ReadKind::Gather, ReadKind::InPlace}) {
        set_read_kind(kind);
        forbids(RuleKind::Legality, "read-kind");
        EXPECT_THAT(ask(RuleKind::Legality).decision.why(), HasSubstr("out reads it as a " + name_of(kind)));
    }
}

TEST_F(Rules, ReadKindForbidsWhenOneOfSeveralReadsCannotBeFused) {
    add_edge(mid, out, Read{ReadKind::Stencil, 3, {0, 1}, b[mid].dims}, b.graph);
    forbids(RuleKind::Legality, "read-kind");
}

// A buffer of two dimensions takes 32 bytes: a pointer of 8, and 12 a dimension.
TEST_F(Rules, LaunchArgumentsAllowsExactly4096BytesAndNotOneBufferMore) {
    ASSERT_EQ(device.argument_bytes.value, 4096);
    fused[0].inputs.assign(127, {.producer = in});
    allows(RuleKind::Resource);
    fused[0].inputs.push_back({.producer = in});
    forbids(RuleKind::Resource, "launch-arguments");
    EXPECT_THAT(ask(RuleKind::Resource).decision.why(), HasSubstr("4128 bytes"));
}

TEST_F(Rules, LaunchArgumentsForbidsOneByteMoreThanTheDeviceTakes) {
    device.argument_bytes.value = 64;
    allows(RuleKind::Resource);
    device.argument_bytes.value = 63;
    forbids(RuleKind::Resource, "launch-arguments");
}

TEST_F(Rules, LaunchArgumentsCountsEveryOutputOfTheLaunch) {
    device.argument_bytes.value = 95;
    fused[0].outputs = {out};
    allows(RuleKind::Resource);
    fused[0].outputs = {out, out};
    forbids(RuleKind::Resource, "launch-arguments");
}

TEST_F(Rules, SharedMemoryAllowsWhatABlockHasAndNotOneByteMore) {
    fused[0].price.shared_bytes = (int)device.shared_per_block;
    allows(RuleKind::Resource);
    fused[0].price.shared_bytes++;
    forbids(RuleKind::Resource, "shared-memory");
}

TEST_F(Rules, ExpressionSizeAllows4096EvaluationsAPointAndNotOneMore) {
    fused[0].members[0].evaluations = 64 * 4096;
    fused[0].members[1].evaluations = 64 * 100000;  // another stage
    allows(RuleKind::Resource);
    fused[0].members[0].evaluations = 64 * 4097;
    forbids(RuleKind::Resource, "expression-size");
}

TEST_F(Rules, RegisterPressureForbidsASpillThatCostsTime) {
    set_faster(false);
    fused[0].price.registers.value = 80;
    fused[0].price.spilled = 16;
    forbids(RuleKind::Profit, "register-pressure");
    EXPECT_THAT(ask(RuleKind::Profit).decision.why(), HasSubstr("80 registers"));
    fused[0].price.spilled = 0;
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, RegisterPressureAllowsASpillThatStillSavesTime) {
    set_faster(true);
    fused[0].price.spilled = 16;
    allows(RuleKind::Profit);
}

TEST_F(Rules, RegisterPressureIsTheReasonBelowHalfOfTheOccupancyOnly) {
    set_faster(false);
    fused[0].price.occupancy = 0.49;
    forbids(RuleKind::Profit, "register-pressure");
    fused[0].price.occupancy = 0.5;
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, RegisterPressureIsNotTheReasonWhenFewerKernelsAreAsFull) {
    set_faster(false);
    apart.push_back(apart[0]);
    apart.push_back(apart[0]);
    fused[0].price.time_us = 40;
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, TransposedCoalescingForbidsAFarReadThatMovesMoreBytes) {
    set_faster(false);
    fused[0].inputs[0].is_coalesced = false;
    for (Group *group : {&apart[0], &apart[1]}) {
        group->price.bytes_read = group->price.bytes_written = 256;
    }
    fused[0].price.bytes_read = 768;
    fused[0].price.bytes_written = 257;
    forbids(RuleKind::Profit, "transposed-coalescing");
    fused[0].price.bytes_written = 256;
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, TransposedCoalescingAllowsAFarReadThatSavesTime) {
    set_faster(true);
    fused[0].inputs[0].is_coalesced = false;
    fused[0].price.bytes_read = 1e6;
    allows(RuleKind::Profit);
}

TEST_F(Rules, TransposedCoalescingIsNotTheReasonWhenReadsAreCoalesced) {
    set_faster(false);
    fused[0].price.bytes_read = 1e6;
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, RecomputeOrStoreForbidsADearProducer) {
    set_faster(false);
    apart[0].price.flops = apart[1].price.flops = 500;
    fused[0].price.flops = 1001;
    forbids(RuleKind::Profit, "recompute-or-store");
    fused[0].price.flops = 1000;  // no more than before
    forbids(RuleKind::Profit, "vertical-fusion");
}

TEST_F(Rules, RecomputeOrStoreAllowsRecomputationThatSavesTime) {
    set_faster(true);
    fused[0].price.flops = 1000;
    allows(RuleKind::Profit);
}

TEST_F(Rules, VerticalFusionForbidsAnEqualPrice) {
    set_faster(false);
    forbids(RuleKind::Profit, "vertical-fusion");
    set_faster(true);
    allows(RuleKind::Profit);
}

TEST_F(Rules, TheFirstNoInTheOrderOfTheTableIsTheReason) {
    b[mid].role = Role::Output;
    b[mid].has_updates = true;
    set_read_kind(ReadKind::Gather);
    forbids(RuleKind::Legality, "output-is-stored");
    b[mid].role = Role::Intermediate;
    forbids(RuleKind::Legality, "update-stages");
}

}  // namespace
}  // namespace fusion::test

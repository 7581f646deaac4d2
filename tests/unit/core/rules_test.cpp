/// The table of rules, and each rule of resources and profit: just inside its bound and just outside. Kernels are made by hand
/// so that only one thing differs.
#include "fusion/rules.h"

#include <set>

#include "tests/unit/core/rules_fixture.h"

namespace fusion::test {
namespace {

using ::testing::HasSubstr;

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
    EXPECT_THAT(ask(RuleKind::Profit).rule, ::testing::StrEq("vertical-fusion"));
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

TEST_F(Rules, ExpressionSizeAllows512EvaluationsAThreadAndNotOneMore) {
    Member &inlined = fused[0].members[0];
    inlined.uses = {{.frame = out, .calls = 512, .others = 512}};
    fused[0].members[1].uses = {{.frame = out, .calls = 100000, .others = 100000}};  // the output itself is stored
    allows(RuleKind::Resource);
    inlined.uses = {{.frame = out, .calls = 513, .others = 513}};
    forbids(RuleKind::Resource, "expression-size");
    inlined.uses = {{.frame = out, .calls = 129, .others = 129}};
    allows(RuleKind::Resource);
    fused[0].kind = Template::Stencil;  // each of a thread's points writes its own
    fused[0].tile.per_thread = 4;
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

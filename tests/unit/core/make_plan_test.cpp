/// What the planner decides about whole graphs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/error.h"
#include "fusion/footprint.h"
#include "fusion/price.h"
#include "fusion/rules.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

TEST(MakePlan, APointwiseChainIsOneKernelThatReadsAndWritesOnce) {
    const StageGraph graph = chain(3, {1 << 20});
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].price.bytes_read, (1 << 20) * 4);
    EXPECT_EQ(plan.groups[0].price.bytes_written, (1 << 20) * 4);
    EXPECT_EQ(plan.groups[0].price.recomputed_flops, 0);
    EXPECT_EQ(verdict_on(plan, 1, 2).verdict, "fused");
    EXPECT_EQ(verdict_on(plan, 1, 2).rule, "vertical-fusion");
    EXPECT_LT(verdict_on(plan, 1, 2).fused_us, verdict_on(plan, 1, 2).apart_us);
}

TEST(MakePlan, ADeepChainReadTwiceAtTheSamePointIsOneKernelAndPlannedFast) {
    const StageGraph graph = chain(40, {1 << 20}, {{0}, {0}});
    Plan plan;
    EXPECT_LT(seconds_of([&] { plan = plan_of(graph); }), 0.5);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_THAT(plan.groups[0].members, SizeIs(40));
    EXPECT_EQ(plan.groups[0].price.recomputed_flops, 0);
}

/// 120 stages of two instructions on `rows` points, which 512 columns each read (case C27 with 24 rows).
class LongNarrowChain {
public:
    explicit LongNarrowChain(int64_t rows) {
        last = b.input("in", {rows});
        for (int i = 0; i < 120; i++) {
            last = b.stage(numbered("narrow", i), {rows}, {{last}}, 2);
        }
        wide = b.output("wide", {512, rows}, {{last, ReadKind::Broadcast, 1, {1}}, {b.input("big", {512, rows})}});
        plan = plan_of(b.graph);
    }
    void expect_a_kernel_of_its_own() const {
        ASSERT_THAT(plan.groups, SizeIs(2));
        EXPECT_THAT(kernel_storing(plan, last).members, SizeIs(120));
        EXPECT_THAT(kernel_storing(plan, wide).members, SizeIs(1));
        EXPECT_EQ(verdict_on(plan, last, wide).verdict, "stored");
        EXPECT_EQ(verdict_on(plan, last, wide).rule, "recompute-limit");
    }
    Builder b;
    Vertex last, wide;
    Plan plan;
};

TEST(MakePlan, ALongNarrowChainBroadcastOverManyColumnsKeepsItsKernel) {
    LongNarrowChain(24 * 1024).expect_a_kernel_of_its_own();
}

// On 24 rows a launch costs more than doing 240 instructions 12288 times, but the work would grow with the width.
TEST(MakePlan, ALongNarrowChainOf24RowsKeepsItsKernel) {
    LongNarrowChain(24).expect_a_kernel_of_its_own();
}

TEST(MakePlan, ACheapNarrowStageIsRecomputedForEveryColumn) {
    const StageGraph graph = broadcast(4096, 512, 1);
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    const Verdict &verdict = verdict_on(plan, stage_named(graph, "narrow"), stage_named(graph, "wide"));
    EXPECT_EQ(verdict.verdict, "recomputed");
    EXPECT_EQ(verdict.rule, "recompute-or-store");
    EXPECT_GT(plan.groups[0].price.recomputed_flops, 0);
}

TEST(MakePlan, ACheapSharedStageIsRecomputedAndADearOneStored) {
    const auto is_stored = [](double arithmetic) {
        const StageGraph graph = fan_out(3, {1 << 24}, arithmetic);
        return plan_of(graph).placement[stage_named(graph, "shared")] == Placement::Root;
    };
    EXPECT_FALSE(is_stored(1));
    EXPECT_TRUE(is_stored(100000));
    // Between the two there is one price at which it turns.
    int turns = 0;
    bool last = false;
    for (double arithmetic = 1; arithmetic <= 100000; arithmetic *= 3) {
        const bool now = is_stored(arithmetic);
        turns += now != last;
        last = now;
    }
    EXPECT_EQ(turns, 1);
}

TEST(MakePlan, ADearSharedStageSaysWhatComputingItAgainWouldCost) {
    const StageGraph graph = fan_out(3, {1 << 24}, 100000);
    const Verdict verdict = verdict_on(plan_of(graph), stage_named(graph, "shared"), stage_named(graph, "out0"));
    EXPECT_EQ(verdict.rule, "recompute-or-store");
    EXPECT_THAT(verdict.why, HasSubstr("dear"));
    EXPECT_GT(verdict.fused_us, verdict.apart_us);
}

TEST(MakePlan, DiamondsJoinInOneKernel) {
    const Plan plan = plan_of(diamond({1 << 20}));
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].price.recomputed_flops, 0);
}

// Its top alone would be computed in both arms, which loses; with the arms it is computed once.
TEST(MakePlan, ADiamondWithADearTopJoinsAsAWhole) {
    StageGraph graph = diamond({1 << 24});
    graph[stage_named(graph, "top")].work.arithmetic = 5000;
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].price.recomputed_flops, 0);
}

// The diamond is priced while `wide` is a kernel of its own; by the time it is taken, `wide` is inlined in the same reader.
TEST(MakePlan, ADiamondIsTakenWithWhatItsReaderHasBecomeSince) {
    Builder b;
    const Sizes sizes = {1 << 20};
    const Vertex in = b.input("in", sizes);
    const Vertex wide = b.stage("wide", sizes, {{in}});
    const Vertex top = b.stage("top", sizes, {{in}}, 500);
    std::vector<Vertex> arm = {top, top};
    for (int i = 0; i < 3; i++) {
        for (int side = 0; side < 2; side++) {
            arm[side] = b.stage(numbered("arm", 10 * i + side), sizes, {{arm[side]}});
        }
    }
    const Vertex bottom = b.output("bottom", sizes, {{arm[0]}, {arm[1]}, {wide}});
    b.set_bytes(wide, 256);
    const Plan plan = plan_of(b.graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_LT(verdict_on(plan, wide, bottom).step, verdict_on(plan, arm[0], bottom).step)
        << "the case is not the one meant";
    EXPECT_EQ(verdict_on(plan, arm[0], bottom).step, verdict_on(plan, top, top + 1).step)
        << "the case is not the one meant";
    EXPECT_TRUE(has_member(plan.groups[0], wide));
    EXPECT_TRUE(has_member(plan.groups[0], top));
    EXPECT_FALSE(reads_buffer(kernel_storing(plan, bottom), wide));
}

TEST(MakePlan, AnOutputThatIsAlsoReadIsStoredOnceAndReadBack) {
    Builder b;
    const Vertex in = b.input("in", {1 << 20});
    const Vertex first = b.output("first", {1 << 20}, {{in}});
    const Vertex second = b.output("second", {1 << 20}, {{first}});
    const Plan plan = plan_of(b.graph);
    ASSERT_THAT(plan.groups, SizeIs(2));
    EXPECT_TRUE(reads_buffer(kernel_storing(plan, second), first));
    EXPECT_FALSE(has_member(kernel_storing(plan, second), first));
    EXPECT_EQ(verdict_on(plan, first, second).rule, "output-is-stored");
}

TEST(MakePlan, SmallSiblingsShareALaunchAndLargeStrangersDoNot) {
    const Plan small = plan_of(branches(8, {256}, false)), large = plan_of(branches(2, {1 << 26}, false));
    EXPECT_THAT(small.groups, SizeIs(1));
    ASSERT_THAT(small.joins, SizeIs(1));
    EXPECT_TRUE(small.joins[0].joined);
    EXPECT_THAT(large.groups, SizeIs(2));
}

TEST(MakePlan, ATransposedReadGoesThroughSharedMemoryWhereItCan) {
    const StageGraph graph = transpose(4096, true);
    const Plan plan = plan_of(graph);
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].kind, Template::Transpose);
    EXPECT_TRUE(std::all_of(plan.groups[0].inputs.begin(), plan.groups[0].inputs.end(),
                            [](const Input &i) { return i.is_coalesced; }));
    EXPECT_LE(plan.groups[0].price.shared_bytes, device_named("H200").shared_per_block);
    const Verdict &verdict = verdict_on(plan, stage_named(graph, "first"), stage_named(graph, "second"));
    EXPECT_EQ(verdict.rule, kTransposedTile);
}

TEST(MakePlan, AKernelTakesAsManyArgumentsAsALaunchAllowsAndNoMore) {
    // s<i> = s<i-1> + in<i>, of two dimensions: a buffer takes 32 bytes of the 4096.
    const auto kernels = [](int inputs) {
        Builder b;
        Vertex last = b.input("in0", {512, 512});
        for (int i = 1; i < inputs; i++) {
            const std::vector<From> reads = {{last}, {b.input(numbered("in", i), {512, 512})}};
            last = i + 1 < inputs ? b.stage("s", {512, 512}, reads) : b.output("out", {512, 512}, reads);
        }
        return plan_of(b.graph);
    };
    EXPECT_THAT(kernels(127).groups, SizeIs(1));
    const Plan plan = kernels(128);
    EXPECT_THAT(plan.groups, SizeIs(2));
    EXPECT_TRUE(std::any_of(plan.verdicts.begin(), plan.verdicts.end(),
                            [](const Verdict &v) { return v.rule == "launch-arguments"; }));
}

TEST(MakePlan, ALongLiveRangeIsOneKernelWhereItsValuesFitTheRegisters) {
    const Plan plan = plan_of(long_live_range(24, {1 << 24}));
    ASSERT_THAT(plan.groups, SizeIs(1));
    EXPECT_EQ(plan.groups[0].price.spilled, 0);
    EXPECT_GT(plan.groups[0].price.registers.value, 24);
}

TEST(MakePlan, ALongLiveRangeIsCutWhereItsValuesWouldSpill) {
    const StageGraph graph = long_live_range(64, {1 << 24});
    const Plan plan = plan_of(graph), whole = plan_of(graph, Variant::Inlined);
    ASSERT_THAT(whole.groups, SizeIs(1));
    EXPECT_GT(whole.groups[0].price.spilled, 0);
    EXPECT_GT(plan.groups.size(), 1u);
    EXPECT_LT(time_of(plan), 0.5 * time_of(whole));
    for (const Group &group : plan.groups) {
        EXPECT_LT(group.price.spilled, whole.groups[0].price.spilled);
    }
}

TEST(MakePlan, VariantsStoreAllOrInlineAll) {
    const StageGraph graph = fan_out(3, {1 << 24}, 100000);
    EXPECT_THAT(plan_of(graph, Variant::Unfused).groups, SizeIs(4));
    EXPECT_THAT(plan_of(graph, Variant::Inlined).groups, SizeIs(3));
    EXPECT_EQ(plan_of(graph, Variant::Unfused).verdicts[1].rule, kVariant);
    EXPECT_EQ(plan_of(graph, Variant::Inlined).verdicts[1].rule, kVariant);
}

TEST(MakePlan, RegisterCapIsTheDevicesUnlessGiven) {
    const StageGraph graph = chain(2, {64});
    EXPECT_EQ(plan_of(graph).register_cap, device_named("H200").registers_per_thread);
    EXPECT_EQ(make_plan(graph, device_named("H200"), {.register_cap = 128}).register_cap, 128);
}

TEST(MakePlan, EmptyRegionsAndScalarsPlan) {
    EXPECT_THAT(plan_of(chain(3, {0, 16})).groups, SizeIs(1));
    EXPECT_THAT(plan_of(chain(3, {})).groups, SizeIs(1));
    EXPECT_THAT(plan_of(StageGraph()).groups, SizeIs(0));
}

TEST(MakePlan, AStageThatTheGpuCannotRunIsAUserError) {
    StageGraph graph = chain(2, {64});
    graph[1].gpu_refusal = "Func \"s1\" is bfloat16";
    EXPECT_THAT([&] { plan_of(graph); }, ThrowsMessage<UserError>(HasSubstr("bfloat16")));
    graph[1].is_extern = true;  // then it runs on the host
    EXPECT_NO_THROW(plan_of(graph));
}

TEST(MakePlan, AnUnboundedStageIsInlinedAndOneWithUpdatesIsAUserError) {
    StageGraph graph = chain(2, {64});
    graph[1].unbounded = true;
    graph[1].unbounded_dims = "x";
    const Plan plan = plan_of(graph);
    EXPECT_EQ(plan.placement[1], Placement::Inlined);
    EXPECT_EQ(verdict_on(plan, 1, 2).rule, kUnboundedRegion);
    graph[1].has_updates = true;
    EXPECT_THAT([&] { plan_of(graph); },
                ThrowsMessage<UserError>(AllOf(HasSubstr("\"s1\""), HasSubstr("in x"), HasSubstr("clamp"))));
}

TEST(MakePlan, ATupleOfWhichAPartIsReadIsStoredInEveryVariant) {
    Builder b;
    const Vertex in = b.input("in", {512, 512});
    const Vertex pair = b.stage("pair", {512, 512}, {{in}});
    b.output("out", {512, 512}, {{pair}});
    for (const Variant variant : {Variant::Fused, Variant::Inlined}) {
        b[pair].partly_read = false;
        EXPECT_EQ(make_plan(b.graph, device_named("H200"), {.variant = variant}).placement[pair], Placement::Inlined);
        b[pair].partly_read = true;
        const Plan plan = make_plan(b.graph, device_named("H200"), {.variant = variant});
        EXPECT_EQ(plan.placement[pair], Placement::Root);
        EXPECT_EQ(verdict_on(plan, pair, pair + 1).verdict, "stored");
    }
}

TEST(MakePlan, TwoHundredStagesInAChainArePlannedInUnderASecond) {
    const StageGraph graph = chain(200, {1 << 20});
    EXPECT_LT(seconds_of([&] { EXPECT_THAT(plan_of(graph).groups, SizeIs(1)); }), 1);
}

TEST(MakePlan, TwoHundredStagesAtRandomArePlannedInUnderASecond) {
    for (unsigned seed = 0; seed < 5; seed++) {
        const StageGraph graph = random_graph(seed, 200);
        EXPECT_LT(seconds_of([&] { EXPECT_GT(plan_of(graph).groups.size(), 1u); }), 1) << "seed " << seed;
    }
}

}  // namespace
}  // namespace fusion::test

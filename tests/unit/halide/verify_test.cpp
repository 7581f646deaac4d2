#include "fusion/halide/verify.h"

#include "fusion/halide/user_schedule.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::planned;
using testing::vertex;

/// output(x) = p(x - 1) + p(x + 1), p = 2 in, to be scheduled by hand.
class Verify : public ::testing::Test {
protected:
    const Var x{"x"};
    ImageParam in{Float(32), 1, "in"};
    Func p{"p"}, output{"output"};
    Schedule schedule;

    void SetUp() override {
        p(x) = in(x)*2;
        output(x) = p(x - 1) + p(x + 1);
        output.set_estimate(x, 0, 1 << 20);
    }

    /// The output over blocks of `threads`, which takes `per_thread` points a thread; p at `level` of it.
    void over_blocks(const PipelineView &view, int threads, int per_thread, const char *level, TailStrategy tail) {
        const int out = view.graph[vertex(view, "output")].func_id, producer = view.graph[vertex(view, "p")].func_id;
        schedule = {{.func_id = out,
                     .verb = Verb::Split,
                     .loops = {arg(0), made("vector"), made("lane")},
                     .number = per_thread,
                     .tail = tail},
                    {.func_id = out,
                     .verb = Verb::Split,
                     .loops = {made("vector"), made("block"), made("thread")},
                     .number = threads,
                     .tail = tail},
                    {.func_id = out, .verb = Verb::GpuBlocks, .loops = {made("block")}},
                    {.func_id = out, .verb = Verb::GpuThreads, .loops = {made("thread")}}};
        Directive at{.func_id = producer, .verb = Verb::ComputeAt, .loops = {made(level)}, .other = out};
        schedule.push_back(at);
    }

    /// p over threads of its own.
    void over_threads(const PipelineView &view) {
        const int producer = view.graph[vertex(view, "p")].func_id;
        schedule.push_back({.func_id = producer,
                            .verb = Verb::Split,
                            .loops = {arg(0), made("turn"), made("own")},
                            .number = 32,
                            .tail = TailStrategy::GuardWithIf});
        schedule.push_back({.func_id = producer, .verb = Verb::GpuThreads, .loops = {made("own")}});
    }

    /// Blocks of `points`, which 32 threads compute in turns; p in shared memory.
    void at_block(const PipelineView &view, int points, TailStrategy tail) {
        const int out = view.graph[vertex(view, "output")].func_id, producer = view.graph[vertex(view, "p")].func_id;
        schedule = {{.func_id = out,
                     .verb = Verb::Split,
                     .loops = {arg(0), made("block"), made("point")},
                     .number = points,
                     .tail = tail},
                    {.func_id = out,
                     .verb = Verb::Split,
                     .loops = {made("point"), made("turn"), made("thread")},
                     .number = 32,
                     .tail = tail},
                    {.func_id = out, .verb = Verb::GpuBlocks, .loops = {made("block")}},
                    {.func_id = out, .verb = Verb::GpuThreads, .loops = {made("thread")}},
                    {.func_id = producer, .verb = Verb::ComputeAt, .loops = {made("block")}, .other = out}};
        over_threads(view);
    }

    /// A sum over a window of p whose width is a parameter; p at the block or thread of the sum.
    Decision check_with_unbounded_producer(const char *level) {
        Param<int> reach("reach");
        reach.set_estimate(3);
        const RDom r(0, reach, "r");
        Func wide("wide");
        wide(x) = 0.0f;
        wide(x) += p(x + r);
        wide.set_estimate(x, 0, 1 << 20);
        Planned plan = planned({wide});
        plan.plan.placement[vertex(plan.view, "p")] = Placement::AtThread;
        const int out = plan.view.graph[vertex(plan.view, "wide", 1)].func_id;
        const int producer = plan.view.graph[vertex(plan.view, "p")].func_id;
        schedule.clear();
        for (int update = 0; update < 2; update++) {
            const std::string block = update == 0 ? "start" : "block";
            schedule.push_back({.func_id = out,
                                .update = update,
                                .verb = Verb::Split,
                                .loops = {arg(0), made(block), made("thread")},
                                .number = 128,
                                .tail = TailStrategy::GuardWithIf});
            schedule.push_back({.func_id = out, .update = update, .verb = Verb::GpuBlocks, .loops = {made(block)}});
            schedule.push_back({.func_id = out, .update = update, .verb = Verb::GpuThreads, .loops = {made("thread")}});
        }
        schedule.push_back({.func_id = producer, .verb = Verb::ComputeAt, .loops = {made(level)}, .other = out});
        if (level == std::string("block")) {
            over_threads(plan.view);
        }
        return check(plan);
    }

    Decision check(const Planned &from) const { return verify(schedule, from.view, from.plan, *from.device, cuda()); }

    /// A plan in which p is not stored in memory.
    Planned fused() {
        Planned plan = planned({output});
        plan.plan.placement[vertex(plan.view, "p")] = Placement::AtThread;
        return plan;
    }
};

TEST_F(Verify, lets_the_planners_own_schedules_pass) {
    for (const char *variant : {"fused", "unfused", "inlined"}) {
        const Planned plan = planned({output}, variant);
        const Decision decision = verify(plan.schedule, plan.view, plan.plan, *plan.device, cuda());
        EXPECT_TRUE(decision.allowed()) << decision.why();
    }
}

TEST_F(Verify, leaves_the_original_as_it_was) {
    const Planned plan = planned({output}, "unfused");
    EXPECT_TRUE(verify(plan.schedule, plan.view, plan.plan, *plan.device, cuda()).allowed());
    EXPECT_FALSE(has_own_loops(p.function()));
    EXPECT_TRUE(output.function().definition().schedule().splits().empty());
}

TEST_F(Verify, lets_a_producer_with_a_constant_bound_pass) {
    const Planned plan = fused();
    over_blocks(plan.view, 128, 4, "thread", TailStrategy::ShiftInwards);
    const Decision decision = check(plan);
    EXPECT_TRUE(decision.allowed()) << decision.why();
}

TEST_F(Verify, catches_memory_that_the_plan_does_not_know) {
    // Halide moves what a thread needs without a constant bound to a heap in global memory.
    const Decision decision = check_with_unbounded_producer("thread");
    EXPECT_FALSE(decision.allowed());
    EXPECT_NE(decision.why().find("global memory"), std::string::npos) << decision.why();
}

TEST_F(Verify, catches_shared_memory_without_a_constant_bound) {
    const Decision decision = check_with_unbounded_producer("block");
    EXPECT_FALSE(decision.allowed());
    EXPECT_NE(decision.why().find("no constant bound"), std::string::npos) << decision.why();
}

TEST_F(Verify, catches_a_launch_of_too_many_threads) {
    const Planned plan = planned({output}, "inlined");
    for (const auto &[threads, fits] : {std::pair{1024, true}, {1025, false}}) {
        over_blocks(plan.view, threads, 1, "block", TailStrategy::ShiftInwards);
        schedule.pop_back();  // p stays inlined
        EXPECT_EQ(check(plan).allowed(), fits) << threads;
        EXPECT_EQ(check(plan).why().find("1025 threads") != std::string::npos, !fits) << check(plan).why();
    }
}

TEST_F(Verify, catches_threads_without_a_constant_bound) {
    const Planned plan = planned({output}, "inlined");
    const int out = plan.view.graph[vertex(plan.view, "output")].func_id;
    schedule = {{.func_id = out,
                 .verb = Verb::Split,
                 .loops = {outermost(), outermost(), made("block")},
                 .number = 1,
                 .tail = TailStrategy::GuardWithIf},
                {.func_id = out, .verb = Verb::GpuBlocks, .loops = {made("block")}},
                {.func_id = out, .verb = Verb::GpuThreads, .loops = {arg(0)}}};
    const Decision decision = check(plan);
    EXPECT_FALSE(decision.allowed());
    EXPECT_NE(decision.why().find("threads of"), std::string::npos) << decision.why();
}

TEST_F(Verify, catches_a_launch_of_too_much_shared_memory) {
    const Planned plan = fused();
    // A block of so many points and a halo of two, in floats; 48 KiB are 49152 bytes.
    for (const auto &[points, fits] : {std::pair{12286, true}, {12287, false}}) {
        at_block(plan.view, points, TailStrategy::GuardWithIf);
        const Decision decision = check(plan);
        EXPECT_EQ(decision.allowed(), fits) << points << " " << decision.why();
        EXPECT_EQ(decision.why().find("49156 bytes of shared memory") != std::string::npos, !fits) << decision.why();
    }
}

TEST_F(Verify, passes_on_what_halide_refuses) {
    const Planned plan = fused();
    over_blocks(plan.view, 128, 4, "nowhere", TailStrategy::ShiftInwards);
    const Decision decision = check(plan);
    EXPECT_FALSE(decision.allowed());
    EXPECT_NE(decision.why().find("Halide refuses the schedule"), std::string::npos) << decision.why();
}

TEST_F(Verify, inspect_tells_kernels_that_are_bound_to_fail) {
    using namespace Halide::Internal;
    const auto kernel = [](const Expr &condition) {
        const Stmt check = AssertStmt::make(condition, Call::make(Int(32), "halide_error_some", {}, Call::Extern));
        return For::make("b", 0, 8, ForType::GPUBlock, Partition::Auto, DeviceAPI::CUDA, check);
    };
    EXPECT_EQ(inspect(kernel(const_false())).failing, std::vector<std::string>{"halide_error_some"});
    EXPECT_TRUE(inspect(kernel(Variable::make(Bool(), "b") == const_true())).failing.empty());
}

TEST_F(Verify, inspect_counts_kernels_threads_and_memory_of_a_statement) {
    struct Look : Internal::IRMutator {
        Lowered found;
        using IRMutator::mutate;
        Internal::Stmt mutate(const Internal::Stmt &s) override {
            found = inspect(s);
            return s;
        }
    } look;
    const Var block("block"), thread("thread");
    p.compute_root().gpu_tile(x, block, thread, 64);
    output.gpu_tile(x, block, thread, 96);
    Pipeline pipeline(output);
    pipeline.add_custom_lowering_pass(&look, [] {});
    pipeline.compile_to_module(pipeline.infer_arguments(), "looked_at", cuda());
    EXPECT_EQ(look.found.kernels, 2);
    EXPECT_EQ(look.found.most_threads, 96);
    EXPECT_EQ(look.found.most_shared_bytes, 0);
    EXPECT_EQ(look.found.global_allocations, std::vector<std::string>{p.name()});
}

}  // namespace
}  // namespace fusion

#include "schedules/apply.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using Internal::ForType;

class ApplySchedule : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func producer{"producer"}, output{"output"};
    PipelineView view;
    int producer_id = 0, output_id = 0, input_id = 0;
    std::map<int, int> index;

    void SetUp() override {
        producer(x, y) = in(x, y) + 1;
        output(x, y) = producer(x, y) * 2;
        output(x, y) += producer(x, 0);
        output.set_estimates({{0, 64}, {0, 64}});
        view = testing::read({output});
        input_id = testing::stage(view, "in").func_id;
        producer_id = testing::stage(view, "producer").func_id;
        output_id = testing::stage(view, "output").func_id;
        index = {{input_id, 7}, {producer_id, 8}, {output_id, 9}};
    }

    /// Applies the directive and returns how it is written.
    std::string carry_out(const Directive &d) const {
        apply_schedule({d}, view);
        const std::string text = to_cpp(Schedule{d}, view, index);
        const size_t last = text.rfind("    ", text.size() - 2);
        return text.substr(last + 4, text.size() - last - 5);
    }
    std::string f(int id) const { return "f" + std::to_string(id); }
    const Internal::Definition &definition() const { return output.function().definition(); }
    ForType type_of(size_t dim) const { return definition().schedule().dims()[dim].for_type; }
};

TEST_F(ApplySchedule, places_a_func) {
    EXPECT_EQ(carry_out({.func_id = producer_id, .verb = Verb::ComputeRoot}), f(producer_id) + ".compute_root();");
    EXPECT_EQ(producer.function().schedule().compute_level().var_name(), LoopLevel::root().var_name());
    EXPECT_EQ(carry_out({.func_id = producer_id, .verb = Verb::StoreInRegister}),
              f(producer_id) + ".store_in(MemoryType::Register);");
    EXPECT_EQ(producer.function().schedule().memory_type(), MemoryType::Register);
    EXPECT_EQ(carry_out({.func_id = producer_id, .verb = Verb::AlignStorage, .loops = {arg(0)}, .number = 65}),
              f(producer_id) + ".align_storage(" + f(producer_id) + "_d0, 65);");
    EXPECT_TRUE(Internal::is_const(producer.function().schedule().storage_dims()[0].alignment, 65));
    EXPECT_EQ(
        carry_out({.func_id = producer_id, .verb = Verb::ComputeAt, .loops = {made("block")}, .other = output_id}),
        f(producer_id) + ".compute_at(" + f(output_id) + ", block);");
    EXPECT_EQ(producer.function().schedule().compute_level().var_name(), "block");
}

TEST_F(ApplySchedule, splits_with_the_tail_that_it_writes) {
    for (const auto &[tail, name] : {std::pair{TailStrategy::GuardWithIf, "GuardWithIf"},
                                     {TailStrategy::RoundUp, "RoundUp"},
                                     {TailStrategy::ShiftInwards, "ShiftInwards"}}) {
        Func g("g");
        g(x) = x;
        g.set_estimate(x, 0, 64);
        const PipelineView own = testing::read({g});
        const Directive d{.verb = Verb::Split, .loops = {arg(0), made("o"), made("i")}, .number = 32, .tail = tail};
        apply_schedule({d}, own);
        const auto &split = g.function().definition().schedule().splits().at(0);
        EXPECT_EQ(split.tail, tail);
        EXPECT_EQ(split.outer, "x.o");
        EXPECT_EQ(split.inner, "x.i");
        EXPECT_TRUE(Internal::is_const(split.factor, 32));
        EXPECT_NE(to_cpp(Schedule{d}, own, {{0, 0}})
                      .find("f0_s0.split(f0_d0, o, i, 32, TailStrategy::" + std::string(name) + ");"),
                  std::string::npos);
    }
}

TEST_F(ApplySchedule, fuses_and_reorders) {
    EXPECT_EQ(carry_out({.func_id = output_id, .verb = Verb::Reorder, .loops = {arg(1), arg(0)}}),
              f(output_id) + "_s0.reorder({" + f(output_id) + "_d1, " + f(output_id) + "_d0});");
    EXPECT_EQ(definition().schedule().dims()[0].var, "y");
    EXPECT_EQ(carry_out({.func_id = output_id, .verb = Verb::Fuse, .loops = {arg(1), arg(0), made("all")}}),
              f(output_id) + "_s0.fuse(" + f(output_id) + "_d1, " + f(output_id) + "_d0, all);");
    EXPECT_EQ(definition().schedule().dims()[0].var, "y.all");
}

TEST_F(ApplySchedule, gives_loops_their_kinds) {
    const std::pair<Verb, ForType> kinds[] = {{Verb::Vectorize, ForType::Vectorized},
                                              {Verb::Unroll, ForType::Unrolled},
                                              {Verb::Parallel, ForType::Parallel},
                                              {Verb::GpuBlocks, ForType::GPUBlock},
                                              {Verb::GpuThreads, ForType::GPUThread}};
    const char *names[] = {"vectorize", "unroll", "parallel", "gpu_blocks", "gpu_threads"};
    for (int i = 0; i < 5; i++) {
        EXPECT_EQ(carry_out({.func_id = output_id, .verb = kinds[i].first, .loops = {arg(0)}}),
                  f(output_id) + "_s0." + names[i] + "(" + f(output_id) + "_d0);");
        EXPECT_EQ(type_of(0), kinds[i].second) << names[i];
        EXPECT_EQ(type_of(1), ForType::Serial);
    }
}

TEST_F(ApplySchedule, reaches_an_update_definition) {
    EXPECT_EQ(carry_out({.func_id = output_id, .update = 1, .verb = Verb::GpuThreads, .loops = {arg(1)}}),
              f(output_id) + "_s1.gpu_threads(" + f(output_id) + "_d1);");
    EXPECT_EQ(output.function().update(0).schedule().dims()[1].for_type, ForType::GPUThread);
    EXPECT_EQ(type_of(1), ForType::Serial);
    EXPECT_NE(to_cpp(Schedule{{.func_id = output_id, .update = 1, .verb = Verb::GpuSingleThread}}, view, index)
                  .find("Stage " + f(output_id) + "_s1 = " + f(output_id) + ".update(0);"),
              std::string::npos);
}

TEST_F(ApplySchedule, puts_directives_of_a_branch_into_the_branch) {
    const Condition condition = {{.kind = Fact::Positive, .left = {BufferField::Extent, {input_id, -1}, 0}}};
    const Schedule schedule = {{.func_id = output_id, .branch = 0, .verb = Verb::Specialize, .condition = condition},
                               {.func_id = output_id, .branch = 0, .verb = Verb::Vectorize, .loops = {arg(0)}}};
    apply_schedule(schedule, view);
    ASSERT_EQ(definition().specializations().size(), 1u);
    EXPECT_EQ(definition().specializations()[0].definition.schedule().dims()[0].for_type, ForType::Vectorized);
    EXPECT_EQ(type_of(0), ForType::Serial);
    const std::string text = to_cpp(schedule, view, index);
    EXPECT_NE(text.find(f(output_id) + "_s0_b0.vectorize("), std::string::npos) << text;
    EXPECT_NE(text.find("Func " + f(input_id) + " = pipeline.get_func(7);"), std::string::npos) << text;
    EXPECT_NE(text.find("Func " + f(output_id) + " = pipeline.get_func(9);"), std::string::npos) << text;
}

/// sum(y) of rows of `in`, whose loop goes over threads.
class ApplyToAReduction : public ::testing::Test {
protected:
    const Var y{"y"};
    const RDom r{0, 256, "r"};
    ImageParam in{Float(32), 2, "in"};
    Func sum{"sum"};
    PipelineView view;
    int id = 0, made_id = 0;

    void SetUp() override {
        sum(y) = 0.0f;
        sum(y) += in(r, y);
        sum.set_estimate(y, 0, 64);
        view = testing::read({sum});
        id = testing::stage(view, "sum").func_id;
        made_id = (int)view.sources.size();
    }
    Schedule factored() const {
        return {{.func_id = id,
                 .update = 1,
                 .verb = Verb::Split,
                 .loops = {rvar(0), made_reduction("turn"), made_reduction("thread_r")},
                 .number = 32,
                 .tail = TailStrategy::GuardWithIf},
                {.func_id = made_id,
                 .update = 1,
                 .verb = Verb::RFactor,
                 .loops = {made_reduction("thread_r"), made("thread")},
                 .other = id}};
    }
    std::string text(const Schedule &schedule) const { return to_cpp(schedule, view, {{0, 0}, {id, 1}}); }
};

TEST_F(ApplyToAReduction, factors_an_update_and_returns_the_func_made) {
    std::map<int, Func> funcs = apply_schedule(factored(), view);
    ASSERT_EQ(funcs.count(made_id), 1u);
    const Func &parts = funcs.at(made_id);
    ASSERT_EQ(parts.dimensions(), 2);
    EXPECT_EQ(parts.args()[1].name(), "thread");
    EXPECT_EQ(parts.num_update_definitions(), 1);
    EXPECT_EQ(sum.rvars(0).size(), 1u) << "what is left folds the parts";
    const std::string f = "f" + std::to_string(id), g = "f" + std::to_string(made_id);
    EXPECT_NE(text(factored()).find("Func " + g + " = " + f + "_s1.rfactor({{thread_r, thread}});"), std::string::npos)
        << text(factored());
    EXPECT_NE(text(factored()).find("RVar thread_r(\"thread_r\");"), std::string::npos);
}

TEST_F(ApplyToAReduction, wraps_for_all_callers_where_none_is_named) {
    Schedule schedule = factored();
    schedule.push_back({.func_id = made_id + 1, .verb = Verb::Wrap, .other = made_id});
    schedule.push_back({.func_id = made_id + 1, .verb = Verb::ComputeRoot});
    std::map<int, Func> funcs = apply_schedule(schedule, view);
    EXPECT_EQ(funcs.at(made_id).function().schedule().wrappers().count(""), 1u);
    EXPECT_EQ(funcs.at(made_id + 1).function().schedule().compute_level().var_name(), LoopLevel::root().var_name());
    const std::string g = "f" + std::to_string(made_id), wrapper = "f" + std::to_string(made_id + 1);
    EXPECT_NE(text(schedule).find("Func " + wrapper + " = " + g + ".in();"), std::string::npos) << text(schedule);
    EXPECT_NE(text(schedule).find(wrapper + ".compute_root();"), std::string::npos);
}

TEST_F(ApplyToAReduction, bounds_storage) {
    const Directive d{.func_id = id, .verb = Verb::BoundStorage, .loops = {arg(0)}, .number = 8};
    apply_schedule({d}, view);
    EXPECT_TRUE(Internal::is_const(sum.function().schedule().storage_dims()[0].bound, 8));
    EXPECT_NE(text({d}).find(".bound_storage(f" + std::to_string(id) + "_d0, 8);"), std::string::npos) << text({d});
}

TEST_F(ApplyToAReduction, splits_the_loop_around_all_others) {
    const Directive d{.func_id = id,
                      .verb = Verb::Split,
                      .loops = {outermost(), outermost(), made("single")},
                      .number = 1,
                      .tail = TailStrategy::GuardWithIf};
    apply_schedule({d}, view);
    const auto &dims = sum.function().definition().schedule().dims();
    EXPECT_EQ(dims[dims.size() - 2].var, Var::outermost().name() + ".single");
    EXPECT_NE(text({d}).find("split(__outermost, __outermost, single, 1,"), std::string::npos) << text({d});
}

TEST_F(ApplySchedule, passes_on_what_halide_refuses) {
    EXPECT_THROW(apply_schedule({{.func_id = output_id, .verb = Verb::Vectorize, .loops = {made("nowhere")}}}, view),
                 Halide::CompileError);
}

}  // namespace
}  // namespace fusion

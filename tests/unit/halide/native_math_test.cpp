/// Which calls become instructions of the GPU, and that what is left compiles. How exact they are can only be seen on a GPU:
/// tests/pipelines compares there.
#include "fusion/rewrites/native_math.h"

#include <sstream>

#include "fusion/folders.h"
#include "fusion/halide/verify.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::planned;
using testing::stage;

class NativeMathOfFunc : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    const RDom r{0, 64, "r"};
    ImageParam in{Float(32), 2, "in"}, other{Float(32), 2, "other"};
    const Expr a = in(x, y), b = other(x, y);

    static std::string text(const Expr &e) {
        std::ostringstream out;
        out << e;
        return out.str();
    }

    /// The value of a Func after the rewrite, as text.
    std::string rewritten(const Expr &value) {
        Func f("f");
        f(x, y) = value;
        const std::string before = text(f.value());
        const bool changed = use_native_math(f.function());
        const std::string after = text(f.value());
        EXPECT_EQ(changed, after != before);
        return after;
    }
    int natives(const Expr &value) { return testing::count_matches(rewritten(value), "llvm\\.nvvm\\."); }
    bool becomes(const Expr &value, const char *instruction) {
        return rewritten(value).find(std::string("llvm.nvvm.") + instruction) != std::string::npos;
    }

    static Planned plan(const Func &output, const std::string &rewrites = "all", const Target &target = cuda()) {
        Options options;
        options.rewrites = rewrites;
        return plan_pipeline(testing::functions({output}), target, options, "tested");
    }
    Func over_image(const Expr &value) {
        Func f("output");
        f(x, y) = value;
        f.set_estimates({{0, 1024}, {0, 1024}});
        return f;
    }
    /// Compiles the code of the host too: LLVM aborts the process where it meets an instruction of the GPU there.
    static void compiles(const Planned &p) {
        EXPECT_EQ(p.plan.fallback, "");
        const TemporaryFolder folder;
        Pipeline pipeline = scheduled_copy(p.schedule, p.view);
        pipeline.compile_to({{OutputFileType::object, folder.file("host.o")}}, pipeline.infer_arguments(), "tested",
                            cuda());
    }
};

TEST_F(NativeMathOfFunc, functions_that_the_gpu_has_are_replaced) {
    EXPECT_TRUE(becomes(exp(a), "ex2"));
    EXPECT_TRUE(becomes(log(a), "lg2"));
    EXPECT_TRUE(becomes(tanh(a), "ex2"));
    EXPECT_TRUE(becomes(tanh(a), "rcp"));
    EXPECT_TRUE(becomes(1.0f / a, "rcp"));
    EXPECT_TRUE(becomes(b / a, "rcp"));
    EXPECT_TRUE(becomes(1.0f / sqrt(a), "rsqrt"));
    EXPECT_TRUE(becomes(b / sqrt(a), "rsqrt"));
}

TEST_F(NativeMathOfFunc, each_is_one_instruction_and_tanh_two) {
    for (const Expr &e : {exp(a), log(a), b / a, b / sqrt(a)}) {
        EXPECT_EQ(natives(e), 1) << e;
    }
    EXPECT_EQ(natives(tanh(a)), 2);
}

TEST_F(NativeMathOfFunc, one_inside_another_is_replaced_too) {
    EXPECT_EQ(natives(exp(log(a) / b)), 3);
    EXPECT_EQ(natives(select(a > 0, exp(a), log(b))), 2);
}

// Halide names what a definition uses twice: (let t0 = ... in ...).
TEST_F(NativeMathOfFunc, what_is_used_twice_is_replaced_too) {
    EXPECT_EQ(natives(tanh(a * (1.0f + a * a)) * a), 2);
    EXPECT_EQ(natives(exp(a) + a), 1);
    Param<float> scale("scale");
    EXPECT_EQ(natives(exp(scale) + scale + a), 0) << "unless it is a parameter";
    Func shared("shared");
    shared(x, y) = a + exp(scale) * scale;
    EXPECT_EQ(natives(b * b + exp(shared(x, y))), 1);
    Func hidden("hidden");
    hidden(x, y) = scale * scale;
    EXPECT_EQ(natives(a * a + exp(hidden(x, y))), 0) << "nor where another Func has a let of the same name";
}

TEST_F(NativeMathOfFunc, other_functions_and_types_are_left) {
    EXPECT_EQ(natives(sin(a) + pow(a, b) + sqrt(a) + floor(a)), 0);
    EXPECT_EQ(natives(exp(cast<double>(a)) + cast<double>(a) / cast<double>(b)), 0);
    EXPECT_EQ(natives(cast<float>(cast<int>(a) / cast<int>(b))), 0);
    EXPECT_EQ(natives(cast<float>(cast<float16_t>(a) / cast<float16_t>(b))), 0);
}

TEST_F(NativeMathOfFunc, dividing_by_a_constant_is_left) {
    EXPECT_EQ(natives(a / 3.0f), 0);
    EXPECT_EQ(natives(exp(a) / 3.0f), 1) << "but not what is divided";
}

TEST_F(NativeMathOfFunc, what_is_strict_is_left) {
    EXPECT_EQ(natives(strict_float(exp(a) / b)), 0);
}

TEST_F(NativeMathOfFunc, update_definitions_are_rewritten) {
    Func f("f");
    f(y) = 0.0f;
    f(y) += exp(in(r, y));
    f(y) = 1.0f / f(y);
    EXPECT_TRUE(use_native_math(f.function()));
    EXPECT_NE(text(f.update_values(0)[0]).find("ex2"), std::string::npos);
    EXPECT_NE(text(f.update_values(1)[0]).find("rcp"), std::string::npos);
    EXPECT_FALSE(use_native_math(f.function())) << "a second time";
}

TEST_F(NativeMathOfFunc, the_elements_of_a_tuple_are_rewritten) {
    Func f("f");
    f(x, y) = Tuple(exp(a), 1.0f / b);
    EXPECT_TRUE(use_native_math(f.function()));
    EXPECT_NE(text(f.values()[0]).find("ex2"), std::string::npos);
    EXPECT_NE(text(f.values()[1]).find("rcp"), std::string::npos);
}

TEST_F(NativeMathOfFunc, what_loads_nothing_is_left_since_the_host_computes_it) {
    Param<float> scale("scale");
    Func ramp("ramp"), half("half");
    ramp(x) = cast<float>(x);
    half(x) = ramp(x) * 0.5f;
    EXPECT_EQ(natives(a * exp(scale)), 0);
    EXPECT_EQ(natives(a * exp(cast<float>(x))), 0);
    EXPECT_EQ(natives(a * exp(half(x))), 0) << "nor through other Funcs";
    EXPECT_EQ(natives(a / scale), 0);
}

TEST_F(NativeMathOfFunc, what_loads_through_other_funcs_is_replaced) {
    Func shifted("shifted"), sum("sum");
    shifted(x, y) = in(x, y) + 1.0f;
    sum(y) = 0.0f;
    sum(y) += 1.0f;
    EXPECT_EQ(natives(exp(shifted(x, y))), 1);
    EXPECT_EQ(natives(a / sum(y)), 1) << "an update keeps its values in memory";
}

TEST_F(NativeMathOfFunc, pipelines_whose_host_computes_a_part_compile) {
    Param<float> scale("scale");
    scale.set_estimate(1.0f);
    Func ramp("ramp");
    ramp(x) = exp(cast<float>(x) * 0.01f) / scale;
    compiles(plan(over_image(a * exp(scale) / (1.0f + scale))));
    compiles(plan(over_image(a * ramp(x) + exp(b))));
    compiles(plan(over_image(tanh(scale * a) / log(scale))));
}

TEST_F(NativeMathOfFunc, a_load_that_simplification_removes_does_not_count) {
    compiles(plan(over_image(exp(a * 0.0f) + b)));
    compiles(plan(over_image(b / exp(a - a))));
    Func zero("zero");
    zero(x, y) = in(x, y) * 0.0f + 2.0f;
    compiles(plan(over_image(b / zero(x, y) + exp(zero(x, y)))));
}

// Neither Func shows it: only lowering does, and the check of the lowered statement sees it.
TEST_F(NativeMathOfFunc, a_load_that_only_lowering_removes_gives_the_plan_up_for_one_without_rewrites) {
    Func first("first"), second("second");
    first(x, y) = in(x, y) * 2.0f;
    second(x, y) = in(x, y) + in(x, y);
    const Planned p = plan(over_image(b + exp(first(x, y) - second(x, y))));
    EXPECT_TRUE(p.plan.rewrites.empty());
    EXPECT_EQ(p.plan.groups.size(), 1u);
    compiles(p);
}

TEST_F(NativeMathOfFunc, what_a_cpu_loop_of_the_user_may_inline_is_left) {
    Func e("e"), middle("middle"), output("output");
    e(x, y) = exp(a);
    middle(x, y) = e(x, y) + 1.0f;
    output(x, y) = middle(x, y) / b;
    output.set_estimates({{0, 1024}, {0, 1024}});
    output.parallel(y).vectorize(x, 8);
    const Planned p = plan(output);
    EXPECT_TRUE(p.plan.rewrites.empty());
    compiles(p);
}

TEST_F(NativeMathOfFunc, what_feeds_an_extern_stage_is_left) {
    Func e("e"), external("external"), output("output");
    e(x, y) = exp(a);
    external.define_extern("somebody_else", {e}, Float(32), {x, y});
    output(x, y) = exp(external(x, y));
    for (Func *f : {&e, &output}) {
        f->set_estimates({{0, 1024}, {0, 1024}});
    }
    const Planned p = plan(output);
    ASSERT_EQ(p.plan.rewrites.size(), 1u);
    EXPECT_EQ(p.view.sources[p.plan.rewrites[0].func_id].function.name(), output.name());
}

TEST_F(NativeMathOfFunc, the_plan_lists_each_func_once_with_what_it_saves) {
    Func total("total"), output("output");
    total(y) = 0.0f;
    total(y) += exp(in(r, y));
    output(x, y) = exp(a) / total(y);
    output.set_estimates({{0, 64}, {0, 4096}});
    const Planned with = plan(output), without = plan(output, "none");
    ASSERT_EQ(with.plan.rewrites.size(), 2u);
    for (const Rewrite &rewrite : with.plan.rewrites) {
        EXPECT_EQ(rewrite.id, "native-math");
        EXPECT_GT(rewrite.saved, 0);
        EXPECT_NE(rewrite.why, "");
    }
    EXPECT_TRUE(without.plan.rewrites.empty());
    EXPECT_LT(stage(with.view, "output").work.total(), stage(without.view, "output").work.total());
    EXPECT_NEAR(stage(without.view, "output").work.total() - stage(with.view, "output").work.total(),
                with.plan.rewrites.back().saved, 1e-9);
}

TEST_F(NativeMathOfFunc, the_option_switches_it) {
    const Func output = over_image(exp(a));
    EXPECT_EQ(plan(output, "all").plan.rewrites.size(), 1u);
    EXPECT_EQ(plan(output, "native-math").plan.rewrites.size(), 1u);
    EXPECT_EQ(plan(output, "none").plan.rewrites.size(), 0u);
    EXPECT_EQ(testing::count_matches(ptx_of(plan(output, "none"), cuda()), "ex2\\.approx\\.ftz"), 0);
    EXPECT_GT(testing::count_matches(ptx_of(plan(output, "all"), cuda()), "ex2\\.approx\\.ftz"), 0);
}

TEST_F(NativeMathOfFunc, a_strict_target_or_opencl_or_a_strict_func_has_none) {
    const Func output = over_image(exp(a));
    EXPECT_TRUE(plan(output, "all", cuda().with_feature(Target::StrictFloat)).plan.rewrites.empty());
    EXPECT_TRUE(plan(output, "all", testing::opencl()).plan.rewrites.empty());
    EXPECT_TRUE(plan(over_image(exp(a) + strict_float(b + 1.0f))).plan.rewrites.empty());
}

TEST_F(NativeMathOfFunc, nothing_changes_before_the_schedule_is_applied) {
    const Func output = over_image(exp(a));
    const std::string before = text(output.value());
    const Planned p = plan(output);
    EXPECT_EQ(text(output.value()), before);
    apply_schedule(p.schedule, p.view);
    EXPECT_NE(text(output.value()), before);
}

TEST_F(NativeMathOfFunc, a_func_that_its_author_scheduled_is_left) {
    Func output = over_image(exp(a));
    Var xi("xi"), yi("yi");
    output.gpu_tile(x, y, xi, yi, 16, 16);
    EXPECT_TRUE(plan(output).plan.rewrites.empty());
}

}  // namespace
}  // namespace fusion

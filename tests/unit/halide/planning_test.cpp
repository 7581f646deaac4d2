#include "fusion/halide/planning.h"

#include <chrono>
#include <functional>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::planned;
using testing::user_error;
using testing::vertex;

const Var x("x"), y("y");

Planned plan_for(const Func &output, const std::string &target) {
    return plan_pipeline({output.function()}, Target(target), Options(), "tested");
}

TEST(Planning, refuses_a_target_that_is_neither_cuda_nor_opencl) {
    Func output("output");
    output(x) = x;
    output.set_estimate(x, 0, 1 << 20);
    for (const char *target : {"x86-64-linux", "x86-64-linux-vulkan"}) {
        const std::string message = user_error([&] { plan_for(output, target); });
        EXPECT_NE(message.find(target), std::string::npos) << message;
        EXPECT_NE(message.find("neither CUDA nor OpenCL"), std::string::npos) << message;
    }
    EXPECT_EQ(plan_for(output, "x86-64-linux-opencl").plan.groups.size(), 1u);
    EXPECT_EQ(plan_for(output, "x86-64-linux-cuda").plan.groups.size(), 1u);
}

/// Inlined, the Tuple would leave a reduction in the block that nobody reads, on which Halide 21 crashes.
TEST(Planning, stores_a_tuple_of_reductions_of_which_one_is_read) {
    ImageParam in(Float(32), 2, "in");
    const RDom r(0, 4096);
    Func sum("sum"), spread("spread"), both("both"), output("output");
    sum(y) = 0.0f;
    sum(y) += in(r, y);
    spread(y) = 0.0f;
    spread(y) += abs(in(r, y) - sum(y));
    both(y) = Tuple(sum(y), spread(y));
    output(y) = both(y)[0] * 2;
    output.set_estimate(y, 0, 4096);
    for (const char *target : {"x86-64-linux-opencl", "x86-64-linux-cuda"}) {
        const Planned p = plan_for(output, target);
        EXPECT_EQ(p.plan.fallback, "");
        EXPECT_EQ(p.plan.placement[vertex(p.view, "both")], Placement::Root);
    }
}

TEST(Planning, refuses_an_empty_pipeline) {
    EXPECT_NE(user_error([] { functions_of(Pipeline()); }).find("empty"), std::string::npos);
    EXPECT_NE(user_error([] { plan_pipeline({}, testing::cuda(), Options(), "tested"); }).find("no output"),
              std::string::npos);
}

TEST(Planning, refuses_a_func_without_definition_by_name) {
    Func nothing("nothing");
    EXPECT_NE(user_error([&] { planned({nothing}); }).find("\"" + nothing.name() + "\""), std::string::npos);
}

TEST(Planning, refuses_missing_estimates_by_func_and_dimension) {
    Func output("output");
    output(x, y) = x + y;
    output.set_estimate(x, 0, 100);
    const std::string message = user_error([&] { planned({output}); });
    EXPECT_NE(message.find("\"" + output.name() + "\""), std::string::npos) << message;
    EXPECT_NE(message.find("dimension 1 (y)"), std::string::npos) << message;
}

TEST(Planning, refuses_an_unknown_device_and_variant) {
    Func output("output");
    output(x) = x;
    output.set_estimate(x, 0, 100);
    Options options;
    options.device = "abacus";
    EXPECT_NE(user_error([&] { plan_pipeline({output.function()}, testing::cuda(), options, "t"); }).find("abacus"),
              std::string::npos);
    options = Options();
    options.variant = "melted";
    EXPECT_NE(user_error([&] { plan_pipeline({output.function()}, testing::cuda(), options, "t"); }).find("melted"),
              std::string::npos);
}

/// A pipeline with a diamond, automatic names, equal names, a reduction and two outputs. `order`: in which the named
/// Funcs are made.
std::string explanation(const std::vector<std::string> &order, const std::string &variant) {
    std::map<std::string, Func> made;
    for (const std::string &name : order) {
        made.emplace(name, Func(name));
    }
    ImageParam in(Float(32), 2, "in"), other(Float(32), 2, "other");
    // Limit: a Func without a name is called f0, f1, ... through the whole process, which no suffix tells apart.
    Func automatic("automatic"), first("twin"), second("twin");
    const Var i, j;
    Func &a = made.at("a"), &b = made.at("b"), &c = made.at("c"), &sum = made.at("sum"), &out = made.at("out"),
         &extra = made.at("extra");
    a(i, j) = in(i, j) + other(j, i);
    b(i, j) = a(i, j) * 2;
    c(i, j) = a(i, j) - 1;
    automatic(i, j) = b(i, j) * c(i, j);
    first(i, j) = exp(automatic(i, j));
    second(i, j) = first(i, j) + a(i, j);
    const RDom r(0, 64);
    sum(j) = 0.0f;
    sum(j) += second(r, j);
    out(i, j) = second(i, j) / sum(j);
    extra(i, j) = second(i, j) * other(i, j);
    for (Func *f : {&out, &extra}) {
        f->set_estimates({{0, 64}, {0, 4096}});
    }
    const Planned p = planned({out, extra}, variant, true);
    return explain_text(p.explained()) + explain_json(p.explained());
}

TEST(Planning, is_the_same_every_time_and_in_every_order_of_creation) {
    const std::string once = explanation({"a", "b", "c", "sum", "out", "extra"}, "fused");
    EXPECT_EQ(explanation({"a", "b", "c", "sum", "out", "extra"}, "fused"), once) << "built again in the same process";
    EXPECT_EQ(explanation({"extra", "out", "sum", "c", "b", "a"}, "fused"), once) << "Funcs made in another order";
    EXPECT_EQ(once.find('$'), std::string::npos) << "no suffix of the process";
    EXPECT_NE(once.find("twin#2"), std::string::npos);
}

TEST(Planning, of_one_pipeline_twice_gives_the_same_text) {
    Func a("a"), output("output");
    ImageParam in(Float(32), 2, "in");
    a(x, y) = in(x, y) + 1;
    output(x, y) = a(x, y) * a(y, x);
    output.set_estimates({{0, 1024}, {0, 1024}});
    const std::string once = explain_text(planned({output}).explained());
    EXPECT_EQ(explain_text(planned({output}).explained()), once);
    const Pipeline pipeline(output);
    EXPECT_EQ(schedule_source(planned({output}), pipeline), schedule_source(planned({output}), pipeline));
}

TEST(Planning, of_a_chain_40_deep_read_twice_at_the_same_point_is_quick_and_one_kernel) {
    ImageParam in(Float(32), 2, "in");
    Func previous("start");
    previous(x, y) = in(x, y) + 1;
    for (int k = 0; k < 40; k++) {
        Func next("stage_" + std::to_string(k));
        next(x, y) = max(previous(x, y), 0.05f) * 1.5f - previous(x, y) * 0.5f;
        previous = next;
    }
    previous.set_estimates({{0, 8192}, {0, 8192}});
    const auto begin = std::chrono::steady_clock::now();
    const Planned p = planned({previous});
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(p.ledger.planned.launches, 1);
    EXPECT_EQ(p.ledger.unfused.launches, 41);
    EXPECT_EQ(p.ledger.planned.bytes_read + p.ledger.planned.bytes_written, 2.0 * 8192 * 8192 * 4);
    EXPECT_LT(seconds, 1.0);
}

/// A chain of cheap stages over the rows of an image, broadcast over `columns`.
Planned broadcast_over(int columns, int stages) {
    ImageParam in(Float(32), 1, "in"), image(Float(32), 2, "image");
    Func previous("row_0");
    previous(y) = in(y)*0.5f;
    for (int k = 1; k < stages; k++) {
        Func next("row_" + std::to_string(k));
        next(y) = previous(y) * 0.99f + 0.01f;
        previous = next;
    }
    Func output("output");
    output(x, y) = image(x, y) * previous(y);
    output.set_estimates({{0, columns}, {0, 65536}});
    return planned({output});
}

TEST(Planning, keeps_120_cheap_stages_broadcast_over_512_columns_a_kernel_of_their_own) {
    const Planned p = broadcast_over(512, 120);
    EXPECT_EQ(p.plan.groups.size(), 2u);
    EXPECT_EQ(p.ledger.planned.launches, 2);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "row_119")], Placement::Root);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "row_118")], Placement::Inlined);
    for (const Verdict &v : p.plan.verdicts) {
        if (v.producer == vertex(p.view, "row_119")) {
            EXPECT_EQ(v.verdict, "stored");
            EXPECT_EQ(v.rule, "recompute-limit");
        }
    }
}

TEST(Planning, fuses_one_cheap_stage_broadcast_over_512_columns) {
    EXPECT_EQ(broadcast_over(512, 1).plan.groups.size(), 1u);
}

TEST(Planning, schedule_source_names_every_func_by_its_place_in_the_pipeline) {
    ImageParam in(Float(32), 2, "in");
    Func a("a"), output("output");
    a(x, y) = in(x, y) + 1;
    output(x, y) = a(x, y) * 2;
    output.set_estimates({{0, 1024}, {0, 1024}});
    const Planned p = planned({output}, "unfused");
    Pipeline pipeline(output);
    const std::string source = schedule_source(p, pipeline);
    for (int i = 0; i < 3; i++) {
        EXPECT_NE(
            source.find("pipeline.get_func(" + std::to_string(i) + ");  // " + pipeline.get_func(i).name() + "\n"),
            std::string::npos)
            << source;
    }
    EXPECT_NE(source.find("compute_root()"), std::string::npos);
    EXPECT_NE(source.find("specialize("), std::string::npos);
}

}  // namespace
}  // namespace fusion

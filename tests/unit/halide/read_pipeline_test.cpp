#include "fusion/halide/read_pipeline.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::read;
using testing::reads;
using testing::stage;
using testing::user_error;
using testing::vertex;

class ReadPipeline : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func producer{"producer"}, output{"output"};

    void set_size(Func f, int width = 64, int height = 32) { f.set_estimate(x, 0, width).set_estimate(y, 0, height); }
};

TEST_F(ReadPipeline, has_one_vertex_a_definition_and_an_input) {
    producer(x, y) = in(x, y) + 1;
    output(x, y) = producer(x, y) * 2;
    set_size(output);
    const PipelineView view = read({output});
    ASSERT_EQ(num_vertices(view.graph), 3u);
    EXPECT_EQ(view.graph[0].func, "in");
    EXPECT_EQ(view.graph[0].role, Role::Input);
    EXPECT_EQ(view.graph[1].func, "producer");
    EXPECT_EQ(view.graph[1].role, Role::Intermediate);
    EXPECT_EQ(view.graph[2].func, "output");
    EXPECT_EQ(view.graph[2].role, Role::Output);
    EXPECT_EQ(num_edges(view.graph), 2u);
}

TEST_F(ReadPipeline, numbers_producers_before_consumers) {
    // A diamond whose arms have different lengths, and a second output that is read by the first.
    Func a("z_first"), b("m"), c("a_last"), second("second");
    a(x, y) = in(x, y) + 1;
    b(x, y) = a(x, y) * 2;
    c(x, y) = b(x, y) - a(x, y);
    second(x, y) = c(x, y) + b(x, y);
    output(x, y) = second(x, y) * a(x, y);
    set_size(output);
    set_size(second);
    const PipelineView view = read({output, second});
    for (const Edge &e : edges_in_order(view.graph)) {
        EXPECT_LT(source(e, view.graph), target(e, view.graph));
    }
    EXPECT_EQ(num_vertices(view.graph), 6u);
    EXPECT_EQ(stage(view, "second").role, Role::Output);
    EXPECT_EQ(reads(view, "second", "output").size(), 1u);
}

TEST_F(ReadPipeline, gives_the_region_and_types_of_each_stage) {
    producer(x, y) = cast<uint16_t>(in(x, y));
    output(x, y) = producer(x - 1, y) + producer(x + 2, y);
    set_size(output);
    const PipelineView view = read({output});
    const Stage &s = stage(view, "producer");
    ASSERT_EQ(s.dims.size(), 2u);
    EXPECT_EQ(s.dims[0], (Extent{"x", -1, 67}));
    EXPECT_EQ(s.dims[1], (Extent{"y", 0, 32}));
    EXPECT_EQ(s.value_bytes, 2);
    EXPECT_FALSE(s.unbounded);
    const std::vector<Read> halo = reads(view, "producer", "output");
    ASSERT_EQ(halo.size(), 1u);
    EXPECT_EQ(halo[0].kind, ReadKind::Stencil);
    EXPECT_EQ(halo[0].region[0].min, -1);
    EXPECT_EQ(halo[0].region[0].extent, 67) << "64 points and a halo of three";
}

TEST_F(ReadPipeline, makes_each_update_a_vertex_that_depends_on_the_one_before) {
    const RDom r(0, 16, "r");
    output(x) = 0.0f;
    output(x) += in(r, x);
    output(x) = output(x) * 2;
    output.set_estimate(x, 0, 32);
    const PipelineView view = read({output});
    ASSERT_EQ(num_vertices(view.graph), 4u);
    const Vertex pure = vertex(view, "output", 0), sum = vertex(view, "output", 1), doubled = vertex(view, "output", 2);
    EXPECT_TRUE(view.graph[pure].has_updates);
    EXPECT_EQ(view.graph[pure].func_id, view.graph[doubled].func_id);
    ASSERT_EQ(reads(view, pure, sum).size(), 1u);
    EXPECT_EQ(reads(view, pure, sum)[0].kind, ReadKind::InPlace);
    ASSERT_EQ(reads(view, sum, doubled).size(), 1u);
    ASSERT_EQ(reads(view, vertex(view, "in"), sum).size(), 1u);
    EXPECT_EQ(reads(view, vertex(view, "in"), sum)[0].kind, ReadKind::Reduction);
    ASSERT_EQ(view.graph[sum].reduction.size(), 1u);
    EXPECT_EQ(view.graph[sum].reduction[0].extent, 16);
    EXPECT_EQ(view.graph[sum].points(), 32 * 16);
    EXPECT_EQ(view.graph[sum].elements(), 32);
}

TEST_F(ReadPipeline, lets_readers_of_a_func_depend_on_its_last_update) {
    producer(x, y) = in(x, y);
    producer(0, y) = 1.0f;
    output(x, y) = producer(x, y);
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_EQ(reads(view, vertex(view, "producer", 1), vertex(view, "output")).size(), 1u);
    EXPECT_TRUE(reads(view, vertex(view, "producer", 0), vertex(view, "output")).empty());
}

TEST_F(ReadPipeline, knows_an_input_by_its_wrapper_and_by_itself) {
    Buffer<float> table(64, "table");
    output(x, y) = in(x, y) * table(x);
    set_size(output);
    const PipelineView view = read({output});
    ASSERT_EQ(num_vertices(view.graph), 3u);
    const auto &wrapped = view.sources[stage(view, "in").func_id];
    EXPECT_TRUE(wrapped.is_input_wrapper);
    EXPECT_EQ(wrapped.parameter.name(), "in");
    EXPECT_EQ(wrapped.function.name(), Func(in).name());
    const auto &direct = view.sources[stage(view, "table").func_id];
    EXPECT_FALSE(direct.is_input_wrapper);
    EXPECT_FALSE(direct.function.get_contents().defined());
    EXPECT_EQ(stage(view, "table").role, Role::Input);
    EXPECT_EQ(reads(view, "table", "output").at(0).kind, ReadKind::Broadcast);
}

TEST_F(ReadPipeline, does_not_take_a_shifted_copy_of_an_input_for_the_input) {
    producer(x, y) = in(x + 1, y);
    output(x, y) = producer(x, y);
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_EQ(num_vertices(view.graph), 3u);
    EXPECT_EQ(stage(view, "producer").role, Role::Intermediate);
}

TEST_F(ReadPipeline, keeps_an_output_that_is_a_plain_copy) {
    output(x, y) = in(x, y);
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_EQ(stage(view, "output").role, Role::Output);
    EXPECT_EQ(stage(view, "in").role, Role::Input);
}

TEST_F(ReadPipeline, adds_up_the_elements_of_a_tuple) {
    producer(x, y) = Tuple(in(x, y), cast<uint8_t>(x));
    output(x, y) = producer(x, y)[0] + producer(x, y)[1];
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_EQ(stage(view, "producer").element_bytes, (std::vector<int>{4, 1}));
    EXPECT_EQ(stage(view, "producer").value_bytes, 5);
    EXPECT_EQ(reads(view, "producer", "output").at(0).points, 1) << "both elements of one point";
}

TEST_F(ReadPipeline, reads_an_extern_stage_as_opaque) {
    Func external("external");
    producer(x, y) = in(x, y);
    external.define_extern("somebody_else", {producer}, Float(32), {x, y});
    output(x, y) = external(x, y);
    set_size(output);
    set_size(producer);
    const PipelineView view = read({output});
    EXPECT_TRUE(stage(view, "external").is_extern);
    EXPECT_EQ(reads(view, "producer", "external").at(0).kind, ReadKind::Opaque);
    EXPECT_EQ(reads(view, "external", "output").at(0).kind, ReadKind::Pointwise);
}

TEST_F(ReadPipeline, marks_a_region_without_a_bound) {
    Func table("table");
    table(x) = cast<int>(in(x, 0));
    producer(x) = cast<float>(x);
    output(x) = producer(table(x));
    output.set_estimate(x, 0, 32);
    EXPECT_TRUE(stage(read({output}), "producer").unbounded);
    EXPECT_FALSE(stage(read({output}), "table").unbounded);
}

TEST_F(ReadPipeline, counts_the_work_and_the_values_of_each_definition) {
    producer(x, y) = in(x, y) + 1;
    output(x, y) = sin(producer(x, y));
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_GT(stage(view, "output").work.special, 0);
    EXPECT_EQ(stage(view, "producer").work.special, 0);
    EXPECT_GE(stage(view, "producer").live_values, 1);
}

TEST_F(ReadPipeline, does_not_depend_on_the_order_in_which_funcs_were_made) {
    Func b("late_b"), a("late_a");
    a(x, y) = in(x, y) + 1;
    b(x, y) = in(x, y) + 2;
    output(x, y) = a(x, y) * b(x, y);
    set_size(output);
    const PipelineView view = read({output});
    EXPECT_EQ(view.graph[1].func, "late_a") << "met first in the output's expression";
    EXPECT_EQ(view.graph[2].func, "late_b");
}

TEST_F(ReadPipeline, marks_tuples_whose_unread_elements_read_funcs) {
    Func a("a"), pair("pair"), constant("constant");
    a(x, y) = in(x, y) + 1;
    pair(x, y) = Tuple(in(x, y), a(x, y));
    constant(x, y) = Tuple(a(x, y), 0.0f);
    output(x, y) = pair(x, y)[0] + constant(x, y)[0];
    set_size(output);
    EXPECT_TRUE(stage(read({output}), "pair").partly_read);
    EXPECT_FALSE(stage(read({output}), "constant").partly_read) << "what is not read reads nothing";
    Func both("both");
    both(x, y) = pair(x, y)[0] + pair(x, y)[1];
    set_size(both);
    EXPECT_FALSE(stage(read({both}), "pair").partly_read);
}

TEST_F(ReadPipeline, without_outputs_is_refused) {
    EXPECT_NE(user_error([] { read_pipeline({}); }).find("no output"), std::string::npos);
}

TEST_F(ReadPipeline, of_a_func_without_definition_names_it) {
    Func nothing("nothing");
    EXPECT_NE(user_error([&] { read_pipeline({nothing.function()}); }).find("\"" + nothing.name() + "\""),
              std::string::npos);
}

TEST(DisplayNames, lose_the_suffix_of_the_process_and_are_numbered_where_equal) {
    EXPECT_EQ(display_names({"f", "g$3", "f$1", "f$12", "g"}),
              (std::vector<std::string>{"f", "g", "f#2", "f#3", "g#2"}));
}

// Otherwise Halide 21 crashes in bounds inference (seed 92 of the mixed fuzzer).
TEST_F(ReadPipeline, keeps_updates_apart_that_a_reader_needs_nothing_of) {
    const Var x("x"), y("y");
    ImageParam in(Int(32), 2, "in");
    Func scan("scan"), between("between"), output("output");
    const RDom r(1, 99);
    scan(x, y) = in(x, y);
    scan(x, r) += scan(x, r - 1);
    between(x, y) = scan(x, clamp(y, 0, 99)) + 1;
    output(x, y) = (between(x, y) - between(x, y)) * in(x, y);
    in.set_estimates({{0, 640}, {0, 2560}});
    output.set_estimates({{0, 640}, {0, 2560}});
    const PipelineView view = testing::read({output});
    EXPECT_NE(testing::stage(view, "scan", 1).kept_apart, "");
    EXPECT_EQ(testing::planned({output}, "fused", true).plan.fallback, "");
}

}  // namespace
}  // namespace fusion

/// When the branch for the sizes of the estimates may run: row_condition of schedules/layout.h.
#include "schedules/layout.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::planned;

class RowCondition : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func sum{"sum"}, output{"output"};
    int64_t width = 1024;

    /// Rows of in divided by their sums, which are taken over `r`.
    Planned normalised(const RDom &r) {
        in.dim(0).set_estimate(0, (int)width);
        sum(y) = 0.0f;
        sum(y) += in(r, y);
        output(x, y) = in(x, y) / sum(y);
        output.set_estimates({{0, (int)width}, {0, 65536}});
        return planned({output});
    }

    static const Group &kernel(const Planned &p) { return p.plan.groups.back(); }
    static std::optional<Condition> condition(const Planned &p) { return row_condition(p.view, kernel(p)); }

    /// The value that a field of a buffer must have; -1 where the condition does not ask.
    static int64_t wanted(const Planned &p, BufferField::Kind field, const std::string &buffer, int dim) {
        const auto facts = condition(p);
        for (const Fact &fact : facts.value_or(Condition())) {
            const std::string name = testing::stage(p.view, buffer).func;
            const bool is_it = p.view.graph[testing::vertex(p.view, name)].func_id == fact.left.buffer.func_id;
            if (fact.kind == Fact::EqualsConstant && fact.left.kind == field && fact.left.dim == dim && is_it) {
                return fact.value;
            }
        }
        return -1;
    }
    static int count(const Planned &p, Fact::Kind kind) {
        const auto facts = condition(p);
        int found = 0;
        for (const Fact &fact : facts.value_or(Condition())) {
            found += fact.kind == kind;
        }
        return found;
    }
};

using WholeVectorsCondition = RowCondition;
using RowThreads = RowCondition;

TEST_F(RowCondition, fixes_the_rows_that_are_reduced_and_those_that_are_written) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    ASSERT_EQ(p.plan.groups.size(), 1u);
    EXPECT_EQ(wanted(p, BufferField::Min, "in", 0), 0);
    EXPECT_EQ(wanted(p, BufferField::Extent, "in", 0), 1024);
    EXPECT_EQ(wanted(p, BufferField::Min, "output", 0), 0);
    EXPECT_EQ(wanted(p, BufferField::Extent, "output", 0), 1024);
}

TEST_F(RowCondition, leaves_the_number_of_rows_open) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    EXPECT_EQ(wanted(p, BufferField::Extent, "in", 1), -1);
    EXPECT_EQ(wanted(p, BufferField::Extent, "output", 1), -1);
    EXPECT_EQ(wanted(p, BufferField::Min, "output", 1), -1);
}

TEST_F(RowCondition, of_an_rdom_with_constant_bounds_fixes_the_output_alone) {
    const Planned p = normalised(RDom(0, 1024, "r"));
    EXPECT_EQ(wanted(p, BufferField::Extent, "in", 0), -1);
    EXPECT_EQ(wanted(p, BufferField::Extent, "output", 0), 1024);
}

TEST_F(WholeVectorsCondition, wants_rows_of_any_length_from_the_least_on) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    ASSERT_EQ(kernel(p).tile.vector, 4);
    const auto condition = whole_vectors_condition(p.view, kernel(p), 128);
    ASSERT_TRUE(condition);
    int rows = 0;
    for (const Fact &fact : *condition) {
        if (fact.left.kind == BufferField::Extent) {
            EXPECT_TRUE(fact.kind == Fact::AtLeast || fact.kind == Fact::MultipleOf);
            EXPECT_EQ(fact.value, fact.kind == Fact::AtLeast ? 128 : 4);
            rows++;
        }
    }
    EXPECT_EQ(rows, 4) << "the row that is summed and the one that is written";
}

TEST_F(RowThreads, are_as_many_as_planned_at_the_estimated_width) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    const auto threads = row_threads(p.view, kernel(p));
    ASSERT_TRUE(threads);
    EXPECT_EQ(threads->width.kind, BufferField::Extent);
    EXPECT_EQ(threads->estimate, 1024);
    EXPECT_EQ(threads->most, kernel(p).tile.reducing);
    EXPECT_EQ(threads->vector, 4);
    EXPECT_EQ(threads->turns, 1024 / 4 / threads->most);
}

TEST_F(RowThreads, are_the_tiles_where_a_warp_or_several_blocks_share_a_row) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    Group group = kernel(p);
    group.tile.threads = group.tile.reducing = 32;
    EXPECT_FALSE(row_threads(p.view, group)) << "a warp";
    group.tile.threads = group.tile.reducing = 64;
    EXPECT_TRUE(row_threads(p.view, group));
    group.tile.bands = 2;
    EXPECT_FALSE(row_threads(p.view, group)) << "several blocks";
}

TEST_F(RowThreads, are_the_tiles_where_no_buffer_shows_the_width) {
    const Planned p = normalised(RDom(0, 1024, "r"));
    EXPECT_FALSE(row_threads(p.view, kernel(p)));
}

TEST_F(WholeVectorsCondition, is_none_for_single_elements) {
    width = 1001;
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    ASSERT_EQ(kernel(p).tile.vector, 1);
    EXPECT_FALSE(whole_vectors_condition(p.view, kernel(p), 128));
}

TEST_F(WholeVectorsCondition, is_none_where_no_buffer_shows_the_length) {
    Param<int> length("length");
    length.set_estimate(1024);
    const Planned p = normalised(RDom(0, length, "r"));
    EXPECT_FALSE(whole_vectors_condition(p.view, kernel(p), 128));
}

TEST_F(RowCondition, says_each_fact_once) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    const auto facts = condition(p);
    ASSERT_TRUE(facts.has_value());
    for (size_t i = 0; i < facts->size(); i++) {
        for (size_t j = 0; j < i; j++) {
            const Fact &a = (*facts)[i], &b = (*facts)[j];
            EXPECT_FALSE(a.kind == b.kind && a.left.kind == b.left.kind && a.left.buffer == b.left.buffer &&
                         a.left.dim == b.left.dim);
        }
    }
}

TEST_F(RowCondition, aligns_all_that_vectors_touch) {
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    ASSERT_EQ(kernel(p).tile.vector, 4) << "the case is not the one meant";
    EXPECT_EQ(count(p, Fact::DeviceAligned), 2) << "in and output";
    EXPECT_EQ(count(p, Fact::MultipleOf), 2) << "their rows begin at whole vectors";
}

TEST_F(RowCondition, aligns_nothing_for_single_elements) {
    width = 1023;
    const Planned p = normalised(RDom(in.dim(0).min(), in.dim(0).extent(), "r"));
    ASSERT_EQ(kernel(p).tile.vector, 1);
    EXPECT_EQ(count(p, Fact::DeviceAligned), 0);
    EXPECT_EQ(count(p, Fact::MultipleOf), 0);
    EXPECT_TRUE(condition(p).has_value());
}

TEST_F(RowCondition, is_none_where_a_parameter_is_the_length) {
    Param<int> length("length");
    length.set_estimate(1024);
    const Planned p = normalised(RDom(0, length, "r"));
    EXPECT_FALSE(condition(p).has_value());
}

TEST_F(RowCondition, of_an_intermediate_kernel_takes_the_sizes_of_the_output_behind_it) {
    Func scaled("scaled");
    in.dim(0).set_estimate(0, (int)width);
    sum(y) = 0.0f;
    sum(y) += in(RDom(in.dim(0).min(), in.dim(0).extent(), "r"), y);
    scaled(x, y) = in(x, y) / sum(y);
    scaled.compute_root();
    output(x, y) = scaled(x, y) * 2.0f;
    output.set_estimates({{0, 1024}, {0, 65536}});
    const PipelineView view = testing::read({output});
    Group group;
    group.outputs = {testing::vertex(view, "scaled")};
    group.members = {
        {.stage = testing::vertex(view, "sum", 1), .placement = Placement::AtBlock, .lane = 1, .follows = {1}},
        {.stage = group.outputs[0], .placement = Placement::Root}};
    const auto facts = row_condition(view, group);
    ASSERT_TRUE(facts.has_value());
    const int id = testing::stage(view, "output").func_id;
    EXPECT_TRUE(std::any_of(facts->begin(), facts->end(), [&](const Fact &f) {
        return f.left.kind == BufferField::Extent && f.left.buffer.func_id == id && f.value == 1024;
    }));
}

TEST_F(RowCondition, is_none_where_no_output_shows_the_sizes) {
    Func scaled("scaled"), first("first"), second("second");
    sum(y) = 0.0f;
    sum(y) += in(RDom(0, 1024, "r"), y);
    scaled(x, y) = in(x, y) / sum(y);
    first(x, y) = scaled(x, y) + 1.0f;
    second(x, y) = scaled(x, y) + 2.0f;
    for (Func *f : {&first, &second}) {
        f->set_estimates({{0, 1024}, {0, 65536}});
    }
    const PipelineView view = testing::read({first, second});
    Group group;
    group.outputs = {testing::vertex(view, "scaled")};
    group.members = {
        {.stage = testing::vertex(view, "sum", 1), .placement = Placement::AtBlock, .lane = 1, .follows = {1}},
        {.stage = group.outputs[0], .placement = Placement::Root}};
    EXPECT_FALSE(row_condition(view, group).has_value());
}

}  // namespace
}  // namespace fusion

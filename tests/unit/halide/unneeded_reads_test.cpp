#include "fusion/halide/unneeded_reads.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::stage;

class UnneededReads : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Int(32), 2, "in"};
    Func first{"first"}, between{"between"}, output{"output"};

    PipelineView view() {
        between(x, y) = first(x, clamp(y, 0, 99)) + 1;
        output(x, y) = (between(x, y) - between(x, y)) * in(x, y);
        output.set_estimates({{0, 640}, {0, 2560}});
        in.set_estimates({{0, 640}, {0, 2560}});
        return testing::read({output});
    }
};

TEST_F(UnneededReads, keep_both_ends_and_the_updates_behind_them_apart) {
    const RDom r(1, 99);
    first(x, y) = in(x, y);
    first(x, r) += first(x, r - 1);
    const PipelineView read = view();
    for (const Stage *s : {&stage(read, "first", 1), &stage(read, "between"), &stage(read, "output")}) {
        EXPECT_NE(s->kept_apart, "") << s->func;
    }
    EXPECT_TRUE(stage(read, "output").no_vectors);
}

TEST_F(UnneededReads, leave_the_reader_one_branch_where_its_block_reduces) {
    const RDom r(1, 99), row(0, in.dim(0).extent());
    Func sum("sum");
    first(x, y) = in(x, y);
    first(x, r) += first(x, r - 1);
    between(x, y) = first(x, clamp(y, 0, 99)) + 1;
    sum(y) = 0;
    sum(y) += in(row, y);
    output(x, y) = (between(x, y) - between(x, y)) + sum(y);
    output.set_estimates({{0, 640}, {0, 2560}});
    in.set_estimates({{0, 640}, {0, 2560}});
    const Planned p = testing::planned({output});
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.back().kind, Template::Reduction);
    for (const Directive &d : p.schedule) {
        EXPECT_FALSE(d.verb == Verb::Specialize && d.func_id == stage(p.view, "output").func_id);
    }
}

// Of which Halide 21 crashes in bounds inference (seed 2836 of the mixed fuzzer).
TEST_F(UnneededReads, leave_the_reader_no_tiles) {
    const RDom r(1, 99);
    first(x, y) = in(x, y);
    first(x, r) += first(x, r - 1);
    between(x, y) = first(x, clamp(y, 0, 99)) % 10;
    between(x, y) += first(x, clamp(y, 0, 99));
    output(x, y) = (between(x, y) - between(x, y)) * between(x, y + 1);
    output.set_estimates({{0, 640}, {0, 2560}});
    in.set_estimates({{0, 640}, {0, 2560}});
    const Planned p = testing::planned({output});
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(p.plan.groups.back().kind, Template::Pointwise);
}

TEST_F(UnneededReads, leave_pure_stages_as_they_are) {
    first(x, y) = in(x, y) * 2;
    const PipelineView read = view();
    for (const char *name : {"first", "between", "output"}) {
        EXPECT_EQ(stage(read, name).kept_apart, "") << name;
    }
    EXPECT_FALSE(stage(read, "output").no_vectors);
}

}  // namespace
}  // namespace fusion

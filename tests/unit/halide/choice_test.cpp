#include "schedules/choice.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

/// input, producer, output: func_ids 0, 1, 2.
PipelineView pipeline() {
    const Var x{"x"};
    ImageParam in(Float(32), 1, "in");
    Func producer{"producer"}, output{"output"};
    producer(x) = in(x) + 1;
    output(x) = producer(x) * 2;
    in.set_estimates({{0, 100}});
    output.set_estimates({{0, 100}});
    return testing::read({output});
}

TEST(Choice, TheOutputOfBothIsThatOfTheSecond) {
    const PipelineView first = pipeline(), second = pipeline(), both = view_of_both(first, second);
    EXPECT_EQ(both.sources.size(), 6u);
    EXPECT_EQ(both.sources[2].function.name(), second.outputs[0].name());
    EXPECT_EQ(both.sources[1].function.name(), first.sources[1].function.name());
    EXPECT_EQ(both.sources[4].function.name(), second.sources[1].function.name());
}

TEST(Choice, EachHasABranchOfTheOutput) {
    const PipelineView first = pipeline(), second = pipeline();
    const Condition aligned = {{.kind = Fact::MultipleOf, .left = {BufferField::Stride, {2, 0}, 0}, .value = 4}};
    const Schedule one = {{.func_id = 1, .verb = Verb::ComputeRoot},
                          {.func_id = 2, .branch = 0, .verb = Verb::Specialize, .condition = aligned},
                          {.func_id = 2, .branch = 0, .verb = Verb::Vectorize, .loops = {arg(0)}},
                          {.func_id = 2, .verb = Verb::Parallel, .loops = {arg(0)}},
                          {.func_id = 3, .verb = Verb::Wrap, .other = 1, .callers = {2}}};
    const Schedule other = {{.func_id = 3, .verb = Verb::Wrap, .other = 0, .callers = {1}},
                            {.func_id = 2, .branch = 0, .verb = Verb::Specialize, .condition = aligned},
                            {.func_id = 2, .verb = Verb::Parallel, .loops = {arg(0)}}};
    const Schedule both = schedule_of_both(one, first, other, second);
    ASSERT_EQ(both.size(), 9u);
    EXPECT_EQ(both[0].verb, Verb::Choose);
    EXPECT_EQ(both[0].func_id, 2);
    EXPECT_EQ(both[0].branch, 1);
    EXPECT_EQ(both[1].branch, -1) << "of another Func";
    EXPECT_EQ(both[2].within, 1);
    EXPECT_EQ(both[3].branch, 0);
    EXPECT_EQ(both[4].branch, 1);
    EXPECT_EQ(both[5].func_id, 6) << "made Funcs come after those of both pipelines";
    EXPECT_EQ(both[5].other, 1);
    EXPECT_EQ(both[6].func_id, 7);
    EXPECT_EQ(both[6].other, 3);
    EXPECT_EQ(both[6].callers, std::vector<int>{4});
    EXPECT_EQ(both[7].func_id, 5);
    EXPECT_EQ(both[7].within, -1);
    EXPECT_EQ(both[7].condition[0].left.buffer.func_id, 5);
    EXPECT_EQ(both[8].branch, -1);
}

TEST(Choice, NativeMathGoesFirst) {
    const PipelineView first = pipeline(), second = pipeline();
    const Schedule both = schedule_of_both({{.func_id = 1, .verb = Verb::ComputeRoot}}, first,
                                           {{.func_id = 2, .verb = Verb::NativeMath}}, second);
    EXPECT_EQ(both[0].verb, Verb::NativeMath);
    EXPECT_EQ(both[0].func_id, 5);
}

}  // namespace
}  // namespace fusion

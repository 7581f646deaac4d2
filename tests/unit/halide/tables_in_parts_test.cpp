#include "fusion/rewrites/tables_in_parts.h"

#include "fusion/halide/planning.h"
#include "tests/unit/halide/tables.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

const Device &h200() {
    return device_named("H200");
}

using TablesInParts = testing::Tables;

TEST_F(TablesInParts, AreMadeOnce) {
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    const auto reached = outputs();
    EXPECT_THAT(use_tables_in_parts(reached, h200()), ElementsAre(counts.name()));
    EXPECT_THAT(use_tables_in_parts(reached, h200()), IsEmpty());
    EXPECT_EQ(Internal::build_environment(reached).count(counts.name()), 0u);
}

TEST_F(TablesInParts, AreMadeOfEachChannel) {
    const RDom r = whole();
    counts(level, c) = 0;
    counts(pixel(r.x, r.y, c), c) += 1;
    EXPECT_THAT(use_tables_in_parts(outputs(true), h200()), ElementsAre(counts.name()));
}

TEST_F(TablesInParts, OfPiecesThatComeOutEvenPassTheirCheck) {
    const RDom r(0, 640, 0, 300);
    counts(level) = 0;
    counts(pixel(r.x, r.y) % 16) += 1;
    output(level) = counts(clamp(level, 0, 15));
    output.set_estimates({{0, 16}});
    in.set_estimates({{0, 640}, {0, 300}, {0, 3}});
    const Planned planned = plan_pipeline(testing::functions({output}),
                                          Target("x86-64-linux-cuda-cuda_capability_80-no_runtime"), Options(), "even");
    EXPECT_EQ(planned.plan.fallback, "");
    ASSERT_FALSE(planned.plan.rewrites.empty());
    EXPECT_EQ(planned.plan.rewrites[0].id, "tables-in-parts");
}

TEST_F(TablesInParts, AreNotMadeOfFewSteps) {
    width = 40, height = 40;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_THAT(use_tables_in_parts(outputs(), h200()), IsEmpty());
}

TEST_F(TablesInParts, AreNoOutputs) {
    const RDom r = whole();
    output(level) = 0;
    output(pixel(r.x, r.y)) += 1;
    output.set_estimates({{0, 256}});
    in.set_estimates({{0, width}, {0, height}, {0, channels}});
    EXPECT_THAT(use_tables_in_parts(testing::functions({output}), h200()), IsEmpty());
}

}  // namespace
}  // namespace fusion

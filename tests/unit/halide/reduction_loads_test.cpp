/// How the kernels of blocks that reduce together load: once where threads can hold a row, and in vectors.
#include "tests/unit/halide/reduction_template.h"

namespace fusion {
namespace {

TEST_F(ReductionTemplate, loads_a_row_that_threads_can_hold_once) {
    const Planned p = planned({softmax(32768, 4096)});
    EXPECT_EQ(p.plan.groups.back().tile.per_thread, 4);
    const std::string text = kernels(p).at(0).text;
    EXPECT_GE(wide_loads(text), 8);
    EXPECT_LE(wide_loads(text), 9) << "for two reductions and the output";
    EXPECT_EQ(count_matches(text, "ld\\.global"), wide_loads(text));
}

TEST_F(ReductionTemplate, loads_slices_side_by_side_in_vectors) {
    Func sum("sum"), squares("squares"), output("output");
    const RDom r = row();
    const Expr count = cast<float>(in.dim(0).extent());
    sum(y) = 0.0f;
    sum(y) += in(r, y);
    squares(y) = 0.0f;
    squares(y) += (in(r, y) - sum(y) / count) * (in(r, y) - sum(y) / count);
    output(x, y) = in(x, y) * count / squares(y);
    in.set_estimates({{0, 65536}, {0, 2048}});
    output.set_estimates({{0, 65536}, {0, 2048}});
    const Planned p = planned({output});
    ASSERT_EQ(p.plan.rewrites.at(0).id, "single-pass-variance");
    // 1024 slices, four a thread.
    const Planned vectors = with_tile(p, {.vector = 4, .threads = 256, .reducing = 256});
    const Decision sound = verified(vectors);
    EXPECT_TRUE(sound.allowed()) << sound.why();
    const std::string text = kernels(vectors).at(0).text;
    EXPECT_GE(wide_loads(text), 3 + 8) << "the middle of three elements, then eight steps";
    EXPECT_EQ(count_matches(text, "ld\\.global"), wide_loads(text));
}

TEST_F(ReductionTemplate, parts_have_branches_of_their_own_and_load_vectors) {
    Func sum("sum"), output("output");
    const RDom r(in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent());
    sum() = 0.0f;
    sum() += in(r.x, r.y);
    output() = sum();
    in.set_estimates({{0, 16384}, {0, 16384}});
    output.set_estimates({});
    const Planned p = planned({output});
    ASSERT_GT(p.plan.groups.back().tile.chunks, 1);
    const std::vector<Kernel> found = kernels(p);
    EXPECT_TRUE(std::any_of(found.begin(), found.end(), [](const Kernel &kernel) {
        const int wide = wide_loads(kernel.text);
        return wide >= 2 && wide == count_matches(kernel.text, "ld\\.global");
    }));
}

}  // namespace
}  // namespace fusion

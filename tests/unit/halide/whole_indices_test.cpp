#include "schedules/whole_indices.h"

#include <gtest/gtest.h>

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class CountPromises : public IRVisitor {
public:
    int found = 0;

private:
    using IRVisitor::visit;
    void visit(const Call *op) override {
        found += op->is_intrinsic(Call::unsafe_promise_clamped);
        IRVisitor::visit(op);
    }
};

class WholeIndicesOfFunc : public ::testing::Test {
protected:
    Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func stored{"stored"}, f{"f"};

    WholeIndicesOfFunc() {
        stored(x, y) = in(x, y) * 2.0f;
        stored.compute_root();
    }

    int promises() {
        keep_indices_whole(f.function());
        CountPromises count;
        f.value().accept(&count);
        return count.found;
    }
};

TEST_F(WholeIndicesOfFunc, indices_of_what_is_stored_are_held_together_and_numbers_need_not) {
    f(x, y) = stored(x, y - 1) + stored(x, y) + stored(3, y);
    EXPECT_EQ(promises(), 5);
    EXPECT_EQ(promises(), 5) << "a second time";
}

TEST_F(WholeIndicesOfFunc, so_are_those_of_inputs) {
    f(x, y) = in(x + 1, y);
    EXPECT_EQ(promises(), 2);
}

TEST_F(WholeIndicesOfFunc, so_are_those_of_what_is_stored_by_the_func_that_is_read_in_its_place) {
    Func kept{"kept"};
    kept(x, y) = stored(x, y) - 1.0f;
    Func wrapper = kept.in();
    wrapper.compute_root();
    kept.compute_at(wrapper, x);
    f(x, y) = kept(x, y + 1);
    EXPECT_EQ(promises(), 2);
}

TEST_F(WholeIndicesOfFunc, what_is_computed_elsewhere_in_the_kernel_is_left) {
    Func inlined{"inlined"}, kept{"kept"};
    inlined(x, y) = stored(x, y) + 1.0f;
    kept(x, y) = stored(x, y) - 1.0f;
    f(x, y) = inlined(x, y + 1) + kept(x, y + 1);
    kept.compute_at(f, x);
    EXPECT_EQ(promises(), 0);
}

TEST_F(WholeIndicesOfFunc, values_and_what_is_asked_for_are_the_same) {
    f(x, y) = stored(x, y - 1) + stored(x, y + 1);
    EXPECT_EQ(promises(), 4);
    f.infer_input_bounds({16, 8});
    const Buffer<float> image = in.get();
    EXPECT_EQ(image.min(0), 0);
    EXPECT_EQ(image.extent(0), 16);
    EXPECT_EQ(image.min(1), -1);
    EXPECT_EQ(image.extent(1), 10);
    Buffer<float> values = image;
    values.for_each_element([&](int i, int j) { values(i, j) = (float)(i + 10 * j); });
    const Buffer<float> out = f.realize({16, 8});
    EXPECT_EQ(out(5, 3), 2.0f * (5 + 20 + 5 + 40));
}

}  // namespace
}  // namespace fusion

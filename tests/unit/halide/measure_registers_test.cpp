#include "fusion/halide/measure_registers.h"

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::planned;
using testing::user_error;

class MeasureRegisters : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};
    Func output{"output"};

    void SetUp() override {
        if (find_ptxas().empty()) {
            GTEST_SKIP() << "no ptxas";
        }
        // Many values that are needed before their sum is known, and again after it.
        std::vector<Expr> values;
        Expr sum = 0.0f;
        for (int i = 0; i < 16; i++) {
            values.push_back(max(in(x, y) * (0.5f + (float)i) + 0.25f, in(x, y) * in(x, y) * (0.1f + (float)i)));
            sum += values.back();
        }
        Expr excess = 0.0f;
        for (const Expr &value : values) {
            excess += max(value - sum, 0.0f);
        }
        output(x, y) = excess;
        output.set_estimates({{0, 4096}, {0, 4096}});
    }
};

TEST_F(MeasureRegisters, puts_what_ptxas_says_into_plan_and_ledger) {
    Planned p = planned({output});
    ASSERT_EQ(p.plan.groups.size(), 1u);
    EXPECT_EQ(p.plan.groups[0].price.registers.source, RegisterSource::Estimated);
    measure_registers(p, cuda(), {64});
    EXPECT_EQ(p.plan.groups[0].price.registers.source, RegisterSource::Measured);
    int most = 0;
    for (const KernelResources &kernel : assemble(ptx_of(p, cuda()), 64)) {
        most = std::max(most, kernel.registers);
    }
    EXPECT_EQ(p.plan.groups[0].price.registers.value, most);
    EXPECT_GE(most, 16);
    EXPECT_LE(most, 64);
    EXPECT_EQ(p.ledger.planned.time_us, p.plan.groups[0].price.time_us);
}

TEST_F(MeasureRegisters, finds_the_kernels_of_funcs_that_halide_had_to_rename) {
    const Func first("renamed"), second("renamed");  // the second one's name gets a suffix
    Func renamed = second;
    renamed(x, y) = in(x, y) + output(x, y);
    renamed.set_estimates({{0, 4096}, {0, 4096}});
    ASSERT_NE(renamed.name().find('$'), std::string::npos) << renamed.name();
    Planned p = planned({renamed});
    measure_registers(p, cuda(), {64});
    for (const Group &group : p.plan.groups) {
        EXPECT_EQ(group.price.registers.source, RegisterSource::Measured);
    }
}

TEST_F(MeasureRegisters, finds_the_kernels_of_parts_in_blocks_of_their_own) {
    const RDom r(0, 1 << 24, "r");
    Func total("total");
    total() = 0.0f;
    total() += in(r, 0);
    in.set_estimates({{0, 1 << 24}, {0, 1}});
    Planned p = planned({total});
    ASSERT_GT(p.plan.groups.back().tile.chunks, 1);
    measure_registers(p, cuda(), {64});
    int most = 0;
    for (const KernelResources &kernel : assemble(ptx_of(p, cuda()), 64)) {
        most = std::max(most, kernel.registers);
    }
    EXPECT_EQ(p.plan.groups.back().price.registers.value, most);
}

// The general branch of a reduction needs more, but the estimates run the first.
TEST_F(MeasureRegisters, finds_what_a_func_that_halide_had_to_rename_keeps_private) {
    Func first("scanned"), second("scanned"), both("both");
    for (Func *f : {&first, &second}) {
        const RDom r(1, 31);
        (*f)(x, y) = in(x, y);
        (*f)(x, r) += (*f)(x, r - 1);
    }
    both(x, y) = first(x, clamp(y, 0, 31)) + second(x, clamp(y, 0, 31));
    both.set_estimates({{0, 1 << 16}, {0, 32}});
    in.set_estimates({{0, 1 << 16}, {0, 32}});
    Planned p = planned({both});
    ASSERT_EQ(p.plan.groups[0].kind, Template::Private);
    measure_registers(p, cuda(), {64});
    for (const Group &group : p.plan.groups) {
        EXPECT_EQ(group.price.registers.source, RegisterSource::Measured) << p.view.graph[group.outputs[0]].func;
    }
}

TEST_F(MeasureRegisters, takes_the_branch_for_the_sizes_of_the_estimates_of_a_reduction) {
    const RDom r(in.dim(0).min(), in.dim(0).extent(), "r");
    Func total("total"), normalised("normalised");
    total(y) = 0.0f;
    total(y) += in(r, y);
    normalised(x, y) = in(x, y) / total(y);
    in.set_estimates({{0, 1024}, {0, 65536}});
    normalised.set_estimates({{0, 1024}, {0, 65536}});
    Planned p = planned({normalised});
    ASSERT_EQ(p.plan.groups.size(), 1u);
    measure_registers(p, cuda(), {64});
    int least = 255, most = 0;
    for (const KernelResources &kernel : assemble(ptx_of(p, cuda()), 64)) {
        least = std::min(least, kernel.registers);
        most = std::max(most, kernel.registers);
    }
    EXPECT_LT(least, most) << "the case is not the one meant";
    EXPECT_EQ(p.plan.groups[0].price.registers.value, least);
}

TEST_F(MeasureRegisters, leaves_the_pipeline_unscheduled) {
    Planned p = planned({output});
    measure_registers(p, cuda(), {64});
    EXPECT_TRUE(output.function().definition().schedule().splits().empty());
    EXPECT_TRUE(output.function().definition().specializations().empty());
}

TEST_F(MeasureRegisters, sees_spills_under_a_low_cap) {
    const std::string ptx = ptx_of(planned({output}), cuda());
    int roomy = 0, tight = 0;
    for (const KernelResources &kernel : assemble(ptx, 255)) {
        roomy += kernel.spilled_bytes;
    }
    for (const KernelResources &kernel : assemble(ptx, 32)) {
        tight += kernel.spilled_bytes;
        EXPECT_LE(kernel.registers, 32);
    }
    EXPECT_EQ(roomy, 0);
    EXPECT_GT(tight, 0);
}

TEST_F(MeasureRegisters, passes_on_what_ptxas_refuses) {
    EXPECT_NE(user_error([] { assemble(".version 7.0\n.target sm_80\nnonsense\n", 64); }).find("ptxas refuses"),
              std::string::npos);
}

}  // namespace
}  // namespace fusion

/// What every type and template compiles to: PTX that ptxas takes.
#include "schedules/lower.h"

#include <set>

#include "fusion/halide/verify.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::planned;
using testing::vertex;

const Var x("x"), y("y"), c("c");

std::set<Verb> verbs(const Planned &p) {
    std::set<Verb> found;
    for (const Directive &d : p.schedule) {
        found.insert(d.verb);
    }
    return found;
}

void expect_assembles(const Planned &p, size_t least_kernels = 1) {
    const std::string ptx = ptx_of(p, cuda());
    ASSERT_GE(testing::entries(ptx).size(), least_kernels);
    if (!find_ptxas().empty()) {
        EXPECT_EQ(assemble(ptx, 64).size(), testing::entries(ptx).size());
    }
}

class LowerType : public ::testing::TestWithParam<Type> {};

TEST_P(LowerType, compiles_for_cuda_and_assembles) {
    const Type type = GetParam();
    ImageParam a(type, 2, "a"), b(type, 2, "b");
    Func sum("sum"), output("output");
    sum(x, y) = type.is_bool() ? a(x, y) ^ b(x, y) : a(x, y) + b(x, y);
    output(x, y) = type.is_bool() ? !sum(x, y) : max(sum(x, y), cast(type, 1));
    output.set_estimates({{0, 4096}, {0, 4096}});
    // 64-bit values have no flat branch: it would have to guard its vectors, which aborts the compiler. float16 has no vectors
    // at all, and so no branch that aligns them.
    const bool is_half = type == Float(16);
    expect_assembles(planned({output}), is_half ? 1 : type.bits() == 64 ? 2 : 3);
}

INSTANTIATE_TEST_SUITE_P(Types, LowerType,
                         ::testing::Values(Float(16), Float(64), UInt(8), Int(8), UInt(16), Int(16), UInt(32), Int(32),
                                           Bool()),
                         [](const auto &info) {
                             const Type &t = info.param;
                             return (t.is_bool()    ? "bool"
                                     : t.is_float() ? "float"
                                     : t.is_uint()  ? "uint"
                                                    : "int") +
                                    std::to_string(t.bits());
                         });

TEST(Lower, compiles_mixed_types_and_tuples) {
    ImageParam bytes(UInt(8), 2, "bytes"), shorts(Int(16), 2, "shorts"), doubles(Float(64), 1, "doubles");
    Func test("test"), output("output");
    test(x, y) = shorts(x, y) > 100;
    output(x, y) = Tuple(select(test(x, y), cast<float>(bytes(x, y)), cast<float>(doubles(x))),
                         cast<uint8_t>(shorts(x, y)), test(x, y));
    output.set_estimates({{0, 4096}, {0, 4096}});
    expect_assembles(planned({output}), 2);
}

TEST(Lower, compiles_for_large_buffers) {
    ImageParam a(Float(32), 2, "a");
    Func output("output");
    output(x, y) = a(x, y) + 1.0f;
    output.set_estimates({{0, 4096}, {0, 4096}});
    const Target large = cuda().with_feature(Target::LargeBuffers);
    const Planned p = planned({output}, "fused", true, large);
    EXPECT_EQ(p.plan.fallback, "");
    const std::string ptx = ptx_of(p, large);
    EXPECT_GE(testing::entries(ptx).size(), 2u);
    // Limit: with 64-bit indices Halide 21 proves no access aligned, so they are all narrow.
}

TEST(Lower, joins_siblings_in_one_launch) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Func first("first"), second("second"), third("third");
    first(x, y) = a(x, y) + b(x, y);
    second(x, y) = a(x, y) - b(x, y);
    third(x, y) = a(x, y) * b(x, y);
    for (Func *f : {&first, &second, &third}) {
        f->set_estimates({{0, 8192}, {0, 8192}});
    }
    const Planned p = planned({first, second, third}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 1u);
    EXPECT_EQ(p.plan.groups[0].kind, Template::Siblings);
    EXPECT_TRUE(verbs(p).count(Verb::ComputeWith));
    EXPECT_FALSE(verbs(p).count(Verb::Specialize));
    const std::string ptx = ptx_of(p, cuda());
    EXPECT_EQ(testing::entries(ptx).size(), 1u);
    expect_assembles(p);
}

TEST(Lower, turns_a_tile_in_shared_memory_for_a_transposed_read) {
    ImageParam a(Float(32), 2, "a");
    Func before("before"), output("output");
    before(x, y) = a(x, y) * 2.0f;
    output(x, y) = before(y, x) + 1.0f;
    output.set_estimates({{0, 8192}, {0, 8192}});
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    ASSERT_EQ(p.plan.groups.size(), 1u);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "before")], Placement::AtBlock);
    const std::string ptx = ptx_of(p, cuda());
    EXPECT_GE(testing::count_matches(ptx, "st\\.shared"), 1);
    EXPECT_GE(testing::count_matches(ptx, "bar\\.sync"), 1);
    expect_assembles(p);
}

TEST(Lower, gives_reductions_blocks_and_scans_and_scatters_parallel_or_single_threads) {
    ImageParam a(Float(32), 2, "a"), where(Int(32), 1, "where");
    const RDom all(0, 256, "all"), scan(1, 255, "scan");
    Func sum("sum"), running("running"), histogram("histogram");
    sum(y) = 0.0f;
    sum(y) += a(all, y);
    running(x, y) = a(x, y);
    running(scan, y) += running(scan - 1, y);
    histogram(x) = 0;
    histogram(clamp(where(all), 0, 255)) += 1;
    sum.set_estimate(y, 0, 1024);
    running.set_estimates({{0, 256}, {0, 1024}});
    histogram.set_estimate(x, 0, 256);
    const Planned p = planned({sum, running, histogram}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_TRUE(verbs(p).count(Verb::GpuSingleThread)) << "the scatter";
    const auto kind = [&](const char *func) {
        for (const Group &group : p.plan.groups) {
            if (group.outputs[0] == vertex(p.view, func, 1)) {
                return group.kind;
            }
        }
        return Template::HostLoops;
    };
    EXPECT_EQ(kind("sum"), Template::Reduction);
    EXPECT_EQ(kind("running"), Template::Parallel);
    EXPECT_EQ(kind("histogram"), Template::Parallel);
    expect_assembles(p, 6);
}

TEST(Lower, leaves_an_extern_stage_and_what_it_reads_on_the_host) {
    ImageParam a(Float(32), 2, "a");
    Func before("before"), external("external"), output("output");
    before(x, y) = a(x, y) + 1;
    external.define_extern("somebody_else", {before}, Float(32), {x, y});
    output(x, y) = external(x, y) * 2;
    for (Func *f : {&before, &output}) {
        f->set_estimates({{0, 1024}, {0, 1024}});
    }
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(p.plan.placement[vertex(p.view, "before")], Placement::Host);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "external")], Placement::Host);
    EXPECT_EQ(p.plan.placement[vertex(p.view, "output")], Placement::Root);
    expect_assembles(p);
}

TEST(Lower, is_the_same_list_each_time) {
    ImageParam a(Float(32), 2, "a");
    Func output("output");
    output(x, y) = a(x, y) + a(y, x);
    output.set_estimates({{0, 1024}, {0, 1024}});
    const Planned p = planned({output}), q = planned({output});
    ASSERT_EQ(p.schedule.size(), q.schedule.size());
    std::map<int, int> index;
    for (int i = 0; i < (int)p.view.sources.size(); i++) {
        index[i] = i;
    }
    EXPECT_EQ(to_cpp(p.schedule, p.view, index), to_cpp(q.schedule, q.view, index));
}

}  // namespace
}  // namespace fusion

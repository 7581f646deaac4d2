/// Pipelines of all kinds drawn at random are planned, run at random sizes and compared exactly with the reference.
/// FUSION_RANDOM_SEEDS in the environment: how many seeds; default 60. FUSION_RANDOM_FIRST: the first; default 1.
#include "tests/pipelines/random_mixed.h"

#include <gtest/gtest.h>

#include <iostream>
#include <random>

#include "tests/pipelines/describe.h"
#include "tests/pipelines/seeds.h"

namespace fusion {
namespace {

const uint32_t kFirst = number("FUSION_RANDOM_FIRST", 1), kSeeds = number("FUSION_RANDOM_SEEDS", 60);

/// A seed, and of how many kinds of stage it draws.
struct Drawn {
    uint32_t seed;
    int kinds = kMixedKinds;
    explicit Drawn(uint32_t seed, int kinds = kMixedKinds) : seed(seed), kinds(kinds) {}
};

void PrintTo(const Drawn &drawn, std::ostream *out) {
    *out << "seed " << drawn.seed << " of " << drawn.kinds << " kinds";
}

std::string drawn_name(const ::testing::TestParamInfo<Drawn> &info) {
    return "Seed" + std::to_string(info.param.seed);
}

class RandomMixedPipelines : public ::testing::TestWithParam<Drawn> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(RandomMixedPipelines, AreRight) {
    const uint32_t seed = GetParam().seed;
    const RandomMixed drawn = random_mixed(seed, GetParam().kinds);
    Runner runner(drawn.builder, Options());
    runner.allow_fewer_launches();
    EXPECT_EQ(runner.planned().plan.fallback, "");
    std::mt19937 random(seed);
    const std::vector<int> extents = {1, 2, 3, 17, 64, 100, 129};
    const auto extent = [&] { return extents[random() % extents.size()]; };
    const auto min = [&] { return (int)(random() % 9) - 4; };
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        // Stages with several updates write row 3, whatever is asked for.
        const Region plane = at({min(), std::min(min(), 3)}, {extent(), 8 + extent()});
        const Region image = at({plane.min[0] + min(), plane.min[1] + min()}, {extent(), extent()});
        runner.check(drawn.regions_in(plane), memory, seed, {{kMixedImage, image}});
    }
    if (HasFailure()) {
        std::cout << describe(drawn.builder, runner.planned());
    }
}

class RandomMixedPlans : public ::testing::TestWithParam<uint32_t> {};

/// What only CUDA gets (vectors, native math) compiles: no GPU is needed for that.
TEST_P(RandomMixedPlans, ForCudaPassTheirCheck) {
    const RandomMixed drawn = random_mixed(GetParam());
    const Planned planned = plan_pipeline(functions_of(drawn.builder().pipeline), kCuda, Options(), "drawn");
    EXPECT_EQ(planned.plan.fallback, "") << describe(drawn.builder, planned);
}

std::vector<Drawn> drawn_by_environment() {
    std::vector<Drawn> drawn;
    for (uint32_t seed = kFirst; seed < kFirst + kSeeds; seed++) {
        drawn.emplace_back(seed);
    }
    return drawn;
}

INSTANTIATE_TEST_SUITE_P(, RandomMixedPipelines, ::testing::ValuesIn(drawn_by_environment()), drawn_name);
/// Seeds that once failed, each with what it was: threads of rows or of a transposed tile, and parts of rows, that no constant
/// bounds (of 24 kinds of stage); a tile's branch that needs nothing of what it reads.
INSTANTIATE_TEST_SUITE_P(Once, RandomMixedPipelines,
                         ::testing::Values(Drawn(3140, 24), Drawn(5096, 24), Drawn(7057, 24), Drawn(2836, 26)),
                         drawn_name);
INSTANTIATE_TEST_SUITE_P(, RandomMixedPlans, ::testing::Range(kFirst, kFirst + (kSeeds + 2) / 3), seed_name);

/// The test draws what it says it draws.
TEST(RandomMixed, DrawEveryTemplateAndKindOfRead) {
    std::map<Template, int> kernels;
    std::map<ReadKind, int> reads;
    int scatters = 0;
    for (uint32_t seed = 1; seed < 61; seed++) {
        Options options;
        options.verify = false;
        const Planned planned =
            plan_pipeline(functions_of(random_mixed(seed).builder().pipeline), kCuda, options, "drawn");
        for (const Group &group : planned.plan.groups) {
            kernels[group.kind]++;
        }
        for (const Edge &e : edges_in_order(planned.view.graph)) {
            reads[planned.view.graph[e].kind]++;
        }
        for (Vertex v = 0; v < num_vertices(planned.view.graph); v++) {
            scatters += planned.view.graph[v].scatters;
        }
    }
    for (const Template kind : {Template::Pointwise, Template::Stencil, Template::Reduction, Template::Private,
                                Template::Parallel, Template::Siblings}) {
        EXPECT_GE(kernels[kind], 1) << name_of(kind);
    }
    for (const ReadKind kind : {ReadKind::Pointwise, ReadKind::Broadcast, ReadKind::Transposed, ReadKind::Stencil,
                                ReadKind::Strided, ReadKind::Reduction, ReadKind::Gather, ReadKind::InPlace}) {
        EXPECT_GE(reads[kind], 5) << name_of(kind);
    }
    EXPECT_GE(scatters, 10);
}

}  // namespace
}  // namespace fusion

/// Pipelines with reductions drawn at random are planned, run at random sizes and compared with the reference.
/// FUSION_RANDOM_SEEDS in the environment: how many seeds, from 1 on; default 40. FUSION_RANDOM_FIRST: the first seed.
#include "tests/pipelines/random_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <random>

#include "fusion/reduction_kernel.h"
#include "tests/pipelines/describe.h"
#include "tests/pipelines/seeds.h"

namespace fusion {
namespace {

class RandomRowPipelines : public ::testing::TestWithParam<uint32_t> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

class RandomRowPlans : public ::testing::TestWithParam<uint32_t> {};

/// The elements of the image that a test fills.
double elements(const Region &region) {
    double product = 1;
    for (const int extent : region.extent) {
        product *= extent;
    }
    return product;
}

class Sizes {
public:
    Sizes(const RandomRows &rows, uint32_t seed) : rows(rows), random(seed) {}

    /// Each dimension of any length, or as the estimate says.
    Region draw(bool has_mins) {
        static const std::vector<int> extents = {1, 2, 3, 17, 31, 64, 127, 255, 257, 509, 1000, 1024};
        Region region = rows.estimate;
        for (int d = 0; d < (int)region.extent.size(); d++) {
            if (std::count(rows.fixed.begin(), rows.fixed.end(), d) == 0) {
                region.extent[d] = d == 2 ? 1 + (int)(random() % 3) : extents[random() % extents.size()];
                region.min[d] = has_mins ? (int)(random() % 9) - 4 : 0;
            }
        }
        for (int d = 0; d < 2 && elements(region) > 1 << 18; d++) {
            if (std::count(rows.fixed.begin(), rows.fixed.end(), d) == 0) {
                region.extent[d] = std::min(region.extent[d], 129);
            }
        }
        return region;
    }

    /// As the estimate says, but not as many rows.
    Region estimated() const {
        Region region = rows.estimate;
        for (int d = (int)region.extent.size() - 1; d >= 0 && elements(region) > 1 << 19; d--) {
            if (std::count(rows.fixed.begin(), rows.fixed.end(), d) == 0) {
                region.extent[d] = std::min(region.extent[d], 67);
            }
        }
        return region;
    }

    /// A part of a region.
    Region crop(Region region) {
        for (size_t d = 0; d < region.extent.size(); d++) {
            const int before = (int)(random() % 3) * (region.extent[d] / 4);
            region.min[d] += before;
            region.extent[d] -= before;
        }
        return region;
    }

private:
    const RandomRows &rows;
    std::mt19937 random;
};

TEST_P(RandomRowPipelines, AreRight) {
    const uint32_t seed = GetParam();
    const RandomRows rows = random_rows(seed);
    Runner runner(rows.builder, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    Sizes sizes(rows, seed);
    const auto check = [&](const Region &whole, const Region &used, Memory memory) {
        runner.check(rows.regions_in(used), memory, seed, {{kWholeInput, whole}});
    };
    const Region estimated = sizes.estimated();
    check(estimated, estimated, Memory::Dense);
    check(estimated, estimated, Memory::Misplaced);
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        const Region whole = sizes.draw(memory != Memory::Dense);
        check(whole, rows.can_be_cropped && memory != Memory::Dense ? sizes.crop(whole) : whole, memory);
    }
    if (HasFailure()) {
        std::cout << describe(rows.builder, runner.planned());
    }
}

/// What only CUDA gets (vectors, native math) compiles: no GPU is needed for that.
TEST_P(RandomRowPlans, ForCudaPassTheirCheck) {
    const RandomRows rows = random_rows(GetParam());
    const Planned planned = plan_pipeline(functions_of(rows.builder().pipeline), kCuda, Options(), "drawn");
    EXPECT_EQ(planned.plan.fallback, "") << describe(rows.builder, planned);
}

const uint32_t kFirst = number("FUSION_RANDOM_FIRST", 1), kSeeds = number("FUSION_RANDOM_SEEDS", 40);

INSTANTIATE_TEST_SUITE_P(, RandomRowPipelines, ::testing::Range(kFirst, kFirst + kSeeds), seed_name);
/// Seeds that once failed: an infinity in a maximum that is written out, and outputs of three dimensions that others read (CUDA).
INSTANTIATE_TEST_SUITE_P(Once, RandomRowPipelines, ::testing::Values(567u, 602u, 694u), seed_name);
INSTANTIATE_TEST_SUITE_P(, RandomRowPlans, ::testing::Range(kFirst, kFirst + kSeeds), seed_name);

/// The test draws what it says it draws.
TEST(RandomRows, DrawsEveryKindAndIsRepeatable) {
    int kept = 0, several = 0, columns = 0, broadcast = 0, two_outputs = 0, read_twice = 0, three_dimensions = 0;
    for (uint32_t seed = 1; seed < 41; seed++) {
        const RandomRows rows = random_rows(seed);
        EXPECT_EQ(rows.outputs, random_rows(seed).outputs);
        two_outputs += rows.outputs.size() == 2;
        three_dimensions += rows.estimate.extent.size() == 3;
        Options options;
        options.verify = false;
        const Planned planned = plan_pipeline(functions_of(rows.builder().pipeline), kCuda, options, "drawn");
        const StageGraph &graph = planned.view.graph;
        int reductions = 0;
        for (Vertex v = 0; v < num_vertices(graph); v++) {
            if (!is_reduction(graph[v])) {
                continue;
            }
            reductions++;
            kept += planned.plan.placement[v] == Placement::AtBlock;
            read_twice += consumers_of(graph, v).size() > 1;
        }
        several += reductions > 1;
        for (const Group &group : planned.plan.groups) {
            for (const Member &member : group.members) {
                columns += is_reduction(graph[member.stage]) && !reduces_along_lanes(graph, member);
            }
        }
        for (const Edge &e : edges_in_order(graph)) {
            broadcast += graph[e].kind == ReadKind::Broadcast && is_reduction(graph[source(e, graph)]);
        }
    }
    EXPECT_GE(kept, 15);
    EXPECT_GE(several, 15);
    EXPECT_GE(columns, 8);
    EXPECT_GE(broadcast, 15);
    EXPECT_GE(two_outputs, 10);
    EXPECT_GE(read_twice, 5);
    EXPECT_GE(three_dimensions, 5);
}

}  // namespace
}  // namespace fusion

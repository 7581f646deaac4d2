#include "fusion/folded_kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/fold_steps.h"
#include "fusion/footprint.h"
#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Of each of seven steps: differences of an image, their sums over a window of seven, and a fold of those for three channels.
class FoldedKernel : public ::testing::Test {
protected:
    Builder b;
    Vertex in, squares, window, fold;

    FoldedKernel() {
        in = b.input("in", {1024, 512});
        squares = b.stage("squares", {1024, 512, 7}, {{in, ReadKind::Broadcast, 1, {0, 1}}}, 8);
        window = b.stage("window", {1024, 512, 7}, {{squares, ReadKind::Stencil, 7}}, 7);
        b.graph[edge(squares, window, b.graph).first].reach = {{-3, 3}, {0, 0}, {0, 0}};
        fold = add_fold("fold", {1024, 512, 3});
    }

    Vertex add_fold(const std::string &name, const Sizes &sizes) {
        const int steps = (int)sizes.size();
        const Vertex update = add_reduction(b, name, sizes, {7}, {{window, ReadKind::Reduction, 1, {0, 1, steps}}});
        const Edge read = edge(window, update, b.graph).first;
        b.graph[read].reach = {{0, 0}, {0, 0}, {0, 0}};
        b.graph[read].is_box = false;
        return update;
    }

    Group kernel(Placement of_window, Placement of_squares = Placement::AtBlock) {
        std::vector<Placement> placement(num_vertices(b.graph), Placement::Root);
        placement[squares] = of_squares;
        placement[window] = of_window;
        placement[fold - 1] = Placement::AtThread;
        Group group = trace_kernel(b.graph, placement, {fold});
        group.kind = Template::Folded;
        group.tile = {.per_thread = 2, .threads = 256, .lanes = 32, .slices = 3, .dims = folded_dims(b.graph, group)};
        return group;
    }

    const Member &member(const Group &group, Vertex stage) const {
        return *std::find_if(group.members.begin(), group.members.end(),
                             [&](const Member &m) { return m.stage == stage; });
    }
};

TEST_F(FoldedKernel, MovesTheStagesOfItsStepsTogether) {
    EXPECT_THAT(stages_of_steps(b.graph)[window], ElementsAre(squares, window));
    EXPECT_THAT(stages_of_steps(b.graph)[squares], ElementsAre(squares, window));
    EXPECT_TRUE(is_shared_in_step(b.graph, {squares, window}, squares));
    EXPECT_TRUE(is_shared_in_step(b.graph, {squares, window}, window)) << "by three channels";
}

TEST_F(FoldedKernel, TakesAllFoldsThatReadTheSameStages) {
    const Vertex total = add_fold("total", {1024, 512});
    const std::vector<Vertex> stages = stages_of_steps(b.graph)[window];
    EXPECT_THAT(stages, ElementsAre(squares, window, fold, total));
    EXPECT_TRUE(is_shared_in_step(b.graph, stages, window));
}

TEST_F(FoldedKernel, LeavesStagesThatOthersReadToo) {
    b.output("seen", {1024, 512, 7}, {{window}});
    EXPECT_THAT(stages_of_steps(b.graph)[window], IsEmpty());
}

TEST_F(FoldedKernel, LeavesStepsOfWhichThreadsShareNothing) {
    for (Reach &reach : b.graph[edge(squares, window, b.graph).first].reach) {
        reach = {};
    }
    b.graph[fold].dims.back().extent = 1;
    EXPECT_THAT(stages_of_steps(b.graph)[window], IsEmpty());
}

TEST_F(FoldedKernel, CoversTheDimensionsThatAllStepsFollowAndKeepsChannelsInAThread) {
    EXPECT_EQ(folded_dims(b.graph, kernel(Placement::Inlined)), (TiledDims{0, 1, 2}));
}

TEST_F(FoldedKernel, KeepsAStepWithItsNeighbours) {
    const Group group = kernel(Placement::AtBlock);
    EXPECT_TRUE(keeps_steps(b.graph, group));
    EXPECT_THAT(box_of_step(b.graph, group, member(group, fold), group.tile), ElementsAre(32, 16, 3));
    EXPECT_THAT(box_of_step(b.graph, group, member(group, window), group.tile), ElementsAre(32, 16, 1));
    EXPECT_THAT(box_of_step(b.graph, group, member(group, squares), group.tile), ElementsAre(38, 16, 1));
}

TEST_F(FoldedKernel, PaysForEachStepInWholeRounds) {
    const Group group = kernel(Placement::AtBlock);
    const StencilWork work = folded_work(b.graph, group, group.tile);
    const double blocks = 1024.0 / 32 * 512 / 16;
    EXPECT_DOUBLE_EQ(work.shared_bytes, 4 * (32 * 16 * 3 + 32 * 16 + 38 * 16));
    EXPECT_DOUBLE_EQ(work.evaluations.at(squares), blocks * 7 * 3 * 256);
    EXPECT_DOUBLE_EQ(work.evaluations.at(fold), blocks * 7 * 32 * 16 * 3);
}

TEST_F(FoldedKernel, TriesSeveralPointsAThreadOnlyWhereThereIsRoom) {
    const Device &device = device_named("H200");
    const auto most = [&] {
        int points = 0;
        for (const Tile &tile : folded_tiles(b.graph, kernel(Placement::AtBlock), device)) {
            points = std::max(points, tile.per_thread);
        }
        return points;
    };
    EXPECT_EQ(most(), 1) << "nothing shows how large the fold is";
    b.output("out", {1024, 512, 3}, {{fold}});
    EXPECT_GT(most(), 1);
}

TEST_F(FoldedKernel, ComputesWhatChannelsShareOnceAThread) {
    const Group group = kernel(Placement::Inlined);
    EXPECT_DOUBLE_EQ(folded_work(b.graph, group, group.tile).evaluations.at(window), 1024.0 * 512 * 7);
}

TEST_F(FoldedKernel, RefusesWhatHasNoConstantSize) {
    EXPECT_TRUE(can_fold(b.graph, kernel(Placement::AtBlock)).allowed());
    b.graph[edge(window, fold, b.graph).first].is_step_box = false;
    EXPECT_THAT(can_fold(b.graph, kernel(Placement::AtBlock)).why(), HasSubstr("no constant size"));
}

TEST_F(FoldedKernel, RefusesFoldsThatTheCallerStores) {
    b.graph[fold].role = Role::Output;
    EXPECT_FALSE(can_fold(b.graph, kernel(Placement::AtBlock)).allowed());
}

TEST_F(FoldedKernel, IsPlannedForOneFold) {
    const Vertex out = b.output("out", {1024, 512, 3}, {{fold}});
    const Plan plan = plan_of(b.graph);
    EXPECT_EQ(plan.groups.size(), 1u);
    EXPECT_EQ(kernel_storing(plan, out).kind, Template::Folded);
    EXPECT_EQ(plan.placement[squares], Placement::AtBlock);
    EXPECT_EQ(verdict_on(plan, squares, window).rule, std::string("stencil-tile"));
}

TEST_F(FoldedKernel, IsPlannedForTwoFoldsAtOnce) {
    const Vertex total = add_fold("total", {1024, 512});
    const Vertex out = b.output("out", {1024, 512, 3}, {{fold}, {total, ReadKind::Broadcast, 1, {0, 1}}});
    const Plan plan = plan_of(b.graph);
    EXPECT_EQ(plan.groups.size(), 1u);
    EXPECT_EQ(kernel_storing(plan, out).kind, Template::Folded);
    EXPECT_EQ(plan.placement[window], Placement::AtBlock);
}

}  // namespace
}  // namespace fusion::test

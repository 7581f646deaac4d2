/// Histograms of the cells of a grid, in the shared memory of blocks that have a tile of cells, at sizes and channels that no
/// tile divides. In whole numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/explain.h"
#include "fusion/owned_tables.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

struct Cells {
    int edge, levels, channels;
    bool in_order = false;  ///< the last pixel wins
};

void PrintTo(const Cells &cells, std::ostream *out) {
    *out << cells.edge << "_" << cells.levels << "_" << cells.channels << (cells.in_order ? "_in_order" : "");
}

/// Each cell of `edge` x `edge` pixels adds what its pixels are to the level that they have; each pixel reads its own level of
/// its cell and of the next one.
Built grid(const Cells &cells) {
    const Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
    ImageParam in(UInt(8), 2, "in");
    Func table{"table"}, out{"out"};
    const Func padded = BoundaryConditions::repeat_edge(in);
    const RDom r(0, cells.edge, 0, cells.edge);
    const Expr value = cast<int>(padded(x * cells.edge + r.x, y * cells.edge + r.y));
    const Expr place = value * cells.levels / 256;
    const Expr of_channel = select(c == 0, value, c == 1, 1, value * value % (c + 2));
    table(x, y, z, c) = c;
    if (cells.in_order) {
        table(x, y, place, c) = table(x, y, place, c) * 3 % 1024 + of_channel;
    } else {
        table(x, y, place, c) += of_channel;
    }
    const Expr here = cast<int>(padded(x, y)) * cells.levels / 256;
    out(x, y, c) = table(x / cells.edge, y / cells.edge, here, c) - table(x / cells.edge + 1, y / cells.edge, here, c);
    out.set_estimates({{0, 2560}, {0, 1536}, {0, cells.channels}});
    in.set_estimates({{0, 2560}, {0, 1536}});
    return {Pipeline(out), {in.parameter()}};
}

class OwnedTables : public ::testing::TestWithParam<Cells> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(OwnedTables, AreRightAtAnySize) {
    Runner runner([] { return grid(GetParam()); }, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const auto &groups = runner.planned().plan.groups;
    const auto has_tables = [](const Group &g) { return g.kind == Template::Private && has_table_tile(g.tile); };
    EXPECT_TRUE(std::any_of(groups.begin(), groups.end(), has_tables)) << explain_text(runner.planned().explained());
    const std::map<std::string, Region> image = {{"in", of({300, 170})}};
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        for (const auto &size : std::vector<std::vector<int>>{{1, 1, 1}, {37, 5, 2}, {131, 77, 3}, {256, 160, 5}}) {
            runner.check({at({-3, 2, 0}, size)}, memory, 1, image);
        }
    }
    runner.check({at({5, -7, 1}, {150, 90, 2})}, Memory::Dense, 1, image);
    runner.check({of({90, 64, 25})}, Memory::Dense, 1, image);
}

INSTANTIATE_TEST_SUITE_P(, OwnedTables,
                         ::testing::Values(Cells{8, 16, 2}, Cells{5, 7, 3}, Cells{11, 16, 1, true}, Cells{16, 12, 22},
                                           Cells{8, 30, 4, true}, Cells{12, 60, 9, true}),
                         ::testing::PrintToStringParamName());

}  // namespace
}  // namespace fusion

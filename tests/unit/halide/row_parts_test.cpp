#include "fusion/rewrites/row_parts.h"

#include <gtest/gtest.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;

/// How sums over x (or, `turned`, over y) of an image of these sizes are cut.
std::optional<RowParts> parts_of(int width, int height, bool turned = false) {
    const Var y("y");
    ImageParam in(Float(32), 2, "in");
    const RDom r(in.dim(turned ? 1 : 0).min(), in.dim(turned ? 1 : 0).extent());
    Func sum("sum"), output("output");
    sum(y) = 0.0f;
    sum(y) += turned ? in(y, r) : in(r, y);
    output(y) = sum(y) * 2;
    in.set_estimates({{0, width}, {0, height}});
    output.set_estimate(y, 0, turned ? width : height);
    const auto outputs = testing::functions({output});
    const std::vector<ReductionFunc> reductions = reduction_funcs(outputs);
    EXPECT_EQ(reductions.size(), 1u);
    return row_parts(reductions[0], outputs);
}

TEST(RowParts, ManyRowsHaveABlockEachOfAsManySlicesAsItHasThreads) {
    const auto parts = parts_of(65536, 2048);
    ASSERT_TRUE(parts);
    EXPECT_EQ(parts->pieces, 1);
    EXPECT_EQ(parts->slices, 1024);
    EXPECT_EQ(parts_of(4096, 2048)->slices, 256);
}

TEST(RowParts, FewRowsAreCutInPiecesForEnoughBlocks) {
    const auto parts = parts_of(1000000, 8);
    ASSERT_TRUE(parts);
    EXPECT_EQ(8 * parts->pieces, 512);
    EXPECT_EQ(parts_of(60000, 2)->pieces, 8) << "pieces of 4096 elements at least";
}

TEST(RowParts, ShortRowsAndColumnsAreNotCut) {
    EXPECT_FALSE(parts_of(4095, 2048));
    EXPECT_FALSE(parts_of(2048, 65536, true));
}

TEST(SlicedRow, VisitsEachElementOnceWhateverTheLength) {
    const Var slice("slice"), y("y");
    for (const int length : {1, 5, 16, 17, 1000}) {
        Func sum("sum");
        const RDom r(3, length);
        sum(y) = 0.0f;
        sum(y) += cast<float>(r);
        Func output("output");
        output(y) = sum(y);
        const ReductionFunc reduction = reduction_funcs(testing::functions({output}))[0];
        for (const int pieces : {1, 4}) {
            const Var piece("piece");
            const std::vector<Var> args = pieces > 1 ? std::vector<Var>{slice, piece, y} : std::vector<Var>{slice, y};
            const SlicedRow row(reduction, {.slices = 8, .pieces = pieces}, args);
            Func visits("visits"), counts("counts");
            const Var at("at");
            visits(at) = 0;
            // All slices and pieces of the row, by a domain of their own.
            const RDom all(0, 8, 0, pieces, 0, 400);
            const std::map<std::string, Expr> here = {
                {slice.name(), all.x}, {piece.name(), all.y}, {row.steps.x.name(), all.z}};
            const Expr is_step = all.z < row.steps.x.extent();
            const Expr place = clamp(Internal::substitute(here, row.at), 0, 2000);
            visits(place) += cast<int>(is_step && Internal::substitute(here, row.is_inside));
            const Buffer<int> seen = visits.realize({2001});
            for (int x = 0; x <= 2000; x++) {
                EXPECT_EQ(seen(x), x >= 3 && x < 3 + length ? 1 : 0) << length << " in " << pieces << " at " << x;
            }
        }
    }
}

}  // namespace
}  // namespace fusion

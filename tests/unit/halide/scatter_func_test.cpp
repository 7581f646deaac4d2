#include "fusion/rewrites/scatter_func.h"

#include "tests/unit/halide/tables.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Which Funcs are such tables.
class ScatterFuncs : public testing::Tables {
protected:
    const RDom r{whole()};
    std::vector<ScatterFunc> found(const std::function<void(const Expr &pixel)> &define) {
        counts = Func("counts");
        output = Func("output");
        define(pixel(r.x, r.y));
        return scatter_funcs(outputs());
    }
};

TEST_F(ScatterFuncs, CombineByAnOperatorThatHasNoOrder) {
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 7, counts(p) += p; }), SizeIs(1));
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 1.0f, counts(p) *= 2.0f; }), SizeIs(1));
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = -1, counts(p) = max(counts(p), r.x); }), SizeIs(1));
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(p) = counts(p) * 3 + 1; }), IsEmpty());
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(p) = r.x; }), IsEmpty()) << "the last one wins";
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(p) = counts(255 - p) + 1; }), IsEmpty());
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0.0f, counts(p) = strict_float(counts(p) + 1.0f); }),
                IsEmpty());
}

TEST_F(ScatterFuncs, HaveNumbersForTheirPlaces) {
    const auto tables = found([&](const Expr &p) { counts(level) = 0, counts(clamp(p / 2 - 9, 3, 90)) += 1; });
    ASSERT_THAT(tables, SizeIs(1));
    EXPECT_EQ(tables[0].places[0]->first, 3);
    EXPECT_EQ(tables[0].places[0]->last, 90);
    EXPECT_EQ(tables[0].entries(), 88);
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(p + r.x) += 1; }), IsEmpty());
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(level) += p; }), IsEmpty()) << "a reduction";
}

TEST_F(ScatterFuncs, OfExtremesOfFloatsBeginWithWhatIsThere) {
    const auto most = found([&](const Expr &p) { counts(level) = 5.0f, counts(p) = max(counts(p), 0.5f * p); });
    ASSERT_THAT(most, SizeIs(1));
    EXPECT_TRUE(most[0].is_idempotent);
    EXPECT_TRUE(Internal::is_const(most[0].start, 5));
    const auto sum = found([&](const Expr &p) { counts(level) = 5.0f, counts(p) += 0.5f * p; });
    ASSERT_THAT(sum, SizeIs(1));
    EXPECT_TRUE(Internal::is_const_zero(sum[0].start)) << "else each part would begin with it";
    EXPECT_FALSE(sum[0].is_atomic) << "their rounding depends on the order";
}

TEST_F(ScatterFuncs, LeaveTuplesAndSeveralUpdatesAlone) {
    EXPECT_THAT(found([&](const Expr &p) { counts(level) = 0, counts(p) += 1, counts(3) += 2; }), IsEmpty());
    counts = Func("counts");
    counts(level) = Tuple(0, 0);
    counts(pixel(r.x, r.y)) = Tuple(counts(pixel(r.x, r.y))[0] + 1, counts(pixel(r.x, r.y))[1] + 1);
    output = Func("output");
    output(level) = counts(level)[0];
    output.set_estimates({{0, 256}});
    EXPECT_THAT(scatter_funcs(testing::functions({output})), IsEmpty());
}

TEST_F(ScatterFuncs, WhoseConditionReadsThemAreLeftAlone) {
    counts(level) = 0;
    RDom clipped = whole();
    clipped.where(counts(pixel(clipped.x, clipped.y)) < 255);
    counts(pixel(clipped.x, clipped.y)) += 1;
    EXPECT_THAT(scatter_funcs(outputs()), IsEmpty()) << "a step counts by what those before it left";
}

TEST_F(ScatterFuncs, OfShortIntegersAreKeptInLongOnes) {
    const auto tables = found([&](const Expr &p) { counts(level) = cast<int16_t>(0), counts(p) += cast<int16_t>(p); });
    ASSERT_THAT(tables, SizeIs(1));
    EXPECT_TRUE(tables[0].is_atomic);
    EXPECT_EQ(tables[0].of_part, UInt(32)) << "which wraps around";
    EXPECT_FALSE(
        found([&](const Expr &p) { counts(level) = cast<int64_t>(0), counts(p) += cast<int64_t>(p); })[0].is_atomic);
}

}  // namespace
}  // namespace fusion

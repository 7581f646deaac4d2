#include "fusion/rewrites/tables_in_parts.h"

#include <gmock/gmock.h>

#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Device &h200() {
    return device_named("H200");
}

class TablesInParts : public ::testing::Test {
protected:
    const Var level{"level"}, c{"c"};
    ImageParam in{UInt(8), 3, "in"};
    Func counts{"counts"}, output{"output"};

    /// Its output: what `counts`, of one dimension more where `has_channels`, says.
    std::vector<Internal::Function> outputs(bool has_channels = false) {
        in.set_estimates({{0, width}, {0, height}, {0, channels}});
        if (has_channels) {
            output(level, c) = counts(level, c);
            output.set_estimates({{0, 256}, {0, channels}});
        } else {
            output(level) = counts(level);
            output.set_estimates({{0, 256}});
        }
        return testing::functions({output});
    }
    TableParts parts_of(bool has_channels = false) {
        const auto reached = outputs(has_channels);
        const std::vector<ScatterFunc> tables = scatter_funcs(reached);
        EXPECT_THAT(tables, SizeIs(1));
        return table_parts(tables[0], h200(), reached).value_or(TableParts{});
    }
    Expr pixel(const Expr &x, const Expr &y, const Expr &z = 0) { return cast<int>(in(x, y, z)); }
    RDom whole() { return RDom(in.dim(0).min(), in.dim(0).extent(), in.dim(1).min(), in.dim(1).extent()); }

    int width = 8192, height = 8192, channels = 3;
};

TEST_F(TablesInParts, AreRowsForAsManyBlocksAsTheDeviceHolds) {
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    // Eight blocks of 256 threads a multiprocessor are 1056: eight rows each.
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 1024}));
}

TEST_F(TablesInParts, ArePiecesOfRowsWhereThereAreFew) {
    width = 1000000, height = 3;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), (TableParts{.cut = 0, .parts = 1056}));
}

TEST_F(TablesInParts, HaveStepsForWhatTheirTablesCost) {
    width = 256, height = 256;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 64})) << "four steps an entry";
}

TEST_F(TablesInParts, AreFewerWhereThereAreMoreTables) {
    const RDom r = whole();
    counts(level, c) = 0;
    counts(pixel(r.x, r.y, c), c) += 1;
    EXPECT_EQ(parts_of(true), (TableParts{.cut = 1, .parts = 342}));
}

TEST_F(TablesInParts, AreOfAThreadWhereItsAdditionsAreNotAtomic) {
    const RDom r = whole();
    counts(level) = 0.0f;
    counts(pixel(r.x, r.y)) += 1.0f;
    // Six blocks of 32 tables of 1 KiB a multiprocessor are 792.
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 745, .lanes = 32}));
}

TEST_F(TablesInParts, AreNotMadeOfFewSteps) {
    width = 40, height = 40;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), TableParts{});
    EXPECT_THAT(use_tables_in_parts(outputs(), h200()), IsEmpty());
}

TEST_F(TablesInParts, AreMadeOnce) {
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    const auto reached = outputs();
    EXPECT_THAT(use_tables_in_parts(reached, h200()), ElementsAre(counts.name()));
    EXPECT_THAT(use_tables_in_parts(reached, h200()), IsEmpty());
    EXPECT_EQ(Internal::build_environment(reached).count(counts.name()), 0u);
}

/// Which Funcs are such tables.
class ScatterFuncs : public TablesInParts {
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

TEST_F(ScatterFuncs, MayBeOutputs) {
    output(level) = 0;
    output(pixel(r.x, r.y)) += 1;
    output.set_estimates({{0, 256}});
    in.set_estimates({{0, width}, {0, height}, {0, channels}});
    const auto reached = testing::functions({output});
    EXPECT_THAT(use_tables_in_parts(reached, h200()), ElementsAre(output.name()));
    EXPECT_THAT(use_tables_in_parts(reached, h200()), IsEmpty());
    EXPECT_TRUE(reached[0].update(0).args()[0].as<Internal::Variable>()) << "it folds its parts";
    EXPECT_EQ(Internal::build_environment(reached).size(), 3u) << "output, its parts, in";
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

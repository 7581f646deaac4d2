#include "fusion/rewrites/table_parts.h"

#include "tests/unit/halide/tables.h"

namespace fusion {
namespace {

using namespace Halide;
using ::testing::SizeIs;

class Parts : public testing::Tables {
protected:
    TableParts parts_of(bool has_channels = false) {
        const auto reached = outputs(has_channels);
        const std::vector<ScatterFunc> tables = scatter_funcs(reached);
        EXPECT_THAT(tables, SizeIs(1));
        return table_parts(tables[0], device_named("H200"), reached).value_or(TableParts{});
    }
};

TEST_F(Parts, AreRowsForAsManyBlocksAsTheDeviceHolds) {
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    // Eight blocks of 256 threads a multiprocessor are 1056: eight rows each.
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 1024}));
}

TEST_F(Parts, ArePiecesOfRowsWhereThereAreFew) {
    width = 1000000, height = 3;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), (TableParts{.cut = 0, .parts = 1056}));
}

TEST_F(Parts, HaveStepsForWhatTheirTablesCost) {
    width = 256, height = 256;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 64})) << "four steps an entry";
}

TEST_F(Parts, AreFewerWhereThereAreMoreTables) {
    const RDom r = whole();
    counts(level, c) = 0;
    counts(pixel(r.x, r.y, c), c) += 1;
    EXPECT_EQ(parts_of(true), (TableParts{.cut = 1, .parts = 342}));
}

TEST_F(Parts, AreOfAThreadWhereItsAdditionsAreNotAtomic) {
    const RDom r = whole();
    counts(level) = 0.0f;
    counts(pixel(r.x, r.y)) += 1.0f;
    // Six blocks of 32 tables of 1 KiB a multiprocessor are 792.
    EXPECT_EQ(parts_of(), (TableParts{.cut = 1, .parts = 745, .lanes = 32}));
}

TEST_F(Parts, AreNotMadeOfFewSteps) {
    width = 40, height = 40;
    const RDom r = whole();
    counts(level) = 0;
    counts(pixel(r.x, r.y)) += 1;
    EXPECT_EQ(parts_of(), TableParts{});
}

TEST_F(Parts, OfAThreadHaveRoomInSharedMemory) {
    const RDom r = whole();
    counts(level) = cast<double>(0);
    counts(pixel(r.x, r.y)) += cast<double>(1);
    EXPECT_EQ(parts_of().lanes, 16) << "2 KiB each";
}

}  // namespace
}  // namespace fusion

/// Histograms of whole images and their like, in parts: of any size, also of none, and wherever the image lies. In whole
/// numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

enum class Fold {
    Count,
    Weights,
    Short,  ///< 16 bits
    Long,   ///< 64 bits
    Floats,
    Most,
    Least,
    MostFloats,
    Product,
};

/// How the table is used.
enum class Use {
    Table,   ///< the output is as large
    Lookup,  ///< each pixel reads its own entry
};

struct Histogram {
    const char *name;
    Fold fold = Fold::Count;
    std::vector<int> planned = {4096, 4096};  ///< sizes of the image at the estimates
    Use use = Use::Table;
    int levels = 256;
    bool has_condition = false;
    bool is_joint = false;        ///< two dimensions: of the pixel, and of the one beside it
    int channels = 0;             ///< of a third dimension, of which each has a table
    bool reads_channels = false;  ///< in the RDom, which says where each adds
};

void PrintTo(const Histogram &histogram, std::ostream *out) {
    *out << histogram.name;
}

Expr first_of(Fold fold, const Var &level) {
    switch (fold) {
    case Fold::Count:
        return cast<uint32_t>(level % 3);
    case Fold::Weights:
        return level;
    case Fold::Short:
        return cast<uint16_t>(1);
    case Fold::Long:
        return cast<int64_t>(level);
    case Fold::Floats:
        return cast<float>(level % 5);
    case Fold::Most:
        return level % 7;
    case Fold::Least:
        return cast<int16_t>(level + 99);
    case Fold::MostFloats:
        return -1.0f;
    case Fold::Product:
        return cast<uint32_t>(level);
    }
    return Expr();
}

Expr folded(Fold fold, const Expr &before, const Expr &value) {
    const Expr term = cast(before.type(), value % 8);
    switch (fold) {
    case Fold::Count:
        return before + cast<uint32_t>(1);
    case Fold::Most:
    case Fold::MostFloats:
        return max(before, cast(before.type(), value % 100));
    case Fold::Least:
        return min(before, cast(before.type(), value % 100));
    case Fold::Product:
        return before * (term | 1);
    default:
        return before + term;
    }
}

Built built(const Histogram &of) {
    const Var level{"level"}, second{"second"}, c{"c"}, x{"x"}, y{"y"};
    const int dims = (int)of.planned.size() + (of.channels > 0);
    ImageParam in(UInt(8), dims, "in");
    Func table{"table"}, output{"output"};
    Halide::Region domain;
    for (size_t d = 0; d < of.planned.size(); d++) {
        // A pixel beside each, where it is joint.
        domain.emplace_back(in.dim((int)d).min(), in.dim((int)d).extent() - (of.is_joint && d == 0 ? 1 : 0));
        in.dim((int)d).set_estimate(0, of.planned[d]);
    }
    if (of.channels > 0) {
        in.dim(dims - 1).set_estimate(0, of.channels);
    }
    if (of.reads_channels) {
        domain.emplace_back(0, of.channels);
    }
    RDom r(domain);
    std::vector<Expr> here;
    for (int v = 0; v < r.dimensions(); v++) {
        here.emplace_back(r[v]);
    }
    std::vector<Var> vars = {level};
    if (of.is_joint) {
        vars.push_back(second);
    }
    if (of.channels > 0) {
        vars.push_back(c);
    }
    if (of.channels > 0 && !of.reads_channels) {
        here.emplace_back(c);
    }
    const Expr pixel = cast<int>(in(here));
    if (of.has_condition) {
        r.where(pixel % 3 != 1 && r[0] % 5 != 2);
    }
    const auto level_of = [&](const Expr &e) {
        return of.levels == 256 ? e : clamp(e * (of.levels + 20) / 256 - 10, 0, of.levels - 1);
    };
    std::vector<Expr> place = {level_of(pixel)};
    if (of.is_joint) {
        std::vector<Expr> beside = here;
        beside[0] += 1;
        place.push_back(level_of(cast<int>(in(beside))));
    }
    if (of.channels > 0) {
        place.push_back(of.reads_channels ? Expr(r[r.dimensions() - 1]) : Expr(c));
    }
    table(vars) = first_of(of.fold, level);
    table(place) = folded(of.fold, table(place), pixel);
    if (of.use == Use::Table) {
        output(vars) = table(vars);
        Halide::Region region = {{0, of.levels}};
        if (of.is_joint) {
            region.emplace_back(0, of.levels);
        }
        if (of.channels > 0) {
            region.emplace_back(0, of.channels);
        }
        output.set_estimates(region);
    } else {
        output(x, y) = table(level_of(cast<int>(in(x, y)))) * 2;
        output.set_estimates({{0, of.planned[0]}, {0, of.planned[1]}});
    }
    return {Pipeline(output), {in.parameter()}};
}

class TablesInParts : public ::testing::TestWithParam<Histogram> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(TablesInParts, AreRightAtAnySize) {
    const Histogram &histogram = GetParam();
    Runner runner([&] { return built(histogram); }, Options());
    runner.allow_fewer_launches();  // no step at all where the image is empty
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const auto &rewrites = runner.planned().plan.rewrites;
    const auto is_it = [](const Rewrite &rewrite) { return rewrite.id == "tables-in-parts"; };
    EXPECT_TRUE(std::any_of(rewrites.begin(), rewrites.end(), is_it));
    const size_t dims = histogram.planned.size();
    const auto check = [&](std::vector<int> min, std::vector<int> extent, int levels, Memory memory) {
        min.resize(dims);
        extent.resize(dims);
        std::vector<int> table_min, table_extent;
        for (int i = 0; i < 1 + histogram.is_joint; i++) {
            table_min.push_back(levels > histogram.levels ? -3 : 0);
            table_extent.push_back(levels);
        }
        if (histogram.channels > 0) {
            min.push_back(0);
            extent.push_back(histogram.channels);
            table_min.push_back(0);
            table_extent.push_back(histogram.channels);
        }
        const Region image = at(min, extent),
                     asked = histogram.use == Use::Lookup ? image : at(table_min, table_extent);
        runner.check({asked}, memory, 1, {{"in", image}});
    };
    const int levels = histogram.levels;
    for (const auto &extent : std::vector<std::vector<int>>{
             {1, 1}, {2, 1}, {33, 1}, {1, 300}, {255, 7}, {257, 130}, {640, 33}, {5000, 2}, {3, 5000}}) {
        check({0, 0}, extent, levels, Memory::Dense);
    }
    check({-5, 7}, {300, 40}, levels, Memory::Padded);
    check({3, -11}, {301, 41}, levels, Memory::Misplaced);
    if (histogram.use == Use::Table) {
        check({0, 0}, {300, 40}, levels + 9, Memory::Dense);
        for (const auto &extent : std::vector<std::vector<int>>{{0, 0}, {0, 5}, {5, 0}}) {
            check({0, 0}, {extent[0] + histogram.is_joint, extent[1]}, levels, Memory::Dense);
        }
    }
}

const Histogram kHistograms[] = {
    {"counts"},
    {"counts_of_a_row", Fold::Count, {10000000}},
    {"counts_of_few_rows", Fold::Count, {1000000, 3}},
    {"counts_of_a_small_image", Fold::Count, {512, 512}},
    {"counts_looked_up", Fold::Count, {4096, 4096}, Use::Lookup},
    {"few_counts", Fold::Count, {4096, 4096}, Use::Table, 5},
    {"counts_where", Fold::Count, {4096, 4096}, Use::Table, 256, true},
    {"joint_counts", Fold::Count, {4096, 4096}, Use::Table, 16, false, true},
    {"counts_by_channel", Fold::Count, {4096, 4096}, Use::Table, 256, false, false, 3},
    {"counts_of_all_channels", Fold::Count, {4096, 4096}, Use::Table, 256, false, false, 3, true},
    {"weights", Fold::Weights},
    {"weights_looked_up_where", Fold::Weights, {4096, 4096}, Use::Lookup, 100, true},
    {"short_sums", Fold::Short},
    {"long_sums", Fold::Long, {4096, 4096}, Use::Table, 64},
    {"long_sums_by_half_a_warp", Fold::Long},
    {"sums_of_floats", Fold::Floats},
    {"sums_of_floats_of_a_row", Fold::Floats, {10000000}},
    {"sums_of_floats_where", Fold::Floats, {4096, 4096}, Use::Lookup, 64, true},
    {"most", Fold::Most},
    {"joint_least", Fold::Least, {4096, 4096}, Use::Table, 16, false, true},
    {"most_of_floats", Fold::MostFloats, {4096, 4096}, Use::Table, 30},
    {"products_by_channel", Fold::Product, {4096, 4096}, Use::Table, 32, false, false, 3},
};

INSTANTIATE_TEST_SUITE_P(, TablesInParts, ::testing::ValuesIn(kHistograms),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fusion

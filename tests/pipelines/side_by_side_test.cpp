/// Updates whose RDom names the points that they write, with the loops that never meet at once. In whole numbers.
#include <gtest/gtest.h>

#include <algorithm>

#include "fusion/explain.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

const Var x{"x"}, y{"y"}, t{"t"};

struct Update {
    const char *name;
    std::function<Func(const ImageParam &)> define;
    int launches;  ///< of the update; 0: within a thread, so that only the result is looked at
    std::function<Expr(const Func &)> result = [](const Func &f) { return f(x, y); };
};

void PrintTo(const Update &update, std::ostream *out) {
    *out << update.name;
}

Func started(const ImageParam &in) {
    Func f("f");
    f(x, y) = cast<int>(in(x, y)) % 100;
    return f;
}

/// Inside of an image of at least 40 x 30.
Func interior(const ImageParam &in) {
    Func f = started(in);
    const RDom r(1, in.width() - 2, 1, in.height() - 2);
    f(r.x, r.y) = f(r.x, r.y) * 3 + cast<int>(in(r.x - 1, r.y)) - cast<int>(in(r.x, r.y + 1));
    return f;
}

Func transposed(const ImageParam &in) {
    Func f = started(in);
    const RDom r(1, 30, 2, 20);
    f(r.y, r.x) = cast<int>(in(r.x, r.y));
    return f;
}

Func triangle(const ImageParam &in) {
    Func f = started(in);
    RDom r(0, 33, 0, 25);
    r.where(r.x > r.y);
    f(r.x, r.y) = cast<int>(in(r.x, r.y)) * 2;
    return f;
}

Func where_data_say(const ImageParam &in) {
    Func f = started(in);
    RDom r(0, 33, 0, 25);
    r.where(in(r.x, r.y) > 20);
    f(r.x, r.y) = -1;
    return f;
}

Func seams(const ImageParam &in) {
    Func f = started(in);
    const RDom r(1, in.width() - 2, 1, 12);
    f(r.x, r.y) += min(f(r.x - 1, r.y - 1), f(r.x, r.y - 1), f(r.x + 1, r.y - 1));
    return f;
}

Func heat(const ImageParam &in) {
    Func f("f");
    f(x, y, t) = cast<int>(in(x, y)) % 100;
    const RDom r(1, in.width() - 2, 1, in.height() - 2, 1, 5);
    f(r.x, r.y, r.z) = (f(r.x - 1, r.y, r.z - 1) + f(r.x + 1, r.y, r.z - 1) + f(r.x, r.y + 1, r.z - 1)) % 1000;
    return f;
}

Func doubled_windows(const ImageParam &in) {
    Func f("f");
    f(x, y, t) = cast<int>(in(x, y)) % 100;
    const RDom r(0, in.height() - 16, 1, 4);
    f(x, r.x, r.y) = max(f(x, r.x, r.y - 1), f(x, r.x + clamp(1 << (r.y - 1), 0, 15), r.y - 1));
    return f;
}

Func red_and_black(const ImageParam &in) {
    Func f = started(in);
    const RDom r(1, 18);
    f(2 * r, y) += f(2 * r - 1, y) + f(2 * r + 1, y);
    return f;
}

Func folds_within(const ImageParam &in) {
    Func f = started(in);
    const RDom r(0, 3, 1, 30, 1, 20);
    f(r.y, r.z) = f(r.y, r.z) * 2 + cast<int>(in(r.y + r.x, r.z));
    return f;
}

Func wavefront(const ImageParam &in) {
    Func f = started(in);
    const RDom r(1, 30, 1, 20);
    f(r.x, r.y) = (f(r.x - 1, r.y) + f(r.x, r.y - 1)) % 1000;
    return f;
}

const auto last = [](const Func &f) { return f(x, y, 4) + f(x, y, 2); };

const std::vector<Update> updates = {
    {"interior", interior, 1},
    {"transposed", transposed, 1},
    {"triangle", triangle, 1},
    {"where_data_say", where_data_say, 1},
    {"seams", seams, 12},
    {"heat", heat, 5, last},
    {"doubled_windows", doubled_windows, 4, last},
    {"red_and_black", red_and_black, 1},
    {"folds_within", folds_within, 1},
    {"wavefront", wavefront, 0},
};

class SideBySide : public ::testing::TestWithParam<Update> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
};

TEST_P(SideBySide, AreRightAtAnySize) {
    const auto build = [] {
        ImageParam in(UInt(16), 2, "in");
        Func out{"out"};
        out(x, y) = GetParam().result(GetParam().define(in)) + 1;
        out.set_estimates({{0, 1024}, {0, 768}});
        in.set_estimates({{0, 1024}, {0, 768}});
        return Built{Pipeline(out), {in.parameter()}};
    };
    Runner runner(build, Options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    const auto &groups = runner.planned().plan.groups;
    const auto of_update = std::find_if(groups.begin(), groups.end(), [&](const Group &g) {
        return runner.planned().view.graph[g.outputs[0]].update == 1;
    });
    ASSERT_NE(of_update, groups.end());
    if (GetParam().launches > 0) {
        EXPECT_EQ(of_update->price.launches, GetParam().launches) << explain_text(runner.planned().explained());
        EXPECT_GT(of_update->price.blocks, 1) << explain_text(runner.planned().explained());
    }
    for (const auto &[width, height] : {std::pair{40, 30}, {333, 77}, {97, 260}}) {
        runner.check({of({width, height})}, Memory::Dense, 1, {{"in", of({width, height})}});
        runner.check({of({width - 1, height})}, Memory::Misplaced, 2, {{"in", of({width, height})}});
    }
}

INSTANTIATE_TEST_SUITE_P(Updates, SideBySide, ::testing::ValuesIn(updates),
                         [](const auto &info) { return std::string(info.param.name); });

}  // namespace
}  // namespace fusion

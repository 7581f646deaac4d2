/// Memory layouts and ranks that no generator has: interleaved images, one dimension, four, none; outputs that differ.
#include <gtest/gtest.h>

#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

class Layouts : public ::testing::TestWithParam<const char *> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }
    static Options options() {
        Options options;
        options.variant = GetParam();
        return options;
    }
};

const char *const kVariants[] = {"unfused", "inlined", "fused"};
INSTANTIATE_TEST_SUITE_P(, Layouts, ::testing::ValuesIn(kVariants),
                         [](const auto &info) { return std::string(info.param); });

enum class Order { Planar, Interleaved };

template<typename P>
void constrain(P buffer, Order order) {
    if (order == Order::Interleaved) {
        buffer.dim(0).set_stride(3);
        buffer.dim(2).set_stride(1).set_bounds(0, 3);
    }
}

/// out = f(a, b) on images of three channels, each planar or interleaved.
template<typename T>
Builder colours(Order in, Order out) {
    return [=] {
        ImageParam a(type_of<T>(), 3, "a"), b(type_of<T>(), 3, "b");
        Var x("x"), y("y"), c("c");
        Func sum("sum"), halved("halved"), result("result");
        sum(x, y, c) = cast<float>(a(x, y, c)) + cast<float>(b(x, y, c));
        halved(x, y, c) = sum(x, y, c) * 0.25f + cast<float>(c);
        result(x, y, c) = cast<T>(clamp(halved(x, y, c), 0.0f, 200.0f));
        constrain(a, in);
        constrain(b, in);
        constrain(result.output_buffer(), out);
        a.set_estimates({{0, 1920}, {0, 1080}, {0, 3}});
        b.set_estimates({{0, 1920}, {0, 1080}, {0, 3}});
        result.set_estimates({{0, 1920}, {0, 1080}, {0, 3}});
        return Built{Pipeline(result), {a.parameter(), b.parameter()}};
    };
}

void check_colours(const Builder &builder, const Options &options) {
    Runner runner(builder, options);
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        for (const auto &[width, height] :
             std::vector<std::pair<int, int>>{{1, 1}, {3, 2}, {255, 3}, {257, 2}, {64, 4}}) {
            runner.check({of({width, height, 3})}, memory);
            runner.check({at({-2, 5, 0}, {width, height, 3})}, memory);
        }
    }
    runner.check({of({0, 4, 3})}, Memory::Dense);
}

TEST_P(Layouts, InterleavedBytes) {
    check_colours(colours<uint8_t>(Order::Interleaved, Order::Interleaved), options());
}

TEST_P(Layouts, InterleavedFloats) {
    check_colours(colours<float>(Order::Interleaved, Order::Interleaved), options());
}

TEST_P(Layouts, InterleavedToPlanar) {
    check_colours(colours<uint8_t>(Order::Interleaved, Order::Planar), options());
}

TEST_P(Layouts, PlanarToInterleaved) {
    check_colours(colours<uint16_t>(Order::Planar, Order::Interleaved), options());
}

TEST_P(Layouts, OneDimension) {
    Runner runner(
        [] {
            ImageParam a(Float(32), 1, "a"), b(Float(64), 1, "b");
            Var x("x");
            Func product("product"), result("result");
            product(x) = cast<double>(a(x)) * b(x);
            result(x) = cast<float>(product(x)) + a(x);
            a.set_estimates({{0, 1 << 20}});
            b.set_estimates({{0, 1 << 20}});
            result.set_estimates({{0, 1 << 20}});
            return Built{Pipeline(result), {a.parameter(), b.parameter()}};
        },
        options());
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        for (const int size : {1, 3, 255, 257, 4099, 65536}) {
            runner.check({of({size})}, memory);
            runner.check({at({-17}, {size})}, memory);
        }
    }
    runner.check({of({0})}, Memory::Dense);
}

TEST_P(Layouts, NoDimension) {
    Runner runner(
        [] {
            ImageParam a(Float(32), 0, "a");
            Func twice("twice"), result("result");
            twice() = a() * 2.0f;
            result() = twice() + 1.0f;
            return Built{Pipeline(result), {a.parameter()}};
        },
        options());
    runner.check({of({})}, Memory::Dense);
}

TEST_P(Layouts, FourDimensionsAndBroadcasts) {
    Runner runner(
        [] {
            ImageParam a(Int(16), 4, "a"), scale(Int(16), 1, "scale"), plane(Bool(), 2, "plane");
            Var x("x"), y("y"), z("z"), n("n");
            Func masked("masked"), scaled("scaled"), result("result");
            masked(x, y, z, n) = select(plane(x, z), a(x, y, z, n), cast<int16_t>(0));
            scaled(x, y, z, n) = cast<int32_t>(masked(x, y, z, n)) * scale(n);
            result(x, y, z, n) = scaled(x, y, z, n) - a(x, y, z, n);
            result.set_estimates({{0, 128}, {0, 64}, {0, 32}, {0, 8}});
            return Built{Pipeline(result), {a.parameter(), scale.parameter(), plane.parameter()}};
        },
        options());
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        runner.check({of({1, 1, 1, 1})}, memory);
        runner.check({at({-3, 2, -1, 5}, {35, 3, 5, 2})}, memory);
        runner.check({of({64, 4, 2, 3})}, memory);
    }
    runner.check({of({8, 4, 0, 3})}, Memory::Dense);
}

/// Two dimensions of the first as one loop, and its region that of both: Halide asked for elements before the input.
TEST_P(Layouts, OutputOfThreeDimensionsThatIsReadByAnother) {
    Runner runner(
        [] {
            ImageParam in(Int(32), 3, "in");
            Var x("x"), y("y"), z("z");
            Func digits("digits"), doubled("doubled");
            digits(x, y, z) = cast<uint8_t>(in(x, y, z) % 100);
            doubled(x, y, z) = cast<float>(digits(x, y, z)) * 2.0f;
            digits.set_estimates({{0, 31}, {0, 1}, {0, 2}});
            doubled.set_estimates({{0, 31}, {0, 1}, {0, 2}});
            return Built{Pipeline({digits, doubled}), {in.parameter()}};
        },
        options());
    for (const Region &region : {of({64, 257, 2}), of({31, 1, 2}), at({-3, 2, 1}, {5, 3, 4})}) {
        runner.check({region, region}, Memory::Dense);
    }
}

/// Outputs that share a launch at the estimates and have nothing in common when they run.
TEST_P(Layouts, OutputsOfDifferentSizes) {
    for (const char *name : {"multi_output", "small_branches"}) {
        SCOPED_TRACE(name);
        Runner runner(generator(name), options());
        std::vector<Region> regions;
        for (int i = 0; i < runner.outputs(); i++) {
            regions.push_back(at({i * 3 - 5, 2 - i}, {1 + i * 67 % 300, 1 + (i * 5 + 3) % 11}));
        }
        runner.check(regions, Memory::Dense);
        runner.check(regions, Memory::Misplaced);
        std::reverse(regions.begin(), regions.end());
        runner.check(regions, Memory::Padded);
        regions[1].extent = {0, 7};
        runner.check(regions, Memory::Dense);
    }
}

/// compute_with joins loops of the same names only.
TEST_P(Layouts, OutputsWithOtherNames) {
    Runner runner(
        [] {
            ImageParam a(Float(32), 2, "a");
            Var x("x"), y("y"), u("u"), v("v");
            Func first("first"), second("second"), third("third");
            first(x, y) = a(x, y) * 2.0f;
            second(u, v) = a(u, v) + 1.0f;
            third(x, y) = a(x, y) - 1.0f;
            for (Func f : {first, second, third}) {
                f.set_estimates({{0, 64}, {0, 64}});
            }
            return Built{Pipeline({first, second, third}), {a.parameter()}};
        },
        options());
    EXPECT_EQ(runner.planned().plan.fallback, "");
    runner.check({of({67, 5})}, Memory::Dense);
    EXPECT_EQ(runner.launches(), std::string(GetParam()) == "fused" ? 2 : 3);
}

/// A Tuple output: two buffers of one Func, of different types.
TEST_P(Layouts, TupleOutput) {
    Runner runner(
        [] {
            ImageParam a(Float(32), 2, "a");
            Var x("x"), y("y");
            Func both("both"), result("result");
            both(x, y) = Tuple(a(x, y) * 2.0f, cast<uint8_t>(clamp(a(x, y) * 64.0f, 0.0f, 63.0f)));
            result(x, y) = Tuple(both(x, y)[0] - 1.0f, both(x, y)[1] + cast<uint8_t>(1));
            result.set_estimates({{0, 4096}, {0, 4096}});
            return Built{Pipeline(result), {a.parameter()}};
        },
        options());
    for (const Memory memory : {Memory::Dense, Memory::Padded, Memory::Misplaced}) {
        for (const auto &[width, height] : std::vector<std::pair<int, int>>{{1, 1}, {3, 2}, {257, 2}, {64, 4}}) {
            runner.check({of({width, height})}, memory);
            runner.check({at({-1, 3}, {width, height})}, memory);
        }
    }
}

}  // namespace
}  // namespace fusion

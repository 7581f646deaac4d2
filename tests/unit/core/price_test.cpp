/// The cost model, compared with itself: constants are calibrated elsewhere.
#include "fusion/price.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "fusion/footprint.h"
#include "fusion/kernels.h"
#include "tests/unit/core/graphs.h"

namespace fusion::test {
namespace {

const Device &h200() {
    return device_named("H200");
}

Price price_of(const StageGraph &graph, const Tile &tile = {}, int cap = 64) {
    return price_kernel(graph, fused_kernel(graph), tile, h200(), cap);
}

TEST(PriceOfAKernel, CountsEachBufferOnceInBytes) {
    const Price price = price_of(chain(3, {1000, 10}));
    EXPECT_EQ(price.bytes_read, 40000);
    EXPECT_EQ(price.bytes_written, 40000);
    EXPECT_EQ(price.launches, 1);
}

TEST(PriceOfAKernel, CountsInstructionsOfAllPoints) {
    Builder b;
    const Vertex in = b.input("in", {100});
    const Vertex a = b.stage("a", {100}, {{in}}, 5);
    const Vertex out = b.output("out", {100}, {{a}}, 7);
    b[out].work.special = 3;
    const Price price = price_of(b.graph);
    EXPECT_EQ(price.flops, 1500);
    EXPECT_EQ(price.recomputed_flops, 0);
}

TEST(PriceOfAKernel, CountsWhatIsComputedAgain) {
    const Price price = price_of(broadcast(24, 512, 120));
    EXPECT_EQ(price.recomputed_flops, 24 * 511 * 120);
    EXPECT_EQ(price.flops, 24 * 512 * 121);
}

TEST(PriceOfAKernel, TimeLiesBetweenTheLargestPartAndTheSumOfParts) {
    for (const int64_t elements : {1, 1000, 1 << 20, 1 << 28}) {
        for (const double arithmetic : {1.0, 1000.0}) {
            Builder b;
            b.output("out", {elements}, {{b.input("in", {elements})}}, arithmetic);
            const Price p = price_of(b.graph);
            const double moving = p.read_us + p.write_us;
            EXPECT_GE(p.time_us, p.launch_us + std::max(moving, p.compute_us));
            EXPECT_LE(p.time_us, p.launch_us + moving + p.compute_us);
        }
    }
}

TEST(PriceOfAKernel, LargePointwiseKernelsRunAtTheBandwidthOfMemory) {
    const Price price = price_of(chain(1, {1 << 28}), {.vector = 4});
    const double bytes_a_us = (price.bytes_read + price.bytes_written) / (price.read_us + price.write_us);
    EXPECT_NEAR(bytes_a_us / 1000, h200().memory_bandwidth, h200().memory_bandwidth * 0.01);
}

TEST(PriceOfAKernel, SmallKernelsCannotFillTheMemorySystem) {
    const Price large = price_of(chain(1, {1 << 28})), small = price_of(chain(1, {256}));
    EXPECT_GT(small.read_us / small.bytes_read, 10 * large.read_us / large.bytes_read);
}

TEST(PriceOfAKernel, MoreWorkNeverTakesLess) {
    double last = 0;
    for (int64_t elements = 1; elements <= 1 << 28; elements *= 4) {
        const double time = price_of(chain(1, {elements})).time_us;
        EXPECT_GE(time, last) << elements;
        last = time;
    }
    last = 0;
    for (double arithmetic = 1; arithmetic < 1e6; arithmetic *= 10) {
        Builder b;
        b.output("out", {1 << 20}, {{b.input("in", {1 << 20})}}, arithmetic);
        const double time = price_of(b.graph).time_us;
        EXPECT_GE(time, last) << arithmetic;
        last = time;
    }
}

TEST(PriceOfAKernel, UncoalescedReadsMoveWholeSectorsOfSmallElements) {
    StageGraph graph = transpose(4096, false);
    const Vertex in = stage_named(graph, "in");
    const auto waste = [&](int bytes) {
        graph[in].value_bytes = bytes;
        graph[in].element_bytes = {bytes};
        return price_of(graph).bytes_read / (4096.0 * 4096 * bytes);
    };
    // A sector has 32 bytes: what is used of it cannot be less than one element.
    EXPECT_GT(waste(4), 1);
    EXPECT_LE(waste(4), h200().uncoalesced_waste);
    EXPECT_LE(waste(16), 2);
    EXPECT_GE(waste(1), waste(4));
    EXPECT_EQ(waste(32), 1);
    EXPECT_EQ(waste(64), 1);
}

TEST(PriceOfAKernel, AnIntermediateThatFitsTheL2IsReadFasterThanOneThatDoesNot) {
    const auto read_us_a_byte = [](int64_t elements) {
        Builder b;
        const Vertex in = b.input("in", {elements});
        const Vertex mid = b.stage("mid", {elements}, {{in}});
        const Vertex out = b.output("out", {elements}, {{mid}});
        const Price p = price_kernel(b.graph, trace_kernel(b.graph, all_stored(b.graph).placement, {out}),
                                     {.vector = 4}, h200(), 64);
        return p.read_us / p.bytes_read;
    };
    const auto fits = (int64_t)(h200().l2 / 2 / 4);
    EXPECT_LT(read_us_a_byte(fits), 0.9 * read_us_a_byte(fits + 1));
}

TEST(PriceOfAKernel, SpillsAreTheRegistersOverTheCap) {
    const StageGraph graph = chain(1, {1 << 20});
    const Tile tile{.vector = 4};
    const int needed = price_of(graph, tile).registers.value;
    EXPECT_EQ(price_of(graph, tile, needed).spilled, 0);
    EXPECT_EQ(price_of(graph, tile, needed - 1).spilled, 1);
    EXPECT_GT(price_of(graph, tile, needed - 1).compute_us, price_of(graph, tile, needed).compute_us);
}

TEST(PriceOfAKernel, MeasuredRegistersReplaceTheEstimate) {
    const StageGraph graph = chain(1, {1 << 20});
    const Group kernel = fused_kernel(graph);
    const Price estimated = price_kernel(graph, kernel, {}, h200(), 255);
    const Price measured = price_kernel(graph, kernel, {}, h200(), 255, MeasuredRegisters{128});
    EXPECT_EQ(estimated.registers.source, RegisterSource::Estimated);
    EXPECT_EQ(measured.registers.source, RegisterSource::Measured);
    EXPECT_EQ(measured.registers.value, 128);
    EXPECT_EQ(measured.spilled, 0);
    EXPECT_LT(measured.occupancy, estimated.occupancy);
}

TEST(PriceOfAKernel, MeasuredSpillsReplaceTheEstimateToo) {
    const StageGraph graph = long_live_range(96, {1 << 20});
    const Group kernel = fused_kernel(graph);
    const Price estimated = price_kernel(graph, kernel, {}, h200(), 64);
    ASSERT_GT(estimated.spilled, 0);
    const Price measured = price_kernel(graph, kernel, {}, h200(), 64, MeasuredRegisters{60, 0});
    EXPECT_EQ(measured.spilled, 0);
    EXPECT_LT(measured.time_us, estimated.time_us);
    EXPECT_EQ(price_kernel(graph, kernel, {}, h200(), 64, MeasuredRegisters{64, 7}).spilled, 7);
}

TEST(PriceOfAKernel, AHostLoopLaunchesNothing) {
    const StageGraph graph = chain(1, {64});
    Group kernel = fused_kernel(graph);
    kernel.kind = Template::HostLoops;
    EXPECT_EQ(price_kernel(graph, kernel, {}, h200(), 64).launches, 0);
}

TEST(PriceOfAKernel, AnEmptyRegionHasAFiniteTime) {
    const Price price = price_of(chain(2, {0, 16}));
    EXPECT_TRUE(std::isfinite(price.time_us));
    EXPECT_TRUE(std::isfinite(price.waves));
    EXPECT_EQ(price.bytes_written, 0);
}

TEST(PriceOfAKernel, StoresThatCoverPartsOfLinesAreWrittenPartByPart) {
    const StageGraph words = chain(1, {1 << 26});
    StageGraph bytes = words;
    const Vertex output = num_vertices(bytes) - 1;
    bytes[output].element_bytes = {1};
    bytes[output].value_bytes = 1;
    const auto write_us = [](const StageGraph &graph, int vector) {
        return price_of(graph, {.vector = vector}).write_us;
    };
    EXPECT_NEAR(write_us(words, 8) / write_us(words, 4), 2, 0.1);
    EXPECT_NEAR(write_us(words, 16) / write_us(words, 4), 4, 0.1);
    EXPECT_NEAR(write_us(bytes, 16) / write_us(bytes, 8), 1, 0.1);
}

TEST(ResidentThreads, AreLimitedByRegistersInUnitsOfEight) {
    const double most = h200().threads_per_multiprocessor * h200().multiprocessors;
    EXPECT_EQ(resident_threads(h200(), 256, 32, 0, 1e9), most);
    EXPECT_LT(resident_threads(h200(), 256, 33, 0, 1e9), most);
    EXPECT_EQ(resident_threads(h200(), 256, 33, 0, 1e9), resident_threads(h200(), 256, 40, 0, 1e9));
    EXPECT_EQ(resident_threads(h200(), 256, 64, 0, 1e9), most / 2);
}

TEST(ResidentThreads, AreLimitedBySharedMemoryAndByTheGrid) {
    const double most = h200().threads_per_multiprocessor * h200().multiprocessors;
    EXPECT_EQ(resident_threads(h200(), 256, 32, 16 * 1024, 1e9), most);
    EXPECT_LT(resident_threads(h200(), 256, 32, 48 * 1024, 1e9), most);
    EXPECT_EQ(resident_threads(h200(), 256, 32, 0, 3), 3 * 256);
}

TEST(Total, SumsKernels) {
    Group a, b;
    const auto fill = [](Price &price, double unit) {
        price.bytes_read = unit;
        price.bytes_written = 2 * unit;
        price.flops = 3 * unit;
        price.recomputed_flops = 4 * unit;
        price.launches = 1;
        price.time_us = unit / 2;
    };
    fill(a.price, 1);
    fill(b.price, 10);
    const Price sum = total({a, b});
    EXPECT_EQ(sum.bytes_read, 11);
    EXPECT_EQ(sum.bytes_written, 22);
    EXPECT_EQ(sum.flops, 33);
    EXPECT_EQ(sum.recomputed_flops, 44);
    EXPECT_EQ(sum.launches, 2);
    EXPECT_EQ(sum.time_us, 5.5);
    EXPECT_EQ(total({}).launches, 0);
}

}  // namespace
}  // namespace fusion::test

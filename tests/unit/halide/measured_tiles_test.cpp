#include "fusion/halide/measured_tiles.h"

#include "schedules/lower.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::planned;

class MeasuredTiles : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"};
    ImageParam in{Float(32), 2, "in"};

    void SetUp() override {
        if (find_ptxas().empty()) {
            GTEST_SKIP() << "no ptxas";
        }
    }

    /// Rows of an odd length less their mean.
    Func centred() {
        Func sum("sum"), output("output");
        const RDom r(in.dim(0).min(), in.dim(0).extent());
        sum(y) = 0.0f;
        sum(y) += in(r, y);
        output(x, y) = in(x, y) - sum(y) / 5003;
        in.set_estimates({{0, 5003}, {0, 26827}});
        output.set_estimates({{0, 5003}, {0, 26827}});
        return output;
    }

    static Planned measured(Planned p, const Tile &tile) {
        p.plan.groups[0].tile = tile;
        p.schedule = lower(p.view, p.plan, cuda());
        measure_registers(p, cuda(), {64});
        return p;
    }
};

TEST_F(MeasuredTiles, a_poor_tile_gives_way_to_a_measured_one) {
    const Planned poor = measured(planned({centred()}), {.threads = 1024, .reducing = 8});
    const Planned better = with_measured_tiles(poor, cuda(), {64});
    EXPECT_LT(better.ledger.planned.time_us, 0.97 * poor.ledger.planned.time_us);
    EXPECT_NE(better.plan.groups[0].tile, poor.plan.groups[0].tile);
    EXPECT_EQ(better.plan.groups[0].price.registers.source, RegisterSource::Measured);
    EXPECT_EQ(better.ledger.planned.time_us, better.plan.groups[0].price.time_us);
}

TEST_F(MeasuredTiles, the_best_known_tile_stays) {
    Planned best = planned({centred()});
    measure_registers(best, cuda(), {64});
    best = with_measured_tiles(best, cuda(), {64});
    EXPECT_EQ(with_measured_tiles(best, cuda(), {64}).plan.groups[0].tile, best.plan.groups[0].tile);
}

}  // namespace
}  // namespace fusion

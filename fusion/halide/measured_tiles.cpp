#include "fusion/halide/measured_tiles.h"

#include <algorithm>
#include <map>

#include "fusion/contraction_kernel.h"
#include "fusion/halide/measure_registers.h"
#include "fusion/price.h"
#include "fusion/reduction_tiles.h"
#include "schedules/lower.h"

namespace fusion {
namespace {

constexpr int kMostRounds = 3;

/// Compiling again must promise so much of a kernel's time (a prediction is not better than that).
constexpr double kWorthMeasuring = 0.97;

/// A tile that was not measured yet and is predicted to be faster by enough; the best of them.
std::optional<Tile> better_tile(const Planned &planned, const Group &group, const std::vector<Tile> &measured) {
    const StageGraph &graph = planned.view.graph;
    const Limits limits{.registers = planned.plan.register_cap};
    std::optional<Tile> best;
    double least_us = kWorthMeasuring * group.price.time_us;
    for (const Tile &tile : reduction_tiles(graph, group, *planned.device, limits)) {
        if (is_contraction(tile) || std::find(measured.begin(), measured.end(), tile) != measured.end()) {
            continue;
        }
        const double time_us = price_kernel(graph, group, tile, *planned.device, limits.registers).time_us;
        if (time_us < least_us) {
            least_us = time_us;
            best = tile;
        }
    }
    return best;
}

}  // namespace

Planned with_measured_tiles(const Planned &measured, const Halide::Target &target, const std::vector<int> &caps) {
    Planned best = measured;
    std::map<size_t, std::vector<Tile>> known;  // by kernel
    for (int round = 0; round < kMostRounds; round++) {
        Planned next = best;
        bool is_changed = false;
        for (size_t i = 0; i < best.plan.groups.size(); i++) {
            Group &group = next.plan.groups[i];
            known[i].push_back(group.tile);
            if (group.kind != Template::Reduction || is_contraction(group.tile)) {
                continue;
            }
            if (const auto tile = better_tile(best, group, known[i])) {
                group.tile = *tile;
                is_changed = true;
            }
        }
        if (!is_changed) {
            return best;
        }
        next.schedule = lower(next.view, next.plan, target);
        measure_registers(next, target, caps);
        for (size_t i = 0; i < next.plan.groups.size(); i++) {
            known[i].push_back(next.plan.groups[i].tile);
        }
        if (next.ledger.planned.time_us < best.ledger.planned.time_us) {
            best = std::move(next);
        }
    }
    return best;
}

}  // namespace fusion

/// What a kernel of tiles of points takes: evaluations, loads, values kept.
#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "fusion/choices.h"
#include "fusion/footprint.h"
#include "fusion/live_values.h"
#include "fusion/point_instructions.h"
#include "fusion/rate.h"
#include "fusion/stencil_kernel.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// Instructions of finding the place of a point of a tile in shared memory, and of its guard.
constexpr double kIndexAtBlock = 10;

/// Microseconds that a block alone takes from one barrier to the next: a load from the L2, what follows it, a store. Not
/// measured.
constexpr double kPhase = 0.5;

double product(const std::vector<double> &extents) {
    return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
}

/// No loop moves it, nor do data.
bool is_at_numbers(const Use &use) {
    return use.numbers.size() == use.follows.size() &&
           std::all_of(use.numbers.begin(), use.numbers.end(), [](bool is_number) { return is_number; });
}

/// Some member of the kernel reads several points of the stage for one of its own.
bool is_read_at_several_points(const StageGraph &graph, const Group &group, Vertex stage) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        const auto [begin, end] = out_edges(stage, graph);
        return std::any_of(begin, end,
                           [&](const Edge &e) { return target(e, graph) == m.stage && graph[e].points > 1; });
    });
}

/// Lines of memory that the threads of a warp load together, over those of neighbours: of a stride they take every so many.
double lines_of(const StageGraph &graph, Vertex producer, const Use &use, int across) {
    const int row = contiguous_dim(graph[producer]);
    const Rate rate = row < 0 || row >= (int)use.follows.size() ? Rate() : rate_at(use, (size_t)row);
    return rate.loop >= 0 && rate.steps > rate.of ? (double)rate.steps / (double)rate.of * across : 1;
}

/// A thread keeps what its points need along strides. Else the compiler finds what rows share only where they move one by
/// one: of the address of row 2 * (y + 1) - 1 it does not see that it is that of 2 * y + 1 (PTX of local_laplacian, 2026-11-30:
/// 4 points below each other load 100 values of 55).
bool keeps_strides(const StageGraph &graph, const Group &group, int dim) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) {
        bool moves = false;
        for (const Use &use : m.uses) {
            for (size_t d = 0; d < use.follows.size(); d++) {
                moves = moves || (rate_at(use, d).loop == dim && rate_at(use, d).steps > 1);
            }
        }
        return m.placement == Placement::AtThread && !graph[m.stage].has_updates && moves;
    });
}

}  // namespace

StencilWork stencil_work(const StageGraph &graph, const Group &planned, const Tile &tile) {
    const std::optional<Group> chosen = with_choices(planned, tile);
    const Group &group = chosen ? *chosen : planned;
    const Vertex output = group.outputs[0];
    const double points = graph[output].points();
    const TiledDims &dims = tile.dims;
    const size_t rank = graph[output].dims.size();
    const std::vector<double> thread = thread_tile(rank, tile), block = block_tile(rank, tile), one;
    const double blocks = points / product(block);
    StencilWork work;
    // Points of each frame: of the output all, of a stage at the block what all blocks compute.
    std::map<Vertex, double> frames = {{output, points}};
    std::map<Vertex, std::vector<double>> boxes = {{output, block}};  // what a block walks of each
    for (const Member &member : group.members) {
        if (member.placement == Placement::AtBlock) {
            double others = 1;
            for (const Use &use : reads_by_others(member)) {
                others = std::max(others, use.others);
            }
            const std::vector<double> &box = boxes[member.stage] = box_of(member.sides, block);
            // Threads walk it in whole rounds, and the last ones are not full.
            double rounds = others * product(box);
            for (size_t d = 0; d < box.size(); d++) {
                const int dim = member.sides[d].loop;
                const double step = dim < 0         ? 1
                                    : dim == dims.x ? tile.lanes
                                    : dim == dims.y ? (double)tile.threads / tile.lanes
                                                    : 1;
                rounds *= std::ceil(box[d] / step) * step / box[d];
            }
            frames[member.stage] = blocks * rounds;
            work.overhead += blocks * rounds * kIndexAtBlock;
            work.loads += blocks * rounds;  // stores
            work.shared_bytes += others * product(box) * graph[member.stage].value_bytes;
            work.latency_us += kPhase;
        }
    }
    // Such prices were fitted to places that rows and columns decide; where data do, nothing was measured.
    const bool has_places = shares_places(graph, planned);
    const auto is_computed = [&](const Use &use) { return has_places && !is_sized(use); };
    const bool is_kept_apart = keeps_strides(graph, group, dims.y);
    const auto shares = [&](const Use &use) {
        std::vector<double> points = use.frame == output ? thread : one;
        for (size_t d = 0; d < use.follows.size() && dims.y >= 0 && !points.empty() && !is_kept_apart; d++) {
            const Rate rate = rate_at(use, d);
            points[dims.y] = rate.loop == dims.y && rate.steps > 1 ? 1 : points[dims.y];
        }
        return points;
    };
    // What is at numbers, a thread finds once for all points of a box that it walks.
    const auto walked = [&](const Use &use) {
        const double all = frames.at(use.frame);
        return use.frame != output && is_at_numbers(use) ? std::min(all, blocks * tile.threads) : all;
    };
    const auto times = [&](const Use &use) { return walked(use) * evaluations_a_point(use, shares(use)); };
    const auto kept_of = [&](Vertex stage, const Use &use) {
        // Rows that are done leave the registers as a thread walks down.
        double values = use.others;
        for (size_t d = 0; d < use.follows.size(); d++) {
            const Rate rate = rate_at(use, d);
            values *= rate.loop < 0 ? 1 : values_along(rate, rate.loop == dims.x ? tile.vector : 1);
        }
        return values * words(graph[stage]);
    };
    // What several points of a thread read is loaded or computed once, and kept for the next.
    const auto keeps_shared = [&](Vertex stage, const Use &use) {
        const auto shares_along = [&](int dim, int points) {
            for (size_t d = 0; d < use.follows.size() && points > 1 && dim >= 0; d++) {
                if (const Rate rate = rate_at(use, d); rate.loop == dim && rate.high > rate.low) {
                    return true;
                }
            }
            return false;
        };
        const bool shares = shares_along(dims.x, tile.vector) || shares_along(dims.y, tile.per_thread);
        if (use.frame == output && is_sized(use) && shares && is_read_at_several_points(graph, group, stage)) {
            work.values_shared += kept_of(stage, use);
        }
    };
    for (const Member &member : group.members) {
        const bool at_block = member.placement == Placement::AtBlock;
        const Stage &stage = graph[member.stage];
        double &evaluations = work.evaluations[member.stage], &flops = work.flops[member.stage];
        evaluations = at_block ? frames.at(member.stage) : 0;
        flops = evaluations * stage.work.total();
        work.instructions += flops;
        for (const Use &use : at_block ? reads_by_others(member) : member.uses) {
            const Work &a_point = chosen && use.is_chosen ? stage.chosen : stage.work;
            (at_block ? work.loads : evaluations) += times(use);
            flops += at_block ? 0 : times(use) * a_point.total();
            work.instructions += at_block ? 0 : walked(use) * instructions_a_point(use, shares(use), a_point);
            // Its readers count it as a load, whose place is priced where the load is (resize, 4 x 2 x 3 points a thread: 37
            // instructions a point in SASS, 41 as priced and as timed, 51 with these; H200, 2026-12-01).
            const bool is_counted = member.placement == Placement::Inlined && member.stage != output;
            work.overhead -= is_counted && is_computed(use) ? times(use) : 0;
            if (member.placement == Placement::AtThread) {
                work.values_kept += kept_of(member.stage, use);
            } else {
                keeps_shared(member.stage, use);
            }
        }
    }
    double loaded = 0, distinct = 0;
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            keeps_shared(input.producer, use);
            work.loads += times(use) * lines_of(graph, input.producer, use, use.frame == output ? tile.vector : 1);
            work.overhead += is_computed(use) ? times(use) * kPlace : 0;
            // Of what blocks read twice, the L2 gives the second.
            const std::vector<double> &box = boxes.at(use.frame);
            const double bytes = frames.at(use.frame) * points_a_point(use, box) * graph[input.producer].value_bytes;
            // At computed places nothing tells what blocks have in common.
            loaded += is_computed(use) ? std::min(bytes, input.bytes) : bytes;
        }
        distinct += input.bytes;
    }
    work.halo = distinct > 0 ? std::max(1.0, loaded / distinct) : 1;
    return work;
}

}  // namespace fusion

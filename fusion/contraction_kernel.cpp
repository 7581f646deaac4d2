#include "fusion/contraction_kernel.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fusion/footprint.h"
#include "fusion/price.h"
#include "fusion/reduction_kernel.h"

namespace fusion {
namespace {

/// Points of a thread along the contiguous dimension come in one wide access; along the other they are loaded by a warp at
/// once. mat_mul 1024: 4 x 8 points 0.169 ms, 4 x 4 0.190 ms; conv 3x3x128 of 100 x 80 x 128 x 5 under 64 and 128 registers:
/// 4 x 5 points 0.385 and 0.411 ms, 4 x 10 points by 64 threads 1.18 and 0.319 (H200, 2026-11-30).
const std::vector<int> kDown = {2, 4, 5, 8, 10}, kLanes = {8, 16, 32}, kThreads = {64, 128, 256};

/// Steps of a window that slides along a thread's rows: written out, rows and steps that meet load once. The same convolution,
/// 4 x 8 points, a step at a time 0.544 ms.
constexpr int64_t kLongestWindow = 5;

/// Loads that are left of those of single points, beyond which a tile only costs registers.
constexpr double kWorthSharing = 0.75;

/// Instructions of a thread's step, and what a load adds to the multiply-adds beside it; microseconds that a turn of kInFlight
/// steps (of each step of the windows) waits where registers hold all that it loads, and the share more of another round of
/// loads. Fitted to ten runs (H200, 2026-11-30): the convolution above with 4 x 4, 4 x 5 and 4 x 10 points, mat_mul with 4 x 4
/// and 4 x 8 under 64 to 128 registers; predicted 0.81 to 1.13 of what was measured.
constexpr double kStep = 4, kLoadBesideMath = 0.7, kTurn = 0.4, kRound = 0.55;

/// Rows of a thread in another dimension than the next in memory take this much longer (the convolution above, 4 x 5 points
/// along its second and third dimension: 0.359 and 0.390 ms).
constexpr double kFarRows = 1.09;

/// Threads of a multiprocessor that share what its L1 holds, in one block or in several (same convolution, by 128 and by 256
/// threads: 0.390 and 0.417 ms).
constexpr double kTogether = 512;

/// Threads of a warp, and the steps that a thread has in flight.
constexpr double kWarp = 32, kInFlight = 4;

const Member &reduction_of(const StageGraph &graph, const Group &group) {
    return *std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) {
        return is_reduction(graph[m.stage]) && (m.stage == group.outputs[0] || m.placement == Placement::AtBlock);
    });
}

/// By dimension of the reduction: `along` points of the tile's x and `down` of its y.
std::map<int, double> points_of_reduction(const StageGraph &graph, const Group &group, const TiledDims &dims,
                                          double along, double down) {
    const Member &reduction = reduction_of(graph, group);
    std::map<int, double> points;
    for (int d = 0; d < (int)graph[reduction.stage].dims.size(); d++) {
        const int dim = reduction.stage == group.outputs[0] ? d : reduction.follows[d];
        points[d] = dim == dims.x ? along : dim == dims.y ? down : 1;
    }
    return points;
}

std::map<int, double> points_of_thread(const StageGraph &graph, const Group &group, const Tile &tile) {
    return points_of_reduction(graph, group, tile.dims, tile.vector, tile.per_thread);
}

/// Where the element that is read moves with the consumer's dimension. Unknown is taken for yes.
bool moves_with(const Read &read, int dim, int dims) {
    for (size_t d = 0; d < read.follows.size(); d++) {
        const int runs = read.follows[d] >= 0 || read.runs.empty() ? read.follows[d] : read.runs[d];
        const bool is_fixed = d < read.region.size() && read.region[d].extent == 1;
        if (runs == dim || (runs < 0 && !is_fixed && dim < dims)) {
            return true;
        }
    }
    return false;
}

/// Of the loads of a window's steps for `points` rows, those at unlike places: a row's step is the next row's step before.
double unlike_in_window(const StageGraph &graph, const Read &read, Vertex reduction, int down, double points) {
    double unlike = 1;
    for (const int rvar : windows_of(graph, reduction, down)) {
        const double steps = (double)graph[reduction].reduction[rvar].extent;
        for (size_t d = 0; d < read.slides.size(); d++) {
            const bool slides = read.runs[d] == down && read.slides[d] == rvar + (int)graph[reduction].dims.size();
            unlike *= slides ? (points + steps - 1) / (points * steps) : 1;
        }
    }
    return unlike;
}

/// Loads of one step, a point, where points share them: `tile`, by dimension, windows along dimension `down`. Of a warp `rows`
/// lie along it: threads of one ask for one place or for neighbours, those of another for another line of the L1.
double loads_a_point(const StageGraph &graph, Vertex reduction, const std::map<int, double> &tile, int down,
                     double rows = 1) {
    const int dims = (int)graph[reduction].dims.size();
    double loads = 0;
    for (auto [e, end] = in_edges(reduction, graph); e != end; ++e) {
        if (graph[source(*e, graph)].func_id == graph[reduction].func_id) {
            continue;  // the accumulator
        }
        double shared = 1;
        for (const auto &[dim, points] : tile) {
            shared *= moves_with(graph[*e], dim, dims) ? 1 : points;
            shared /= dim == down ? unlike_in_window(graph, graph[*e], reduction, dim, points) : 1;
        }
        const bool is_apart = down >= 0 && moves_with(graph[*e], down, dims);
        bool is_along = false;
        for (const auto &[dim, points] : tile) {
            is_along |= dim != down && points > 1 && moves_with(graph[*e], dim, dims);
        }
        // A row of neighbours fills as many lines as it is long; fewer of them fill fewer.
        loads += graph[*e].points / shared * (is_along ? (is_apart ? 1 : 1 / rows) : is_apart ? rows : 1);
    }
    return loads;
}

}  // namespace

bool is_contraction(const Tile &tile) {
    return tile.reducing == 1 && tile.dims.x >= 0;
}

int dim_of_reduction(const Group &group, const Member &reduction, int dim) {
    const auto found = std::find(reduction.follows.begin(), reduction.follows.end(), dim);
    return reduction.stage == group.outputs[0] ? dim : (int)(found - reduction.follows.begin());
}

std::vector<int> windows_of(const StageGraph &graph, Vertex reduction, int dim) {
    const Stage &stage = graph[reduction];
    std::vector<int> windows;
    for (int r = 0; r < (int)stage.reduction.size(); r++) {
        const int loop = r + (int)stage.dims.size();
        const bool is_short = stage.reduction[r].extent > 1 && stage.reduction[r].extent <= kLongestWindow;
        for (auto [e, end] = in_edges(reduction, graph); e != end && is_short; ++e) {
            const Read &read = graph[*e];
            const auto slides = [&](size_t d) { return read.runs[d] == dim && read.slides[d] == loop; };
            for (size_t d = 0; d < read.slides.size(); d++) {
                if (slides(d) && (windows.empty() || windows.back() != r)) {
                    windows.push_back(r);
                }
            }
        }
    }
    return windows;
}

Decision can_contract(const StageGraph &graph, const Group &group) {
    const Stage &out = graph[group.outputs[0]];
    if (Decision in_block = can_reduce_in_block(graph, group); !in_block.allowed()) {
        return in_block;
    }
    const std::vector<Member> reductions = reductions_of(graph, group);
    if (reductions.size() != 1 || !reduction_shape(graph, group).columns.empty()) {
        return Decision::forbid(out.func + " has points that share a reduction");
    }
    const Stage &stage = graph[reductions[0].stage];
    if (is_reduction(out) && out.role != Role::Intermediate) {
        return Decision::forbid(out.func + " is stored by the caller: each step would go to memory");
    }
    const auto is_wide = [](int bytes) { return bytes > 4; };
    const std::vector<int> &bytes = stage.element_bytes;
    if (bytes.size() != 1 || is_wide(bytes[0]) ||
        std::any_of(out.element_bytes.begin(), out.element_bytes.end(), is_wide)) {
        return Decision::forbid(stage.func + " has a Tuple or 64-bit values, which do not come in vectors");
    }
    return out.dims.size() < 2 ? Decision::forbid(out.func + " has one dimension: neighbours share no row")
                               : Decision::allow();
}

ContractionWork contraction_work(const StageGraph &graph, const Group &group, const Tile &tile) {
    const Stage &out = graph[group.outputs[0]];
    const Member &reduction = reduction_of(graph, group);
    const Stage &stage = graph[reduction.stage];
    ContractionWork work;
    double padded = 1;
    work.blocks = 1;
    for (int d = 0; d < (int)out.dims.size(); d++) {
        const double extent = (double)out.dims[d].extent;
        const double points = d == tile.dims.x ? tile.vector : d == tile.dims.y ? tile.per_thread : 1;
        const double threads = d == tile.dims.x ? tile.lanes : d == tile.dims.y ? tile.threads / tile.lanes : 1;
        const double blocks = std::ceil(std::ceil(extent / points) / threads);
        work.blocks *= blocks;
        padded *= blocks * threads * points / extent;
    }
    work.padding = padded;
    const std::map<int, double> points = points_of_thread(graph, group, tile);
    const double tile_points = tile.vector * tile.per_thread;
    const double rows = std::max(1.0, kWarp / tile.lanes);
    const int below = dim_of_reduction(group, reduction, tile.dims.y);
    const double loads = loads_a_point(graph, reduction.stage, points, below, rows);
    double reads = 0;
    for (auto [e, end] = in_edges(reduction.stage, graph); e != end; ++e) {
        reads += graph[*e].points;
    }
    // Each read was counted with its address and itself; a multiply-add is one instruction.
    const double arithmetic = std::max(1.0, stage.work.total() - 2 * reads);
    const double steps = stage.points();
    const bool is_far = out.memory_order.size() > 1 && tile.dims.y != out.memory_order[1];
    work.instructions = steps * (arithmetic + loads * kLoadBesideMath + kStep / tile_points) * (is_far ? kFarRows : 1);
    for (const Member &member : group.members) {
        work.instructions +=
            member.stage == reduction.stage ? 0 : member.evaluations * graph[member.stage].work.total();
    }
    const double down = std::max(1.0, kTogether / tile.lanes) * tile.per_thread;
    const auto together = points_of_reduction(graph, group, tile.dims, (double)tile.lanes * tile.vector, down);
    work.l2_bytes = steps * loads_a_point(graph, reduction.stage, together, below) * stage.value_bytes;
    double windows = 1;
    for (const int r : windows_of(graph, reduction.stage, below)) {
        windows *= (double)stage.reduction[r].extent;
    }
    work.turns = steps / stage.elements() / kInFlight / windows;
    work.step_registers = tile.vector + tile.per_thread;
    const bool has_windows = windows > 1;
    work.turn_registers = kInFlight * (tile.vector * windows + tile.per_thread + (has_windows ? windows - 1 : 0));
    work.registers = (int)(tile_points + work.turn_registers) + stage.live_values;
    return work;
}

double waiting_us(const ContractionWork &work, int wanted, int cap) {
    const double spare = std::max(work.step_registers, work.turn_registers - std::max(0, wanted - cap));
    const double rounds = std::max(1.0, work.turn_registers / spare);
    return work.turns * kTurn * (1 + kRound * (rounds - 1));
}

std::vector<Tile> contraction_tiles(const StageGraph &graph, const Group &group, const Limits &limits) {
    std::vector<Tile> tiles;
    if (!can_contract(graph, group).allowed()) {
        return tiles;
    }
    const Stage &out = graph[group.outputs[0]];
    const Vertex reduction = reduction_of(graph, group).stage;
    const int x = contiguous_dim(out);
    for (const int y : out.memory_order) {
        if (y == x) {
            continue;
        }
        for (const int threads : kThreads) {
            for (const int lanes : kLanes) {
                for (const int down : kDown) {
                    const Tile tile{.vector = std::min(limits.vector, kWordVector),
                                    .per_thread = down,
                                    .threads = threads,
                                    .lanes = lanes,
                                    .dims = {.x = x, .y = y}};
                    const bool fits = out.dims[x].extent % tile.vector == 0 && out.dims[y].extent >= down;
                    const std::map<int, double> points = points_of_thread(graph, group, tile);
                    const int below = dim_of_reduction(group, reduction_of(graph, group), y);
                    const double apart = loads_a_point(graph, reduction, {}, below);
                    if (fits && loads_a_point(graph, reduction, points, below) <= kWorthSharing * apart) {
                        tiles.push_back(tile);
                    }
                }
            }
        }
    }
    return tiles;
}

}  // namespace fusion

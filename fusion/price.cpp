#include "fusion/price.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fusion/contraction_kernel.h"
#include "fusion/folded_kernel.h"
#include "fusion/late_reads.h"
#include "fusion/parallel_kernel.h"
#include "fusion/point_instructions.h"
#include "fusion/private_kernel.h"
#include "fusion/reduction_price.h"
#include "fusion/reduction_tiles.h"
#include "fusion/registers.h"
#include "fusion/stencil_kernel.h"
#include "fusion/stencil_tiles.h"

namespace fusion {
namespace {

/// Blocks that a multiprocessor holds at most (compute capability 8.0 and 9.0).
constexpr double kMostBlocks = 32;

/// A buffer that one kernel leaves in the L2 for the next: at most this share of it, since inputs stream through too.
constexpr double kL2Share = 0.5;

/// Instructions of finding a thread's point: with the divisions that undo flattening, and where the loop is contiguous
/// (times of one point a thread, 16384 x 16384: 4.5 ps a thread against 3.6; H200, 2026-11-29).
constexpr double kDividedIndex = 100;
constexpr double kPlainIndex = 10;

bool stays_in_l2(const StageGraph &graph, Vertex buffer, double bytes, const Device &device) {
    return graph[buffer].role == Role::Intermediate && bytes <= kL2Share * device.l2;
}

/// Of the instructions of so many evaluations, those of evaluations beyond one a point.
double recomputed(const StageGraph &graph, const Member &member, double evaluations, double flops) {
    const double once = member.computed_before ? 0 : graph[member.stage].points();
    return evaluations > once ? flops * (1 - once / evaluations) : 0;
}

/// Stores that a vector takes. Each covers a part of the lines that a warp's threads lie in, and the L2 writes every part: u8 to
/// float, 4, 8 and 16 neighbours a thread 0.328, 0.516 and 1.099 ms (16384 x 16384; H200, 2026-12-01). Loads find the rest in the L1.
double stores_apart(const Stage &stage, const Tile &tile) {
    double widest = 1;
    for (const int bytes : stage.element_bytes) {
        widest = std::max(widest, (double)bytes * tile.vector / 16);
    }
    return tile.vector > kWordVector ? widest : 1;
}

/// Instructions of a member over the whole kernel of blocks that reduce. What is the same for the points that a thread computes
/// side by side is computed once for them: values that miss the vectorised dimension or belong to a whole row.
double instructions_in_block(const StageGraph &graph, const Member &member, const Tile &tile, const BlockWork &block) {
    const Stage &stage = graph[member.stage];
    const double side_by_side = std::max(1.0, member.evaluations / (block.blocks * tile.threads));
    if (member.placement == Placement::Inlined && stage.points() < block.rows + 0.5) {
        return member.evaluations / side_by_side * stage.work.total();
    }
    return member.evaluations * (stage.work.total() - stage.invariant() * (1 - 1 / side_by_side));
}

}  // namespace

double resident_threads(const Device &device, int threads, int registers, int shared_bytes, double blocks) {
    const int granule = 8;  // registers are given to a warp in units of 256 (compute capability 8 and 9)
    const int rounded = (registers + granule - 1) / granule * granule;
    double per_multiprocessor = std::min(kMostBlocks, std::floor(device.threads_per_multiprocessor / threads));
    per_multiprocessor =
        std::min(per_multiprocessor, std::floor(device.registers_per_multiprocessor / (rounded * threads)));
    if (shared_bytes > 0) {
        per_multiprocessor =
            std::min(per_multiprocessor, std::floor(device.shared_per_multiprocessor / (shared_bytes + 1024)));
    }
    return std::min(blocks, std::max(per_multiprocessor, 1.0) * device.multiprocessors) * threads;
}

double spilling_us(int spilled, double threads, const Device &device) {
    return spilled * 4.0 * 2.0 * threads / device.memory_bandwidth * 1e-3;
}

namespace {

/// The part of its rate at which tiles of points issue instructions where registers leave a multiprocessor so many threads: they
/// wait for shared memory and for what others of the thread computed. Fitted to unsharp (512 threads: it issued 36 percent of
/// the time, 1024: 49; ncu), camera_pipe (512 to 640 threads under 96 registers 0.099 ms, with spills under 64 0.106) and the fold
/// of nl_means (512: 1.79 ms, 1024: 1.59). H200, 2026-12-01.
double issue_rate(double threads) {
    return std::min(1.0, std::sqrt(threads / 768));
}

}  // namespace

Price price_kernel(const StageGraph &graph, const Group &group, const Tile &tile, const Device &device, int cap,
                   const std::optional<MeasuredRegisters> &measured) {
    Price price;
    price.launches = group.kind == Template::HostLoops ? 0 : 1;
    price.launch_us = price.launches * device.launch;
    const bool reduces = group.kind == Template::Reduction;
    const bool shares_rows = reduces && !is_contraction(tile);
    const double points = tile.vector * (shares_rows ? 1 : tile.per_thread) * tile.slices;
    double threads = 0, in_flight = 0, written_l2 = 0, read_l2 = 0, apart = 1;
    for (const Vertex output : group.outputs) {
        const Stage &stage = graph[output];
        const double bytes = std::min(stage.elements(), stage.points()) * stage.value_bytes;
        price.bytes_written += bytes;
        written_l2 += stays_in_l2(graph, output, bytes, device) ? bytes : 0;
        threads = std::max(threads, std::ceil(stage.elements() / points));
        in_flight += stage.value_bytes * points;
        apart = group.kind == Template::Pointwise ? std::max(apart, stores_apart(stage, tile)) : 1;
    }
    const bool has_places = group.kind == Template::Stencil && shares_places(graph, group);
    for (const Input &input : group.inputs) {
        const Stage &stage = graph[input.producer];
        const int element = std::max(1, stage.element_bytes.empty() ? 4 : stage.element_bytes[0]);
        const double waste =
            input.is_coalesced ? 1 : std::max(1.0, std::min<double>(device.uncoalesced_waste, 32.0 / element));
        // Of its own Func an update reads back what its loops reach: a row, where it writes a row.
        const Stage &out = graph[group.outputs[0]];
        const bool is_own = stage.func_id == out.func_id;
        const double bytes = is_own ? std::min(input.bytes, out.points() * out.value_bytes) : input.bytes;
        price.bytes_read += bytes * waste;
        read_l2 += stays_in_l2(graph, input.producer, input.bytes, device) ? bytes * waste : 0;
        in_flight += input.streams || has_places ? stage.value_bytes * points : 0;
    }
    in_flight *= reduces ? steps_in_flight(graph, group, tile) : 1;
    const bool contracts = reduces && is_contraction(tile);
    const ContractionWork contraction = contracts ? contraction_work(graph, group, tile) : ContractionWork();
    const BlockWork block = reduces && !contracts ? block_work(graph, group, tile, device) : BlockWork();
    const bool is_owned = group.kind == Template::Private || group.kind == Template::Parallel;
    const PrivateWork owned = is_owned ? owned_work(graph, group, tile, device) : PrivateWork();
    in_flight *= group.kind == Template::Private ? kWrittenOutSteps : 1;
    const bool folds = group.kind == Template::Folded, is_tiled = group.kind == Template::Stencil || folds;
    const StencilWork stencil = folds      ? folded_work(graph, group, tile)
                                : is_tiled ? stencil_work(graph, group, tile)
                                           : StencilWork();
    double instructions = is_tiled ? stencil.instructions + stencil.overhead + stencil.loads * (kLoad - 1)
                                   : instructions_elsewhere(graph, group, tile);
    for (const Member &member : group.members) {
        const double evaluations = is_tiled ? stencil.evaluations.at(member.stage) : member.evaluations;
        instructions += is_tiled  ? 0
                        : reduces ? instructions_in_block(graph, member, tile, block)
                                  : instructions_of(graph, group, member, tile);
        const double flops =
            is_tiled && !folds ? stencil.flops.at(member.stage) : evaluations * graph[member.stage].work.total();
        price.flops += flops;
        price.recomputed_flops += recomputed(graph, member, evaluations, flops);
        if (member.placement == Placement::AtBlock && group.kind == Template::Transpose) {
            price.shared_bytes += kTransposeTile * (kTransposeTile + 1) * graph[member.stage].value_bytes;
        }
    }
    for (const Staged &tile_of : group.staged) {
        price.shared_bytes += kTransposeTile * (kTransposeTile + 1) * graph[tile_of.producer].value_bytes;
    }
    const bool is_flat = tile.vector > 1 && std::all_of(group.inputs.begin(), group.inputs.end(),
                                                        [](const Input &i) { return i.same_point; });
    const bool divides = graph[group.outputs[0]].dims.size() > 1 && !is_flat && !is_tiled;
    price.shared_bytes += (int)std::min(1e9, stencil.shared_bytes);
    if (contracts) {
        threads = contraction.blocks * tile.threads;
        instructions = contraction.instructions * contraction.padding + threads * kDividedIndex;
    } else if (reduces) {
        threads = block.blocks * tile.threads;
        instructions = instructions * block.padding + block.band_instructions + block.access_instructions +
                       threads * block.overhead;
        price.launches += block.partial_launches;
        price.launch_us = price.launches * device.launch + block.partial_us;
        price.shared_bytes = block.shared_bytes;
    } else if (is_owned) {
        threads = owned.threads;
        instructions = owned.instructions;
        price.launches = (int)std::min(1e9, owned.launches);
        price.launch_us = price.launches * device.launch;
        price.shared_bytes = owned.shared_bytes;
    } else {
        instructions += threads * (double)group.outputs.size() * (divides ? kDividedIndex : kPlainIndex);
    }
    const int estimated = estimate_registers(graph, group, tile, stencil.values_kept);
    price.registers = measured ? Registers{measured->used, RegisterSource::Measured}
                               : Registers{estimated, RegisterSource::Estimated};
    const int wanted = measured ? measured->wanted : estimated;
    const int least = estimated - (int)(contracts ? contraction.turn_registers - contraction.step_registers : 0);
    price.spilled = measured ? measured->spilled : std::max(0, least - cap);
    price.blocks = std::ceil(threads / tile.threads);
    const double resident =
        resident_threads(device, tile.threads, std::min(price.registers.value, cap), price.shared_bytes, price.blocks);
    const double most = device.threads_per_multiprocessor * device.multiprocessors;
    const double full =
        resident_threads(device, tile.threads, std::min(price.registers.value, cap), price.shared_bytes, 1e18);
    price.occupancy = full / most;
    price.waves = full > 0 ? price.blocks * tile.threads / full : 0;
    // Little's law: what is in flight over the latency is the bandwidth that can be had. Bytes per us / 1000 = GB/s.
    const double reachable = resident * in_flight / device.memory_latency / 1000;
    const double memory = std::max(1.0, std::min<double>(device.memory_bandwidth, reachable));
    const double l2 = std::max(1.0, std::min<double>(device.l2_bandwidth, reachable));
    const double to_us = 1e-3;  // bytes / (GB/s) = ns
    price.read_us = ((price.bytes_read - read_l2) / memory + read_l2 / l2) * to_us;
    price.write_us = ((price.bytes_written - written_l2) / memory + written_l2 / l2) * apart * to_us;
    const double spilled_us = spilling_us(price.spilled, threads * std::max(1.0, contraction.turns), device);
    price.read_us += price.bytes_read * (stencil.halo - 1) / l2 * to_us;
    if (contracts) {
        price.read_us += contraction.l2_bytes / l2 * to_us;
    } else if (reduces) {
        const Walk walk{full, price.waves, (price.bytes_read + price.bytes_written) / block.blocks};
        price.read_us = price.read_us * block.uncoalesced * slower_walk(graph, group, tile, walk, device) *
                            last_wave(price.waves, full * in_flight, device) +
                        again_us(graph, group, tile, block, full, device) +
                        (block.partial_bytes + block.band_bytes) / l2 * to_us +
                        late_reads_us(graph, group, tile, resident, device);
        price.bytes_read += block.partial_bytes / 2;
        price.bytes_written += block.partial_bytes / 2;
    }
    const double busy = std::min(1.0, resident / (device.multiprocessors * (contracts ? 256 : 512))) *
                        (is_tiled ? issue_rate(full / device.multiprocessors) : 1);
    const double issuing = instructions / (device.instruction_rate * std::max(busy, 1e-4)) * to_us;
    const double latency_us = is_owned ? owned.latency_us : is_tiled ? stencil.latency_us : block.latency_us;
    const double waves = std::max(1.0, price.waves);
    price.compute_us = std::max(issuing + spilled_us, latency_us * waves);
    price.compute_us += contracts ? waves * waiting_us(contraction, wanted, cap) : 0;
    const double moving = price.read_us + price.write_us;
    price.time_us = price.launch_us + moving + price.compute_us - device.overlap * std::min(moving, price.compute_us);
    return price;
}

Price total(const std::vector<Group> &groups) {
    Price sum;
    for (const Group &group : groups) {
        const Price &p = group.price;
        sum.bytes_read += p.bytes_read;
        sum.bytes_written += p.bytes_written;
        sum.flops += p.flops;
        sum.recomputed_flops += p.recomputed_flops;
        sum.launches += p.launches;
        sum.launch_us += p.launch_us;
        sum.read_us += p.read_us;
        sum.compute_us += p.compute_us;
        sum.write_us += p.write_us;
        sum.time_us += p.time_us;
    }
    return sum;
}

}  // namespace fusion

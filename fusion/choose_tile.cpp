#include "fusion/choose_tile.h"

#include <algorithm>
#include <vector>

#include "fusion/folded_kernel.h"
#include "fusion/parallel_kernel.h"
#include "fusion/point_instructions.h"
#include "fusion/price.h"
#include "fusion/private_kernel.h"
#include "fusion/reduction_tiles.h"
#include "fusion/stencil_kernel.h"
#include "fusion/stencil_tiles.h"
#include "fusion/use.h"

namespace fusion {
namespace {

/// A longer straight-line body falls out of the multiprocessor's 32 KB instruction cache (16 bytes an instruction), and
/// takes the compilers minutes: each branch holds it twice.
constexpr double kMostInstructionsAThread = 2048;

/// Everything that streams through the kernel is the caller's and lies where the vectors do: only there a branch proves that
/// each vector is one access. Where lanes load alone, the more of them, the further apart are a warp's loads (16 lanes of bytes where
/// four were 204 us: 366, lens_blur; camera_pipe's curve 49 us where 12 were predicted; H200, 2026-12-01).
bool is_proved(const StageGraph &graph, const Group &group) {
    return graph[group.outputs[0]].role == Role::Output &&
           std::all_of(group.inputs.begin(), group.inputs.end(), [&](const Input &input) {
               return !input.streams || (graph[input.producer].role == Role::Input &&
                                         std::none_of(input.uses.begin(), input.uses.end(), [&](const Use &use) {
                                             return has_span(use) || runs_elsewhere(graph, input, use);
                                         }));
           });
}

/// Neighbours that a thread may compute: as many as fill the widest access of the narrowest elements.
std::vector<int> pointwise_vectors(const StageGraph &graph, const Group &group, const Limits &limits) {
    std::vector<int> bytes = graph[group.outputs[0]].element_bytes, vectors;
    for (const Input &input : group.inputs) {
        const std::vector<int> &read = graph[input.producer].element_bytes;
        bytes.insert(bytes.end(), read.begin(), input.streams ? read.end() : read.begin());
    }
    const int narrowest = std::min(4, *std::min_element(bytes.begin(), bytes.end()));
    const Stage &out = graph[group.outputs[0]];
    // Loops over what the pipeline allocates are not proved to be of whole vectors.
    const bool takes_none = out.no_vectors || (out.no_guards && out.role != Role::Output);
    const int most = takes_none                ? 1
                     : is_proved(graph, group) ? std::min(limits.vector, kByteVector / narrowest)
                                               : std::min(limits.vector, kWordVector);
    const double instructions = instructions_a_point(graph, group);
    for (int v = kWordVector; v <= most && instructions * v <= kMostInstructionsAThread; v *= 2) {
        vectors.push_back(v);
    }
    return vectors;
}

}  // namespace

void choose_tile(const StageGraph &graph, Group &group, const Device &device, const Limits &limits) {
    std::vector<Tile> candidates = {Tile{}};
    if (group.kind == Template::Pointwise) {
        for (const int vector : pointwise_vectors(graph, group, limits)) {
            candidates.push_back({.vector = vector});
        }
    } else if (group.kind == Template::Stencil) {
        candidates = stencil_tiles(graph, group);
    } else if (group.kind == Template::Folded) {
        candidates = folded_tiles(graph, group, device);
    } else if (group.kind == Template::Transpose) {
        candidates = {{.vector = 1, .per_thread = kTransposeTile * kTransposeTile / 256, .threads = 256}};
    } else if (group.kind == Template::Reduction) {
        candidates = reduction_tiles(graph, group, device, limits);
    } else if (group.kind == Template::Parallel) {
        candidates = parallel_tiles(graph, group);
    } else if (group.kind == Template::Private) {
        candidates = private_tiles(graph, group, device);
    } else if (group.kind == Template::Siblings) {
        candidates.push_back({.vector = 1, .per_thread = 4});
    }
    bool first = true;
    const bool shares = group.kind == Template::Stencil && shares_places(graph, group);
    const double points = graph[group.outputs[0]].points();
    for (const Tile &tile : candidates) {
        Price price = price_kernel(graph, group, tile, device, limits.registers);
        if (limits.counts_shared && group.kind == Template::Stencil) {
            const int more = price.registers.value + (int)stencil_work(graph, group, tile).values_shared;
            const int spilled = std::max(0, more - limits.registers) - price.spilled;
            price.time_us += spilled > 0 ? spilling_us(spilled, price.blocks * tile.threads, device) : 0;
        }
        double written = price.flops;
        if (shares) {
            // Halide lifts out by itself what a row or a column decides.
            const StencilWork work = stencil_work(graph, group, tile);
            written = work.instructions + work.loads + work.overhead;
        }
        const double a_thread = written / points * tile.vector * tile.per_thread * tile.slices;
        const bool is_short =
            group.kind != Template::Stencil ||
            (a_thread <= kMostInstructionsAThread && most_written_out(group, tile).second <= kMostWrittenOut);
        if (first || (is_short && price.time_us < group.price.time_us)) {
            group.tile = tile;
            group.price = price;
        }
        first = false;
    }
    if (group.kind == Template::Stencil || group.kind == Template::Folded) {
        const StencilWork work = group.kind == Template::Folded ? folded_work(graph, group, group.tile)
                                                                : stencil_work(graph, group, group.tile);
        for (Member &member : group.members) {
            member.evaluations = work.evaluations.at(member.stage);
        }
    }
}

}  // namespace fusion

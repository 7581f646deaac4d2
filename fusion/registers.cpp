#include "fusion/registers.h"

#include <algorithm>
#include <set>

#include "fusion/contraction_kernel.h"
#include "fusion/live_values.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_walks.h"
#include "fusion/stencil_kernel.h"

namespace fusion {
namespace {

/// Registers for addresses, predicates and loop indices of a pointwise kernel (ptxas -arch=sm_90, pointwise_chain and
/// mixed_types, 2026-11-29), and for one more pointer.
constexpr int kBaseRegisters = 12;
constexpr int kRegistersAPointer = 2;

/// At most about of each lane beyond those of four words: packed ones are taken apart one after the other (16 bytes of bytes with words,
/// mixed_types: 32, 39 and 62 in all for 4, 8 and 16 lanes; a gelu of float16: 18 and 28 for 4 and 8; ptxas 13.0, 2026-12-01).
constexpr int kRegistersAFurtherLane = 2;

/// Of a vector lane in a block that reduces together (softmax, variance, rmsnorm: 25 to 31 in all; same source).
constexpr int kRegistersALane = 2;

/// The same of a loop over single elements, which ptxas unrolls further (softmax, column_mean: 48 to 64 in all).
constexpr int kUnrolledElements = 36;

/// Where the last step is guarded (rows of 5003: 24 to 40 in all), and at least of each further vector in flight (rows of 65536 by 1024
/// threads, two and four vectors: softmax 28 and 30, rmsnorm 32 and 48); ptxas 13.0, 2026-11-30.
constexpr int kGuardedElements = 10, kRegistersAFurtherVector = 1;

bool is_guarded(const StageGraph &graph, const Group &group, const Tile &tile) {
    const std::vector<Member> reductions = reductions_of(graph, group);
    return std::any_of(reductions.begin(), reductions.end(), [&](const Member &m) {
        return graph[m.stage].reduction[shared_rvar(graph, m)].extent % tile.reducing != 0;
    });
}

/// Words of an element of a row that one pass leaves in registers for the next: of the inputs that are walked again, or of the
/// one stage that is all that reads them.
int words_held(const StageGraph &graph, const Group &group) {
    int sum = 0;
    std::set<Vertex> readers;
    for (const Input &input : group.inputs) {
        if (input.passes <= 1.5) {
            continue;
        }
        sum += words(graph[input.producer]);
        for (const Vertex reader : consumers_of(graph, input.producer)) {
            const auto is_reader = [&](const Member &member) { return member.stage == reader; };
            if (std::any_of(group.members.begin(), group.members.end(), is_reader)) {
                readers.insert(reader);
            }
        }
    }
    return readers.size() == 1 ? std::min(sum, words(graph[*readers.begin()])) : sum;
}

}  // namespace

int estimate_registers(const StageGraph &graph, const Group &group, const Tile &tile, double kept) {
    const int pointers = (int)(group.inputs.size() + group.outputs.size());
    if (group.kind == Template::Reduction && is_contraction(tile)) {
        return kBaseRegisters + kRegistersAPointer * std::min(pointers, 8) +
               contraction_work(graph, group, tile).registers;
    }
    if (group.kind == Template::Reduction) {
        // Stages of one pass at a time: what the other passes need waits in shared memory.
        int most = 1;
        for (const Member &member : group.members) {
            most = std::max(most, graph[member.stage].live_values);
        }
        const int held = vectors_held(graph, group, tile) * words_held(graph, group);
        const int further = held > 0 ? tile.vector * (held - 1) : 2 * (tile.per_thread - 1) * kRegistersAFurtherVector;
        const int unrolled = tile.vector > 1                  ? kRegistersALane * tile.vector + further
                             : is_guarded(graph, group, tile) ? kGuardedElements
                                                              : kUnrolledElements;
        return kBaseRegisters + kRegistersAPointer * std::min(pointers, 8) + unrolled + most;
    }
    if (group.kind == Template::Stencil || group.kind == Template::Folded) {
        return kBaseRegisters + kRegistersAPointer * std::min(pointers, 8) + most_live_values(graph, group) + (int)kept;
    }
    // Addresses die after their access: beyond a few, pointers share registers.
    const int lanes = std::min(tile.vector, kWordVector), alive = most_live_values(graph, group);
    return kBaseRegisters + kRegistersAPointer * std::min(pointers, 8) + lanes * alive +
           (tile.vector - lanes) * std::min(alive, kRegistersAFurtherLane);
}

int estimate_registers(const StageGraph &graph, const Group &group, const Tile &tile) {
    const bool is_tiled = group.kind == Template::Stencil;  // a fold keeps its values in shared memory
    return estimate_registers(graph, group, tile, is_tiled ? stencil_work(graph, group, tile).values_kept : 0);
}

}  // namespace fusion

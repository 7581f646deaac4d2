#pragma once
/// Single changes to a plan in the making, each with its price before and after.
#include <map>
#include <optional>
#include <vector>

#include "fusion/kernels.h"
#include "fusion/rules.h"

namespace fusion {

/// A plan in the making.
struct Draft {
    const StageGraph &graph;
    const Device &device;
    Limits limits;
    Assignment assignment;
    std::map<Vertex, Group> kernels;  ///< by leader
};

/// What a change would do.
struct Proposal {
    std::vector<Vertex> stages;
    Placement placement = Placement::Inlined;
    std::vector<Vertex> gone;    ///< leaders of kernels that disappear
    std::vector<Vertex> stored;  ///< reductions that one block kept and several would now need: stored after all
    std::vector<Group> changed;  ///< kernels as they become
    Judgement judgement{Decision::allow(), ""};
    double apart_us = 0, fused_us = 0;
    double benefit() const { return apart_us - fused_us; }
};

/// Of stages that move together to the block, reductions are kept there, and of the stages of a fold's steps those that its
/// threads share; what lies between is inlined.
Placement placement_in(const Draft &draft, const std::vector<Vertex> &stages, Vertex stage, Placement placement);

/// Moves stored stages into the kernels that read them. A refusal is a proposal whose judgement forbids; nullopt where
/// stages cannot be kept at the block.
std::optional<Proposal> propose_fusion(const Draft &draft, const std::vector<Vertex> &stages, Placement placement);

/// Gives a stage that a kernel computes another place: stores it after all, since what fused well one by one can be too much
/// together (registers); or keeps it for a tile, or computes it where it is used. `apart` is the price after the move, `fused`
/// before. Nothing where that is not possible.
std::optional<Proposal> propose_move(const Draft &draft, Vertex stage, Placement placement);

/// What legality says of moving a stage into its readers' kernels.
Judgement judge_legality(const Draft &draft, Vertex stage, Placement placement);

/// Some stage reads it at a box of places, so that neighbouring points share some.
bool is_shared_by_readers(const StageGraph &graph, Vertex stage);

/// Some kernel reads the buffer across its contiguous dimension, or would but for a tile in shared memory.
bool is_read_transposed(const Draft &draft, Vertex buffer);

}  // namespace fusion

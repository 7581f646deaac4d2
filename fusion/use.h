#pragma once
/// How often a kernel evaluates what it uses, where neighbouring points share what they all need.
#include <vector>

#include "fusion/plan.h"
#include "fusion/rate.h"

namespace fusion {

/// What the call sites of a frame ask of a stage that follows it in one way.
struct Sites {
    double calls = 0;          ///< a point of the frame; 0: none yet
    double others = 0;         ///< unlike places in the dimensions that follow nothing
    std::vector<Reach> reach;  ///< per loop of the stage
    bool is_box = true, is_own_point = true, is_step_box = true, is_sized = true;  ///< as in Use
    std::vector<Rate> rates = {};  ///< per loop of the stage; empty: the frame's own
    double taken = 1;              ///< as in Use
    std::vector<bool> numbers = {};

    /// What the same sites ask of a producer that the stage reads so; `loops`: of the producer. `chosen`: the stage's choices
    /// can be known.
    Sites through(const Read &read, size_t loops, bool chosen = false) const;
    /// Other call sites of the same stage: points that both ask for are computed once where they share them, and not by
    /// definitions of a Func that run one after the other.
    void unite(const Sites &more, bool shares = true);
    Use of(Vertex frame, const std::vector<int> &follows) const;
};

/// Dimensions of the frame that decide the share of what is used so, as in Share.
uint64_t decided_by(const Use &use, const Share &share);

/// Points of memory between the first and the last of each dimension, a point of the frame, for a tile.
double points_a_point(const Use &use, const std::vector<double> &tile);

/// Evaluations of what is used so, a point of the frame, where `tile` points of each dimension of the frame share what they
/// all need (none: one point). Never more than there are call sites. Of a share, those at unlike points of its own loops.
double evaluations_a_point(const Use &use, const std::vector<double> &tile);
double evaluations_a_point(const Use &use, const std::vector<double> &tile, const Share &share);

/// Instructions of a stage that is used so, a point of the frame, with the same sharing.
double instructions_a_point(const Use &use, const std::vector<double> &tile, const Work &work);

/// The same where the frame is computed in vectors along its dimension `along`: lanes share only what does not move with it.
double instructions_in_vectors(const Use &use, int along, double lanes, const Work &work);

}  // namespace fusion

#include "fusion/use.h"

#include <algorithm>
#include <cmath>

namespace fusion {

Sites Sites::through(const Read &read, size_t loops, bool chosen) const {
    const bool moves = read.kind == ReadKind::Stencil || read.kind == ReadKind::Strided ||
                       read.kind == ReadKind::Gather || read.kind == ReadKind::Opaque;
    Sites result{calls * read.points,
                 others * read.others(),
                 std::vector<Reach>(loops),
                 is_box && read.is_box,
                 is_own_point && !moves,
                 is_step_box && read.is_step_box,
                 is_sized && (read.is_box || read.is_sized),
                 std::vector<Rate>(loops),
                 taken * (chosen ? read.taken : 1),
                 std::vector<bool>(loops)};
    for (size_t d = 0; d < read.follows.size() && d < loops; d++) {
        const int loop = read.follows[d];
        if (loop >= 0 && loop < (int)reach.size()) {
            const Reach own = d < read.reach.size() ? read.reach[d] : Reach();
            result.reach[d] = {reach[loop].low + own.low, reach[loop].high + own.high};
        }
        const Rate own = rate_at(read, d);
        result.numbers[d] = own.is_number;
        result.rates[d].decided_by = rates.empty() ? own.decided_by : decided_through(rates, own.decided_by);
        if (own.loop >= 0 && own.loop < (int)reach.size()) {
            const Reach &at = reach[own.loop];
            const Rate outer = rates.empty() ? Rate{.loop = own.loop, .low = (double)at.low, .high = (double)at.high}
                                             : rates[own.loop];
            result.rates[d] = fusion::through(outer, own);
        }
    }
    return result;
}

void Sites::unite(const Sites &more, bool shares) {
    if (calls == 0) {
        *this = more;
        return;
    }
    for (size_t d = 0; d < reach.size(); d++) {
        reach[d] = {std::min(reach[d].low, more.reach[d].low), std::max(reach[d].high, more.reach[d].high)};
    }
    for (size_t d = 0; d < rates.size(); d++) {
        is_sized = is_sized && move_together(rates[d], more.rates[d]);
        rates[d] = united(rates[d], more.rates[d]);
    }
    for (size_t d = 0; d < numbers.size(); d++) {
        numbers[d] = numbers[d] && more.numbers[d];
    }
    taken = (calls * taken + more.calls * more.taken) / (calls + more.calls);
    calls += more.calls;
    others = shares ? std::max(others, more.others) : others + more.others;
    is_box = is_box && more.is_box;
    is_own_point = is_own_point && more.is_own_point;
    is_step_box = is_step_box && more.is_step_box;
    is_sized = is_sized && more.is_sized;
}

Use Sites::of(Vertex frame, const std::vector<int> &follows) const {
    return {.frame = frame,
            .calls = calls,
            .others = others,
            .follows = follows,
            .reach = reach,
            .is_box = is_box,
            .is_own_point = is_own_point,
            .is_step_box = is_step_box,
            .is_sized = is_sized,
            .rates = rates,
            .taken = taken,
            .numbers = numbers};
}

namespace {

/// `counts`: whether what is evaluated moves with a loop of the stage. `along`: unlike places along a rate, of neighbours.
template<typename Counts>
double evaluations_where(const Use &use, const std::vector<double> &tile, const Counts &counts,
                         double (*along)(const Rate &, double) = values_along) {
    double evaluations = 1;
    bool follows_none = true, moves = false, all = true, others = false;
    uint64_t deciding = 0;  // dimensions of the frame with which it may move though it follows none
    double computed = 0, counted = 0;
    for (size_t d = 0; d < use.follows.size() && !use.is_box; d++) {
        const uint64_t by = rate_at(use, d).loop < 0 ? rate_at(use, d).decided_by : 0;
        deciding |= counts(d) ? by : 0;
        computed += by != 0;
        counted += by != 0 && counts(d);
    }
    // Two rows and two columns are four places, but what follows from the row has two.
    const double unlike = counted > 0 && counted < computed ? std::pow(use.others, counted / computed) : use.others;
    const auto may_move = [&](size_t dim) { return (deciding & Share::bit(dim)) != 0; };
    std::vector<bool> is_followed(tile.size());
    for (size_t d = 0; d < use.follows.size(); d++) {
        const Rate rate = rate_at(use, d);
        const int dim = rate.loop;
        follows_none = follows_none && dim < 0;
        moves = moves || counts(d);
        all = all && counts(d);
        others = others || (counts(d) && dim < 0);
        if (!counts(d) || dim < 0) {
            continue;
        }
        const bool is_tiled = dim < (int)tile.size();
        const double points = is_tiled ? tile[dim] : 1;
        // Where data decide another index, points at the same half or eighth have places of their own.
        evaluations *= std::max(may_move((size_t)dim) ? 1.0 : 0.0, along(rate, points) / points);
        if (is_tiled) {
            is_followed[dim] = true;
        }
    }
    double same = 1;  // points of the tile for which the places are the same
    for (size_t dim = 0; dim < tile.size(); dim++) {
        same *= is_followed[dim] || may_move(dim) ? 1 : tile[dim];
    }
    if (!use.is_box && follows_none && moves) {
        return use.calls * unlike / use.others / same;  // an index from data: it moves with the frame all the same
    }
    evaluations /= same;
    return std::min(use.calls / (use.taken < 1 ? same : 1), evaluations * (all || others ? unlike : 1));
}

}  // namespace

uint64_t decided_by(const Use &use, const Share &share) {
    uint64_t deciding = 0;
    for (size_t loop = 0; loop < use.follows.size(); loop++) {
        deciding |= share.uses(loop) ? decided_by(rate_at(use, loop)) : 0;
    }
    return deciding;
}

double evaluations_a_point(const Use &use, const std::vector<double> &tile) {
    return evaluations_where(use, tile, [](size_t) { return true; });
}

double evaluations_a_point(const Use &use, const std::vector<double> &tile, const Share &share) {
    return evaluations_where(use, tile, [&](size_t loop) { return share.uses(loop); });
}

double points_a_point(const Use &use, const std::vector<double> &tile) {
    return evaluations_where(
        use, tile, [](size_t) { return true; }, points_along);
}

double instructions_a_point(const Use &use, const std::vector<double> &tile, const Work &work) {
    if (work.shares.empty()) {
        return work.total() * evaluations_a_point(use, tile);
    }
    double instructions = 0;
    for (const Share &share : work.shares) {
        instructions += share.instructions * evaluations_a_point(use, tile, share);
    }
    return instructions;
}

double instructions_in_vectors(const Use &use, int along, double lanes, const Work &work) {
    const Share all{~uint64_t(0), work.total()};
    double instructions = 0;
    for (const Share &share : work.shares.empty() ? std::vector<Share>{all} : work.shares) {
        const bool moves = along >= 0 && (decided_by(use, share) & Share::bit((size_t)along)) != 0;
        instructions += share.instructions * evaluations_a_point(use, {}, share) / (moves ? 1 : lanes);
    }
    return instructions;
}

}  // namespace fusion

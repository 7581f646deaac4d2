#include "fusion/use.h"

#include <algorithm>

namespace fusion {

Sites Sites::through(const Read &read, size_t loops) const {
    const bool moves = read.kind == ReadKind::Stencil || read.kind == ReadKind::Strided ||
                       read.kind == ReadKind::Gather || read.kind == ReadKind::Opaque;
    Sites result{calls * read.points,   others * read.others(), std::vector<Reach>(loops),
                 is_box && read.is_box, is_own_point && !moves, is_step_box && read.is_step_box};
    for (size_t d = 0; d < read.follows.size(); d++) {
        const int loop = read.follows[d];
        if (loop >= 0 && loop < (int)reach.size()) {
            const Reach own = d < read.reach.size() ? read.reach[d] : Reach();
            result.reach[d] = {reach[loop].low + own.low, reach[loop].high + own.high};
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
    calls += more.calls;
    others = shares ? std::max(others, more.others) : others + more.others;
    is_box = is_box && more.is_box;
    is_own_point = is_own_point && more.is_own_point;
    is_step_box = is_step_box && more.is_step_box;
}

Use Sites::of(Vertex frame, const std::vector<int> &follows) const {
    return {frame, calls, others, follows, reach, is_box, is_own_point, is_step_box};
}

bool has_span(const Use &use) {
    return std::any_of(use.reach.begin(), use.reach.end(), [](const Reach &r) { return r.span() > 0; });
}

double evaluations_a_point(const Use &use, const std::vector<double> &tile) {
    const bool follows_none = std::all_of(use.follows.begin(), use.follows.end(), [](int dim) { return dim < 0; });
    if (!use.is_box && follows_none && !use.follows.empty()) {
        return use.calls;  // a half of the frame's point or an index from data: it moves with the frame all the same
    }
    double evaluations = use.others;
    std::vector<bool> is_followed(tile.size());
    for (size_t d = 0; d < use.follows.size(); d++) {
        const int dim = use.follows[d];
        if (dim >= 0) {
            const bool is_tiled = dim < (int)tile.size();
            const double points = is_tiled ? tile[dim] : 1;
            evaluations *= (points + (double)use.reach[d].span()) / points;
            if (is_tiled) {
                is_followed[dim] = true;
            }
        }
    }
    for (size_t dim = 0; dim < tile.size(); dim++) {
        evaluations /= is_followed[dim] ? 1 : tile[dim];
    }
    return std::min(use.calls, evaluations);
}

}  // namespace fusion

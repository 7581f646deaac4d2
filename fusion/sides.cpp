#include "fusion/sides.h"

#include <algorithm>
#include <iterator>

#include "fusion/rate.h"

namespace fusion {
namespace {

/// Of what one use needs; empty: it has no constant size.
std::vector<Rate> sides_of(const Group &group, const Use &use) {
    std::vector<Rate> sides;
    const bool is_output = std::count(group.outputs.begin(), group.outputs.end(), use.frame) > 0;
    const auto frame =
        std::find_if(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == use.frame; });
    for (size_t d = 0; d < use.follows.size(); d++) {
        const Rate rate = rate_at(use, d);
        if (is_output || rate.loop < 0) {
            sides.push_back(rate);
        } else if (rate.loop < (int)frame->sides.size()) {
            sides.push_back(through(frame->sides[rate.loop], rate));
        } else {
            return {};
        }
    }
    return sides;
}

}  // namespace

std::vector<Use> reads_by_others(const Member &member) {
    std::vector<Use> reads;
    std::copy_if(member.uses.begin(), member.uses.end(), std::back_inserter(reads),
                 [&](const Use &u) { return u.frame != member.stage; });
    return reads;
}

void find_sides(Group &group) {
    // Readers have higher numbers.
    for (auto member = group.members.rbegin(); member != group.members.rend(); ++member) {
        if (member->placement != Placement::AtBlock) {
            continue;
        }
        std::vector<Rate> sides;
        bool is_first = true;
        for (const Use &use : reads_by_others(*member)) {
            const std::vector<Rate> more = sides_of(group, use);
            bool fits = is_first || more.size() == sides.size();
            for (size_t d = 0; d < more.size() && !is_first && fits; d++) {
                fits = move_together(sides[d], more[d]);
                sides[d] = united(sides[d], more[d]);
            }
            sides = !fits ? std::vector<Rate>() : is_first ? more : sides;
            is_first = false;
        }
        member->sides = sides;
    }
}

std::vector<double> box_of(const std::vector<Rate> &sides, const std::vector<double> &tile) {
    std::vector<double> box;
    for (const Rate &side : sides) {
        box.push_back(side.loop < 0 || side.loop >= (int)tile.size() ? 1 : points_along(side, tile[side.loop]));
    }
    return box;
}

int side_along(const std::vector<Rate> &sides, int dim) {
    const auto found = std::find_if(sides.begin(), sides.end(), [&](const Rate &side) { return side.loop == dim; });
    return dim < 0 || found == sides.end() ? -1 : (int)(found - sides.begin());
}

}  // namespace fusion

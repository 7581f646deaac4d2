#include "fusion/point_instructions.h"

#include <algorithm>

#include "fusion/footprint.h"
#include "fusion/price.h"
#include "fusion/use.h"

namespace fusion {
double instructions_of(const StageGraph &graph, const Group &group, const Member &member, const Tile &tile) {
    double instructions = 0;
    for (const Use &use : member.uses) {
        if (member.placement == Placement::AtBlock && use.frame != member.stage) {
            continue;  // read from its tile
        }
        const bool is_in_output = std::count(group.outputs.begin(), group.outputs.end(), use.frame) > 0;
        const Stage &frame = graph[use.frame];
        instructions +=
            frame.points() * instructions_in_vectors(use, contiguous_dim(frame), is_in_output ? tile.vector : 1,
                                                     graph[member.stage].work);
    }
    return instructions;
}

double instructions_a_point(const StageGraph &graph, const Group &group) {
    double instructions = 0;
    for (const Member &member : group.members) {
        instructions += instructions_of(graph, group, member, {.vector = 1});
    }
    return instructions / std::max(1.0, graph[group.outputs[0]].points());
}

bool runs_elsewhere(const StageGraph &graph, const Input &input, const Use &use) {
    const int row = contiguous_dim(graph[input.producer]);
    const Rate along = row < 0 || row >= (int)use.follows.size() ? Rate() : rate_at(use, (size_t)row);
    const bool is_moved = along.loop == contiguous_dim(graph[use.frame]) &&
                          (along.low != 0 || along.high != 0 || along.steps != 1 || along.of != 1);
    // Of a gather that runs along a row elsewhere, as of f(x + r.x); f(x, i) lies where the lanes do.
    return is_moved || (along.loop < 0 && !is_sized(use) && input.streams);
}

double instructions_elsewhere(const StageGraph &graph, const Group &group, const Tile &tile) {
    double instructions = 0;
    for (const Input &input : group.inputs) {
        for (const Use &use : input.uses) {
            const double loads = graph[use.frame].points() * evaluations_a_point(use, {});
            // What a reduction walks is no box either, but its loads come along rows.
            const bool is_gathered = !is_sized(use) && group.kind != Template::Reduction;
            const double lines =
                group.kind == Template::Pointwise && runs_elsewhere(graph, input, use) ? tile.vector : 1;
            const double place = use.is_box || group.kind == Template::Reduction ? 0 : kPlace;
            instructions += is_gathered                  ? loads * (kLoad * lines - 1 + kPlace)
                            : has_span(use) || lines > 1 ? loads * (kLoad * lines - 1 + place)
                            : place > 0                  ? loads * (kLoad - 1 + place)
                                                         : 0;
        }
    }
    return instructions;
}

}  // namespace fusion

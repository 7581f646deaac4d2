#include "fusion/live_values.h"

#include <algorithm>

namespace fusion {

int words(const Stage &stage) {
    int sum = 0;
    for (const int bytes : stage.element_bytes) {
        sum += (bytes + 3) / 4;
    }
    return sum;
}

namespace {

/// Values alive at the worst moment of computing one point, in 32-bit words. Stages are evaluated as a compiler walks the
/// output's expression: operands in order, each folded into its consumer as soon as it is there, and kept only for
/// consumers still to come.
class LiveValues {
public:
    LiveValues(const StageGraph &graph, const Group &group)
        : graph(graph), readers_left(num_vertices(graph)), is_member(num_vertices(graph)), done(num_vertices(graph)),
          group(group) {
        for (const Member &member : group.members) {
            is_member[member.stage] = true;
            for (const Vertex producer : producers_of(graph, member.stage)) {
                readers_left[producer]++;
            }
        }
    }

    int most() {
        for (const Vertex output : group.outputs) {
            evaluate(output);
        }
        return peak;
    }

private:
    const StageGraph &graph;
    std::vector<int> readers_left;
    std::vector<bool> is_member, done;
    const Group &group;
    int live = 0, partial = 0, peak = 0;  ///< partial: stages that hold what they have folded so far

    void evaluate(Vertex stage) {
        done[stage] = true;
        bool has_folded = false;
        // The most derived operand first and loads last, as a compiler does to keep the others' registers free.
        std::vector<Vertex> operands = producers_of(graph, stage);
        std::sort(operands.begin(), operands.end(),
                  [&](Vertex a, Vertex b) { return is_member[a] != is_member[b] ? is_member[a] : a > b; });
        for (const Vertex producer : operands) {
            if (!done[producer]) {
                is_member[producer] ? evaluate(producer) : void(done[producer] = true);
                live += words(graph[producer]);
                peak = std::max(peak, live + partial);
            }
            if (--readers_left[producer] == 0) {
                live -= words(graph[producer]);
            }
            partial += !has_folded;
            has_folded = true;
        }
        partial -= has_folded;
        peak = std::max(peak, live + partial + graph[stage].live_values);
    }
};

}  // namespace

int most_live_values(const StageGraph &graph, const Group &group) {
    return LiveValues(graph, group).most();
}

}  // namespace fusion

#include "fusion/ledger.h"

#include "fusion/price.h"

namespace fusion {

double compulsory_bytes(const StageGraph &graph) {
    double bytes = 0;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        const Stage &stage = graph[v];
        const bool is_output = stage.role == Role::Output && stage.update == 0;
        bytes += stage.role == Role::Input || is_output ? stage.elements() * stage.value_bytes : 0;
    }
    return bytes;
}

Ledger make_ledger(const StageGraph &graph, const Plan &plan, const Plan &unfused) {
    return {total(unfused.groups), total(plan.groups), compulsory_bytes(graph)};
}

}  // namespace fusion

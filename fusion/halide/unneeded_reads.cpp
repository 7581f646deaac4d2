#include "fusion/halide/unneeded_reads.h"

#include <algorithm>
#include <set>

namespace fusion {

void keep_unneeded_apart(StageGraph &graph, const std::vector<UnneededRead> &reads) {
    const char *why = "a reader needs nothing of what it reads, on which Halide 21 stops elsewhere";
    std::vector<bool> has_updates_behind;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        const std::vector<Vertex> producers = producers_of(graph, v);
        has_updates_behind.push_back(
            graph[v].has_updates ||
            std::any_of(producers.begin(), producers.end(), [&](Vertex p) { return has_updates_behind[p]; }));
    }
    std::set<Vertex> unneeded;
    for (const UnneededRead &read : reads) {
        if (has_updates_behind[read.producer]) {
            unneeded.insert(read.producer);
            graph[read.reader].no_vectors = true;
            graph[read.reader].kept_apart = graph[read.producer].kept_apart = why;
        }
    }
    for (Vertex v = num_vertices(graph); v-- > 0;) {
        if (!unneeded.count(v)) {
            continue;
        }
        for (const Vertex producer : producers_of(graph, v)) {
            unneeded.insert(producer);
        }
        if (graph[v].has_updates) {
            graph[v].folds = graph[v].reassociable = graph[v].scatters = false;
            graph[v].kept_apart = why;
        }
    }
}

}  // namespace fusion

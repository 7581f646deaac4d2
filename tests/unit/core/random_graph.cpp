#include "tests/unit/core/random_graph.h"

#include <algorithm>
#include <random>

#include "tests/unit/core/reduction_graphs.h"

namespace fusion::test {

StageGraph random_graph(unsigned seed, int stages) {
    std::mt19937 random(seed);  // its sequence is fixed by the standard; the library's distributions are not
    const auto below = [&](int n) { return (int)(random() % (unsigned)n); };
    const int64_t edges[] = {24, 96, 512, 4096};
    const int64_t edge = edges[below(4)];
    Builder b;
    std::vector<Vertex> planes, rows;  // what can be read, by rank
    for (int i = 0; i < 2; i++) {
        planes.push_back(b.input(numbered("plane", i), {edge, edge}));
        rows.push_back(b.input(numbered("row", i), {edge}));
    }
    const auto plane = [&] { return planes[planes.size() - 1 - below(std::min<int>(6, (int)planes.size()))]; };
    const auto row = [&] { return rows[rows.size() - 1 - below(std::min<int>(4, (int)rows.size()))]; };
    for (int i = 0; i < stages; i++) {
        const std::string name = numbered("s", i);
        std::vector<From> reads;
        const bool is_row = below(6) == 0;
        const int count = 1 + below(3);
        for (int r = 0; r < count; r++) {
            const int kind = below(24);
            if (is_row) {
                reads.push_back({row()});
            } else if (kind < 3) {
                reads.push_back({row(), ReadKind::Broadcast, 1, {below(2)}});
            } else if (kind < 5) {
                reads.push_back({plane(), ReadKind::Transposed});
            } else if (kind == 5) {
                reads.push_back({plane(), ReadKind::Stencil, 9});
            } else if (kind == 6) {
                reads.push_back({plane(), ReadKind::Gather});
            } else {
                reads.push_back({plane()});
            }
        }
        if (is_row && below(2) == 0) {
            const Vertex a = plane(), c = plane();
            const bool rows_of_it = below(3) > 0;
            const auto all = [&](Vertex v) { return rows_of_it ? whole_row(v) : whole_column(v); };
            const Role role = below(8) == 0 ? Role::Output : Role::Intermediate;
            const bool is_scheduled = below(40) == 0;
            rows.push_back(add_reduction(b, name, {edge}, {edge},
                                         a == c ? std::vector<From>{all(a)} : std::vector<From>{all(a), all(c)}, role));
            for (const Vertex v : {rows.back() - 1, rows.back()}) {
                b[v].scheduled_by_user = b[v].has_own_loops = is_scheduled;
            }
            continue;
        }
        const Sizes sizes = is_row ? Sizes{edge} : Sizes{edge, edge};
        Vertex v = b.stage(name, sizes, reads, below(10) == 0 ? 2000 : 1 + below(20));
        b[v].can_be_staged = below(2) == 0;
        b[v].scheduled_by_user = b[v].has_own_loops = below(40) == 0;
        b[v].role = below(30) == 0 ? Role::Output : Role::Intermediate;
        b.set_bytes(v, 1 << below(4));
        if (below(20) == 0) {
            const Role role = b[v].role;
            b[v].has_updates = true;
            const Vertex update = b.stage(name, sizes, {{v, ReadKind::InPlace}});
            b[update].role = role;
            b[update].has_updates = true;
            b[update].update = 1;
            b[update].func_id = b[v].func_id;
            b.set_bytes(update, b[v].value_bytes);
            v = update;
        }
        (is_row ? rows : planes).push_back(v);
    }
    for (Vertex v = 0; v < num_vertices(b.graph); v++) {
        if (out_degree(v, b.graph) == 0 && b[v].role != Role::Input) {
            b[v].role = Role::Output;
            for (Vertex other = 0; other < v; other++) {  // all definitions of a Func have one role
                if (b[other].func_id == b[v].func_id) {
                    b[other].role = Role::Output;
                }
            }
        }
    }
    return b.graph;
}

}  // namespace fusion::test

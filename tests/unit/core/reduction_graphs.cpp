#include "tests/unit/core/reduction_graphs.h"

#include "fusion/kernels.h"
#include "fusion/reduction_kernel.h"
#include "fusion/reduction_tiles.h"

namespace fusion::test {

Vertex add_reduction(Builder &b, const std::string &name, const Sizes &sizes, const Sizes &reduced,
                     const std::vector<From> &reads, Role role, double arithmetic) {
    const Vertex start = b.stage(name, sizes, {}, 0);
    std::vector<From> all = {{start, ReadKind::InPlace, 1, std::vector<int>(sizes.size(), -1)}};
    all.insert(all.end(), reads.begin(), reads.end());
    const Vertex update = b.stage(name, sizes, all, arithmetic);
    for (const Vertex v : {start, update}) {
        b[v].role = role;
        b[v].has_updates = true;
        b[v].func_id = b[start].func_id;
    }
    b[update].update = 1;
    b[update].folds = b[update].reassociable = true;
    for (size_t r = 0; r < reduced.size(); r++) {
        b[update].reduction.push_back({numbered("r", (int)r), 0, reduced[r]});
    }
    return update;
}

From whole_row(Vertex producer) {
    return {producer, ReadKind::Reduction, 1, {1, 0}};
}

From whole_column(Vertex producer) {
    return {producer, ReadKind::Reduction, 1, {0, 1}};
}

From of_row(Vertex producer) {
    return {producer, ReadKind::Broadcast, 1, {1}};
}

From of_column(Vertex producer) {
    return {producer, ReadKind::Broadcast, 1, {0}};
}

StageGraph row_sum(int64_t width, int64_t height) {
    Builder b;
    const Vertex in = b.input("in", {width, height});
    add_reduction(b, "sum", {height}, {width}, {whole_row(in)}, Role::Output);
    return b.graph;
}

StageGraph column_sum(int64_t width, int64_t height) {
    Builder b;
    const Vertex in = b.input("in", {width, height});
    add_reduction(b, "sum", {width}, {height}, {whole_column(in)}, Role::Output);
    return b.graph;
}

StageGraph softmax(int64_t width, int64_t height) {
    Builder b;
    const Vertex in = b.input("in", {width, height});
    const Vertex row_max = add_reduction(b, "row_max", {height}, {width}, {whole_row(in)});
    const Vertex e = b.stage("e", {width, height}, {{in}, of_row(row_max)}, 10);
    const Vertex total = add_reduction(b, "total", {height}, {width}, {whole_row(e)});
    b.output("output", {width, height}, {{e}, of_row(total)}, 4);
    return b.graph;
}

StageGraph scaled_by_row_sum(int64_t width, int64_t height) {
    Builder b;
    const Vertex weights = b.input("weights", {width, height}), in = b.input("in", {width, height});
    const Vertex sum = add_reduction(b, "sum", {height}, {width}, {whole_row(weights)});
    b.output("output", {width, height}, {{in}, of_row(sum)}, 4);
    return b.graph;
}

StageGraph row_range(int64_t width, int64_t height) {
    Builder b;
    const Vertex in = b.input("in", {width, height});
    const Vertex low = add_reduction(b, "low", {height}, {width}, {whole_row(in)});
    const Vertex high = add_reduction(b, "high", {height}, {width}, {whole_row(in)});
    b.output("output", {width, height}, {{in}, of_row(low), of_row(high)}, 4);
    return b.graph;
}

StageGraph sliced(int64_t most_slices) {
    Builder b;
    const Vertex in = b.input("in", {4096, 64});
    const Vertex part = add_reduction(b, "part", {256, 64}, {16}, {{in, ReadKind::Strided, 1, {-1, 1}}});
    b[part].reassociable = false;
    b[part].most_extent = {most_slices, 0};
    const Vertex total = add_reduction(b, "total", {64}, {256}, {{part, ReadKind::Reduction, 1, {1, 0}}});
    b.output("output", {4096, 64}, {{in}, of_row(total)});
    return b.graph;
}

Group block_kernel(const StageGraph &graph) {
    Assignment assignment = all_stored(graph);
    const Vertex last = num_vertices(graph) - 1;
    for (Vertex v = 0; v < last; v++) {
        if (graph[v].role == Role::Intermediate && assignment.placement[v] == Placement::Root) {
            assignment.placement[v] = is_reduction(graph[v]) ? Placement::AtBlock : Placement::Inlined;
        }
    }
    return make_kernel(graph, assignment, {last}, device_named("H200"), {});
}

const Device &h200() {
    return device_named("H200");
}

std::vector<Tile> tiles_of(const StageGraph &graph) {
    return reduction_tiles(graph, block_kernel(graph), h200(), {});
}

BlockWork work_of(const StageGraph &graph, const Tile &tile) {
    return block_work(graph, block_kernel(graph), tile, h200());
}

}  // namespace fusion::test

#include "fusion/graph.h"

#include <algorithm>
#include <boost/graph/dominator_tree.hpp>
#include <cmath>
#include <set>

#include "fusion/rate.h"

namespace fusion {
namespace {

double product(const std::vector<Extent> &dims) {
    double elements = 1;
    for (const Extent &dim : dims) {
        elements *= (double)std::max<int64_t>(dim.extent, 0);
    }
    return elements;
}

}  // namespace

std::string name_of(ReadKind kind) {
    switch (kind) {
    case ReadKind::Pointwise:
        return "pointwise";
    case ReadKind::Broadcast:
        return "broadcast";
    case ReadKind::Transposed:
        return "transposed";
    case ReadKind::Stencil:
        return "stencil";
    case ReadKind::Strided:
        return "strided";
    case ReadKind::Reduction:
        return "reduction";
    case ReadKind::Gather:
        return "gather";
    case ReadKind::Opaque:
        return "opaque";
    case ReadKind::InPlace:
        return "in-place";
    }
    return "unknown";
}

double Stage::points() const {
    double loops = product(reduction);
    for (int d = 0; d < (int)dims.size(); d++) {
        const bool is_loop = update == 0 || std::count(independent.begin(), independent.end(), d) > 0;
        loops *= is_loop ? (double)std::max<int64_t>(dims[d].extent, 0) : 1;
    }
    return loops;
}

double Stage::elements() const {
    return product(dims);
}

double Stage::invariant() const {
    double instructions = 0;
    for (const Share &share : work.shares) {
        bool is_walked = reduction.empty() && !memory_order.empty() && share.uses(memory_order[0]);
        for (size_t r = 0; r < reduction.size(); r++) {
            is_walked = is_walked || share.uses(dims.size() + r);
        }
        instructions += is_walked ? 0 : share.instructions;
    }
    return std::clamp(instructions, 0.0, work.total());
}

double Read::region_elements() const {
    return product(region);
}

double Read::others() const {
    double reached = 1;
    for (size_t d = 0; d < follows.size(); d++) {
        const Rate rate = rate_at(*this, d);
        reached *= rate.loop < 0 ? 1 : values_along(rate, 1);
    }
    return std::max(1.0, std::ceil(points / reached));
}

std::vector<Edge> edges_in_order(const StageGraph &graph) {
    std::vector<Edge> edges;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        std::vector<Edge> from(out_edges(v, graph).first, out_edges(v, graph).second);
        std::stable_sort(from.begin(), from.end(), [&](Edge a, Edge b) { return target(a, graph) < target(b, graph); });
        edges.insert(edges.end(), from.begin(), from.end());
    }
    return edges;
}

std::vector<Vertex> consumers_of(const StageGraph &graph, Vertex producer) {
    std::set<Vertex> found;
    for (auto [e, end] = out_edges(producer, graph); e != end; ++e) {
        found.insert(target(*e, graph));
    }
    return {found.begin(), found.end()};
}

std::vector<Vertex> producers_of(const StageGraph &graph, Vertex consumer) {
    std::set<Vertex> found;
    for (auto [e, end] = in_edges(consumer, graph); e != end; ++e) {
        found.insert(source(*e, graph));
    }
    return {found.begin(), found.end()};
}

std::vector<std::optional<Vertex>> post_dominators(const StageGraph &graph) {
    // The reversed graph, with one more vertex as the common end of all outputs.
    using Plain = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;
    const size_t n = num_vertices(graph);
    Plain reversed(n + 1);
    for (const Edge &e : edges_in_order(graph)) {
        add_edge(target(e, graph), source(e, graph), reversed);
    }
    for (Vertex v = 0; v < n; v++) {
        if (graph[v].role == Role::Output || out_degree(v, graph) == 0) {
            add_edge(n, v, reversed);
        }
    }
    const auto none = boost::graph_traits<Plain>::null_vertex();
    std::vector<Plain::vertex_descriptor> dominator(n + 1, none);
    boost::lengauer_tarjan_dominator_tree(
        reversed, n, boost::make_iterator_property_map(dominator.begin(), get(boost::vertex_index, reversed)));
    std::vector<std::optional<Vertex>> result(n);
    for (Vertex v = 0; v < n; v++) {
        if (dominator[v] != none && dominator[v] != n) {
            result[v] = dominator[v];
        }
    }
    return result;
}

std::string stage_name(const Stage &stage) {
    return stage.update == 0 ? stage.func : stage.func + ".update(" + std::to_string(stage.update - 1) + ")";
}

}  // namespace fusion

#include "tests/unit/core/graphs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <stdexcept>

#include "fusion/footprint.h"
#include "fusion/price.h"

namespace fusion::test {
namespace {

std::vector<int> suggested(ReadKind kind, int producer_rank, int consumer_rank) {
    std::vector<int> follows;
    for (int d = 0; d < producer_rank; d++) {
        switch (kind) {
        case ReadKind::Transposed:
            follows.push_back(producer_rank - 1 - d);
            break;
        case ReadKind::Pointwise:
        case ReadKind::Broadcast:
        case ReadKind::Stencil:
            follows.push_back(d < consumer_rank ? d : -1);
            break;
        default:
            follows.push_back(-1);
        }
    }
    return follows;
}

}  // namespace

std::string numbered(const char *name, int number) {
    return std::string(name).append(std::to_string(number));
}

Vertex Builder::add(Role role, const std::string &name, const Sizes &sizes, const std::vector<From> &reads,
                    double arithmetic) {
    Stage stage;
    stage.func = name;
    stage.func_id = (int)num_vertices(graph);
    stage.role = role;
    for (int d = 0; d < (int)sizes.size(); d++) {
        stage.dims.push_back({numbered("d", d), 0, sizes[d]});
        stage.memory_order.push_back(d);
        stage.independent.push_back(d);
    }
    stage.work.arithmetic = arithmetic;
    stage.live_values = (int)reads.size() + 1;
    const Vertex v = add_vertex(stage, graph);
    set_bytes(v, 4);
    for (const From &from : reads) {
        Read read;
        read.kind = from.kind;
        read.points = from.points;
        read.region = graph[from.producer].dims;
        read.follows =
            from.follows.empty() ? suggested(from.kind, (int)read.region.size(), (int)sizes.size()) : from.follows;
        add_edge(from.producer, v, read, graph);
    }
    return v;
}

Vertex Builder::input(const std::string &name, const Sizes &sizes) {
    return add(Role::Input, name, sizes, {}, 0);
}

Vertex Builder::stage(const std::string &name, const Sizes &sizes, const std::vector<From> &reads, double arithmetic) {
    return add(Role::Intermediate, name, sizes, reads, arithmetic);
}

Vertex Builder::output(const std::string &name, const Sizes &sizes, const std::vector<From> &reads, double arithmetic) {
    return add(Role::Output, name, sizes, reads, arithmetic);
}

void Builder::set_bytes(Vertex v, int bytes) {
    graph[v].value_bytes = bytes;
    graph[v].element_bytes = {bytes};
}

StageGraph chain(int length, const Sizes &sizes, const std::vector<From> &reads) {
    Builder b;
    Vertex last = b.input("in", sizes);
    for (int i = 1; i <= length; i++) {
        std::vector<From> from = reads;
        for (From &f : from) {
            f.producer = last;
        }
        const std::string name = numbered("s", i);
        last = i == length ? b.output(name, sizes, from) : b.stage(name, sizes, from);
    }
    return b.graph;
}

StageGraph diamond(const Sizes &sizes) {
    Builder b;
    const Vertex in = b.input("in", sizes);
    const Vertex top = b.stage("top", sizes, {{in}});
    const Vertex left = b.stage("left", sizes, {{top}});
    const Vertex right = b.stage("right", sizes, {{top}});
    b.output("bottom", sizes, {{left}, {right}});
    return b.graph;
}

StageGraph fan_out(int readers, const Sizes &sizes, double arithmetic) {
    Builder b;
    const Vertex in = b.input("in", sizes);
    const Vertex shared = b.stage("shared", sizes, {{in}}, arithmetic);
    for (int i = 0; i < readers; i++) {
        b.output(numbered("out", i), sizes, {{shared}});
    }
    return b.graph;
}

StageGraph broadcast(int64_t rows, int64_t columns, double arithmetic) {
    Builder b;
    const Vertex in = b.input("in", {rows});
    const Vertex narrow = b.stage("narrow", {rows}, {{in}}, arithmetic);
    b.output("wide", {rows, columns}, {{narrow, ReadKind::Broadcast}});
    return b.graph;
}

StageGraph transpose(int64_t edge, bool can_be_staged) {
    Builder b;
    const Vertex in = b.input("in", {edge, edge});
    const Vertex first = b.stage("first", {edge, edge}, {{in}});
    b.output("second", {edge, edge}, {{first, ReadKind::Transposed}});
    b[first].can_be_staged = can_be_staged;
    return b.graph;
}

StageGraph branches(int branches, const Sizes &sizes, bool share_input) {
    Builder b;
    Vertex in = b.input("in0", sizes);
    for (int i = 0; i < branches; i++) {
        if (i > 0 && !share_input) {
            in = b.input(numbered("in", i), sizes);
        }
        b.output(numbered("out", i), sizes, {{in}});
    }
    return b.graph;
}

StageGraph long_live_range(int count, const Sizes &sizes) {
    Builder b;
    const Vertex in = b.input("in", sizes);
    std::vector<Vertex> values;
    for (int i = 0; i < count; i++) {
        values.push_back(b.stage(numbered("value", i), sizes, {{in}}));
    }
    Vertex last = values[0];
    for (int i = 1; i < count; i++) {
        last = b.stage(i + 1 < count ? numbered("up", i) : "sum", sizes, {{last}, {values[i]}});
    }
    for (int i = 0; i < count; i++) {
        const std::vector<From> reads = {{last}, {values[i]}};
        last = i + 1 < count ? b.stage(numbered("down", i), sizes, reads) : b.output("out", sizes, reads);
    }
    return b.graph;
}

Plan plan_of(const StageGraph &graph, Variant variant) {
    return make_plan(graph, device_named("H200"), {.variant = variant});
}

double time_of(const Plan &plan) {
    return total(plan.groups).time_us;
}

const Group &kernel_storing(const Plan &plan, Vertex stage) {
    const Group *found = nullptr;
    for (const Group &group : plan.groups) {
        for (const Vertex output : group.outputs) {
            if (output == stage && found) {
                throw std::runtime_error("two kernels store stage " + std::to_string(stage));
            }
            found = output == stage ? &group : found;
        }
    }
    if (!found) {
        throw std::runtime_error("no kernel stores stage " + std::to_string(stage));
    }
    return *found;
}

const Verdict &verdict_on(const Plan &plan, Vertex producer, Vertex consumer) {
    for (const Verdict &verdict : plan.verdicts) {
        if (verdict.producer == producer && verdict.consumer == consumer) {
            return verdict;
        }
    }
    throw std::runtime_error("no verdict on " + std::to_string(producer) + " -> " + std::to_string(consumer));
}

Vertex stage_named(const StageGraph &graph, const std::string &name) {
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        if (graph[v].func == name) {
            return v;
        }
    }
    throw std::runtime_error("no stage " + name);
}

Group fused_kernel(const StageGraph &graph) {
    std::vector<Placement> placement;
    for (Vertex v = 0; v < num_vertices(graph); v++) {
        placement.push_back(graph[v].role == Role::Intermediate ? Placement::Inlined : Placement::Root);
    }
    return trace_kernel(graph, placement, {num_vertices(graph) - 1});
}

bool has_member(const Group &group, Vertex stage) {
    return std::any_of(group.members.begin(), group.members.end(), [&](const Member &m) { return m.stage == stage; });
}

bool reads_buffer(const Group &group, Vertex producer) {
    return std::any_of(group.inputs.begin(), group.inputs.end(),
                       [&](const Input &i) { return i.producer == producer; });
}

double cpu_seconds() {
    return (double)std::clock() / CLOCKS_PER_SEC;
}

}  // namespace fusion::test

#pragma once
/// Graphs built by hand for the tests of the core, and ways to ask a plan about them.
#include <string>
#include <vector>

#include "fusion/plan.h"

namespace fusion::test {

using Sizes = std::vector<int64_t>;

/// One way in which a new stage reads an earlier one.
struct From {
    Vertex producer;
    ReadKind kind = ReadKind::Pointwise;
    int points = 1;
    /// Per producer dimension the consumer dimension; empty: what the kind suggests (transposed: reversed; pointwise,
    /// broadcast, stencil, in-place: the same dimensions; the rest: none).
    std::vector<int> follows = {};
};

/// Adds stages in topological order. Values are float32 unless `graph` is changed afterwards; memory order is as written.
class Builder {
public:
    Vertex input(const std::string &name, const Sizes &sizes);
    Vertex stage(const std::string &name, const Sizes &sizes, const std::vector<From> &reads, double arithmetic = 1);
    Vertex output(const std::string &name, const Sizes &sizes, const std::vector<From> &reads, double arithmetic = 1);
    Stage &operator[](Vertex v) { return graph[v]; }
    /// Element type of a stage.
    void set_bytes(Vertex v, int bytes);

    StageGraph graph;

private:
    Vertex add(Role role, const std::string &name, const Sizes &sizes, const std::vector<From> &reads,
               double arithmetic);
};

/// in -> s1 -> ... -> s<length>, the last an output; each stage has an edge to the one before for each of `reads`.
StageGraph chain(int length, const Sizes &sizes, const std::vector<From> &reads = {{0}});
/// in -> top -> {left, right} -> bottom.
StageGraph diamond(const Sizes &sizes);
/// in -> shared -> `readers` outputs.
StageGraph fan_out(int readers, const Sizes &sizes, double arithmetic);
/// in -> narrow (`rows` points) -> wide (`rows` x `columns`), with `arithmetic` instructions a point of narrow.
StageGraph broadcast(int64_t rows, int64_t columns, double arithmetic);
/// in -> first -> second, which reads it with its dimensions swapped.
StageGraph transpose(int64_t edge, bool can_be_staged);
/// `branches` times in<i> -> out<i>, each with an input of its own or all with one.
StageGraph branches(int branches, const Sizes &sizes, bool share_input);
/// in -> `count` values, added up to "sum" and then multiplied with it one by one into "out": all are alive together if one
/// kernel computes sum and out, and none if sum is stored between.
StageGraph long_live_range(int count, const Sizes &sizes);
/// "s", 3 -> "s3".
std::string numbered(const char *name, int number);

Plan plan_of(const StageGraph &graph, Variant variant = Variant::Fused);
double time_of(const Plan &plan);
/// The one kernel that stores `stage`; fails the test if there is not exactly one.
const Group &kernel_storing(const Plan &plan, Vertex stage);
/// The verdict on the first edge between the two; fails the test if there is none.
const Verdict &verdict_on(const Plan &plan, Vertex producer, Vertex consumer);
/// By name; fails the test if there is none.
Vertex stage_named(const StageGraph &graph, const std::string &name);
/// The kernel of the last stage, with all intermediates inlined.
Group fused_kernel(const StageGraph &graph);
bool has_member(const Group &group, Vertex stage);
bool reads_buffer(const Group &group, Vertex producer);

double cpu_seconds();

/// CPU seconds that `work` takes, as an optimised build would: other people's load does not count, and a build with
/// assertions or sanitizers is allowed 20 times as much.
template<typename Work>
double seconds_of(const Work &work) {
    const double start = cpu_seconds();
    work();
#ifdef NDEBUG
    constexpr double allowance = 1;
#else
    constexpr double allowance = 20;
#endif
    return (cpu_seconds() - start) / allowance;
}

}  // namespace fusion::test

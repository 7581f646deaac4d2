#pragma once
/// The rules that decide whether a producer shares its consumers' kernels, asked in the order of the table.
#include <span>
#include <string>

#include "fusion/decision.h"
#include "fusion/plan.h"

namespace fusion {

/// One producer and what would change if it moved into its consumers' kernels.
struct Candidate {
    const StageGraph &graph;
    const Device &device;
    Vertex producer;
    Placement proposed = Placement::Inlined;
    std::vector<Edge> edges;                    ///< from the producer to its consumers
    const std::vector<Group> *apart = nullptr;  ///< the kernels as they are (nullptr: not priced yet)
    const std::vector<Group> *fused = nullptr;  ///< the kernels if it is done
    double apart_us() const;
    double fused_us() const;
};

enum class RuleKind {
    Legality,  ///< asked of the graph alone
    Resource,  ///< asked of the kernels after fusing
    Profit,    ///< asked of both prices
};

struct Rule {
    const char *id;
    RuleKind kind;
    Decision (*check)(const Candidate &candidate);
    const char *reads_as;
};

/// In the order in which they are asked.
std::span<const Rule> rules();

struct Judgement {
    Decision decision;
    const char *rule;  ///< the first that forbids; else the one that allows
};

/// Asks the rules of the given kind in order; the first "no" ends it.
Judgement judge(const Candidate &candidate, RuleKind kind);

/// Bytes of arguments that the launch of a kernel takes.
double argument_bytes(const StageGraph &graph, const Group &group);

/// Rule ids that the planner gives to decisions that are not about one producer.
inline constexpr const char *kHorizontalSiblings = "horizontal-siblings";
inline constexpr const char *kUnboundedRegion = "unbounded-region";
inline constexpr const char *kReductionBoundary = "reduction-boundary";
inline constexpr const char *kRowResident = "row-resident";
inline constexpr const char *kAccumulator = "accumulator";
/// Of definitions whose Func has its points in memory of the thread or the block that owns them.
inline constexpr const char *kPrivateMemory = "private-memory";
inline constexpr const char *kTransposedTile = "transposed-tile";
inline constexpr const char *kStencilTile = "stencil-tile";
inline constexpr const char *kVariant = "variant";

}  // namespace fusion

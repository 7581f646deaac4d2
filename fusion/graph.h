#pragma once
/// The planner's view of a pipeline: one vertex a definition (pure or update) or an input, one edge a way of reading.
///
/// Vertices are numbered in topological order (producers first), so a vertex number is also the tie-breaker everywhere.
/// Filled by halide/read_pipeline.h; nothing here knows Halide.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusion {

enum class ReadKind {
    Pointwise,   ///< the same point
    Broadcast,   ///< misses a dimension of the consumer
    Transposed,  ///< dimensions in another order
    Stencil,     ///< constant offsets
    Strided,     ///< a coefficient other than 1, a division, or another function of the loops (a mirror)
    Reduction,   ///< through a reduction variable
    Gather,      ///< data-dependent
    Opaque,      ///< by an extern stage
    InPlace,     ///< an update definition reading or replacing the definition before it
};

std::string name_of(ReadKind kind);

enum class Role { Input, Intermediate, Output };

struct Extent {
    std::string name;
    int64_t min = 0;
    int64_t extent = 1;
    bool operator==(const Extent &) const = default;
};

/// Where a definition writes its own Func and reads it back, besides its own point: nowhere else or at numbers, so that
/// registers can hold it; at loops and offsets to them; or where data say.
enum class Places { Own, Loops, Data };

/// Instructions that depend on the same loops, one bit each: the stage's dims, then its reduction.
struct Share {
    uint64_t loops = 0;
    double instructions = 0;
    /// Loops beyond the 63rd have one together.
    static uint64_t bit(size_t loop) { return uint64_t(1) << std::min<size_t>(loop, 63); }
    bool uses(size_t loop) const { return (loops & bit(loop)) != 0; }
};

/// One evaluation of one point, in instructions issued a thread.
struct Work {
    double arithmetic = 0;      ///< adds, multiplies, comparisons, conversions
    double special = 0;         ///< exp, sin, division, ...: counted in arithmetic instructions of their expansion
    double selected_loads = 0;  ///< loads that are an arm of a select
    std::vector<Share> shares;  ///< the total, by what it depends on; empty: all of it on all loops
    double total() const { return arithmetic + special; }
};

struct Stage {
    std::string func;  ///< display name; equal for all definitions of a Func
    int func_id = 0;   ///< index into what read_pipeline returned; equal for all definitions of a Func
    int update = 0;    ///< 0: pure definition; n: the n-th update
    Role role = Role::Intermediate;
    bool is_extern = false;
    bool scheduled_by_user = false;
    bool has_own_loops = false;  ///< by the user's schedule
    bool has_updates = false;    ///< the Func has update definitions
    bool partly_read = false;    ///< a Tuple of which some elements read other stages, but nobody reads them
    bool folds = false;          ///< the Func's only update, which folds the RDom into each point: a thread can keep it
    bool reassociable = false;   ///< folds in any order, and in parts that are combined later
    Places places = Places::Own;  ///< where it writes its own Func, and reads it back
    bool scatters = false;   ///< the Func's only update, which adds to points that it computes: threads may share it
    bool unbounded = false;  ///< the region its consumers need has no bound or does not fit a buffer: cannot be stored
    std::string unbounded_dims;     ///< which dimensions, for the error message
    bool can_be_staged = false;     ///< there is a Func that a shared-memory tile can be made of
    bool no_vectors = false;        ///< the compiler cannot take vectors of it, nor branches for them
    bool no_guards = false;         ///< the compiler stores vectors of it wrongly where they are guarded
    std::string kept_apart;         ///< not empty: why it is not computed in the kernels that read it
    std::string gpu_refusal;        ///< not empty: why the stage may not run on a GPU
    std::vector<Extent> dims;       ///< loop dimensions, as written by the user
    std::vector<Extent> reduction;  ///< dimensions of the RDom
    std::vector<int> independent;   ///< dims whose loop may run in any order: their points never meet
    std::vector<int> unordered;     ///< dimensions of the RDom of which that is true as well
    /// By how many outermost loops of the reduction run one after the other, a launch a step: the loops (dims, then
    /// reduction) whose steps never meet within one, the contiguous one first. Empty: nothing new.
    std::vector<std::vector<int>> side_by_side;
    std::vector<int64_t> choices;  ///< per dim: what is read is chosen by its remainder of so many; 1: by more; 0: not
    std::vector<int64_t> most_extent;  ///< per dim: however large inputs and outputs are; 0: there is no such bound
    std::vector<int> memory_order;     ///< dims from the one with stride 1 outwards
    int value_bytes = 0;               ///< bytes a point of all Tuple elements together
    std::vector<int> element_bytes;    ///< bytes of each Tuple element
    Work work;
    Work chosen;  ///< the mean of points for which the choices along its dims are known; without choices, as work
    int live_values = 1;  ///< most 32-bit values alive while one point is computed from loaded operands

    /// A loop by its number: the dims, then the reduction.
    const Extent &loop(size_t number) const {
        return number < dims.size() ? dims[number] : reduction[number - dims.size()];
    }
    /// The entry of side_by_side; the independent dims where the graph says nothing of loops.
    const std::vector<int> &loops_at_once(size_t around) const {
        return around < side_by_side.size() ? side_by_side[around] : independent;
    }
    /// Points of the loops: of an update those over its reduction and the dimensions it does not compute.
    double points() const;
    /// Elements stored.
    double elements() const;
    /// Instructions of a point that are the same for a whole reduction, or along a row: a thread hoists them.
    double invariant() const;
};

/// Offsets along one dimension: from the lowest to the highest.
struct Reach {
    int64_t low = 0;
    int64_t high = 0;
    int64_t span() const { return high - low; }
    bool operator==(const Reach &) const = default;
    auto operator<=>(const Reach &) const = default;
};

/// Places that move with one loop at a rate: between steps * loop / of + low and the same + high, before clamps move them
/// inwards. Neighbours in the loop are never further apart than that.
struct Rate {
    int loop = -1;  ///< -1: they follow none so
    int64_t steps = 1, of = 1;
    double low = 0, high = 0;  ///< rounding down in a division lowers `low`
    bool is_clamped = false;
    bool is_number = false;  ///< no loop, but the numbers from `low` to `high`, read whatever the data are
    /// Of the clamps, divisions and parameters on the way, in their order; 0: none. Places of another shape need not be near.
    uint64_t shape = 0;
    int64_t phase = -1;  ///< remainder of `of` at which a tile's loop begins; -1: not known
    /// Where they follow none: the loops whose values decide them, as in Share; all: any may. What is computed from y alone is
    /// the same for a whole row.
    uint64_t decided_by = ~uint64_t(0);
    bool operator==(const Rate &) const = default;
};

/// An edge from producer to consumer.
struct Read {
    ReadKind kind = ReadKind::Pointwise;
    int points = 1;  ///< distinct points of the producer read a point of the consumer
    /// Per producer dimension: the consumer loop it follows one to one, or -1. Loops are its dims, then its reduction.
    std::vector<int> follows;
    std::vector<Extent> region;  ///< per producer dimension: what all of the consumer needs
    /// Per producer dimension: the consumer loop along which it moves one by one, also where other loops move it further;
    /// or -1. Empty: as `follows`.
    std::vector<int> runs = {};
    /// Per producer dimension that moves one by one with two loops: the second, as r.x in f(x + r.x); or -1. Empty: none.
    std::vector<int> slides = {};
    /// Per producer dimension that follows a loop: the constant offsets to it. Empty: none.
    std::vector<Reach> reach = {};
    /// Per producer dimension: at how many neighbouring numbers, such as channels 0 to 2, it is read whatever the data are.
    /// Empty: none.
    std::vector<int64_t> numbers = {};
    /// Per producer dimension: the rate at which it moves with a loop of the consumer. Empty: as `follows` and `reach`.
    std::vector<Rate> rates = {};
    /// Every index is a loop, a constant or their sum, so the points read for a tile of the consumer are a box of constant
    /// size; not so behind a clamp, a parameter or a division.
    bool is_box = true;
    /// The same of one step of the consumer's RDom, whose loops an index may be too.
    bool is_step_box = true;
    /// Every index moves with a dimension of the consumer at a rate, or is a constant: the points read for a tile of the
    /// consumer lie in a box of constant size. Says nothing new where `is_box`.
    bool is_sized = false;
    /// Of `points`, the part that one point of the consumer takes, in the mean, where its choices are known.
    double taken = 1;
    double region_elements() const;
    /// Of `points`, those at unlike places in the dimensions that follow no loop.
    double others() const;
};

using StageGraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Stage, Read>;
using Vertex = StageGraph::vertex_descriptor;
using Edge = StageGraph::edge_descriptor;

/// Edges ordered by (producer, consumer, position): the order every listing uses.
std::vector<Edge> edges_in_order(const StageGraph &graph);
/// Distinct consumers, ascending.
std::vector<Vertex> consumers_of(const StageGraph &graph, Vertex producer);
std::vector<Vertex> producers_of(const StageGraph &graph, Vertex consumer);
/// Immediate post-dominator of each vertex; nullopt where only the end of the pipeline dominates.
std::vector<std::optional<Vertex>> post_dominators(const StageGraph &graph);
/// Name with the update number where it is not the pure definition: "hist", "hist.update(1)".
std::string stage_name(const Stage &stage);

}  // namespace fusion

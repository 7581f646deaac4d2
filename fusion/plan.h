#pragma once
/// What shares a kernel: the result of planning, ready to be priced, explained and lowered.
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "fusion/device.h"
#include "fusion/graph.h"

namespace fusion {

enum class Placement {
    Inlined,   ///< recomputed in registers where it is used
    AtThread,  ///< computed once a thread, kept in registers, read by several stages of the kernel
    AtBlock,   ///< computed once a block, kept in shared memory
    Root,      ///< stored to memory by a kernel of its own
    Host,      ///< computed on the CPU (extern stages and what feeds them)
};
std::string name_of(Placement placement);

/// Shape of a kernel's loops.
enum class Template {
    Pointwise,  ///< flattened, vectors of the contiguous dimension, specialised on layout
    Siblings,   ///< several outputs in one launch, each flattened to one loop
    Transpose,  ///< square tiles through shared memory
    Stencil,    ///< tiles of points; neighbours that several points need are kept in registers or shared memory
    Folded,     ///< a block folds for a tile of points, and computes the stencils of each step in shared memory first
    Reduction,  ///< a block reduces together, keeps the values in shared memory and computes what reads them
    Private,    ///< a thread or a block computes all definitions of a Func for its points, in memory of its own
    Parallel,   ///< loops over pure dimensions in parallel, reduction loops inside the thread
    UserLoops,  ///< the user's own schedule, left as it is
    HostLoops,  ///< on the CPU
};
std::string name_of(Template kind);

/// Edge of a shared-memory tile, in points: 64 beat 32 (0.95x against 0.87x the copy bandwidth, H200, 2026-11-29).
inline constexpr int kTransposeTile = 64;

/// Neighbouring points that fill the widest access, 16 bytes: of elements of a byte, and of four.
inline constexpr int kByteVector = 16, kWordVector = 4;

/// What a kernel's tile may use.
struct Limits {
    int registers = 64;          ///< a thread
    int vector = kByteVector;    ///< neighbouring points a thread, at most
    bool counts_shared = false;  ///< what points of a thread share, the compiler keeps in registers (StencilWork)
};

/// The dimensions of a kernel's output that a tile covers; a block has one point of the others.
struct TiledDims {
    int x = -1;  ///< the contiguous one unless it is short, walked by neighbouring threads
    int y = -1;  ///< the one along which most is shared; -1: there is only one
    int z = -1;  ///< a short one (channels) for all of which some value is the same; -1: none
    bool operator==(const TiledDims &) const = default;
};

struct Tile {
    int vector = 1;  ///< neighbouring points a thread computes with one wide access
    int per_thread =
        1;  ///< such vectors a thread, a block's width apart; of a stencil, below each other; of a reduction, pairs in flight
    int threads = 256;    ///< a block
    int lanes = 0;        ///< of a stencil or fold: threads of a block along the contiguous dimension, the rest below
    int slices = 1;       ///< of a stencil or fold: points a thread along a third dimension
    TiledDims dims = {};  ///< of a stencil or fold
    int reducing = 1;     ///< of these, threads that share one reduction
    int chunks = 1;       ///< parts of a reduction in blocks of their own, combined by a second launch
    int bands = 1;        ///< blocks that share an output's row: each finds its reductions again
    int around = 0;       ///< of an update in memory: outermost loops of its RDom that have a launch a step
    bool operator==(const Tile &) const = default;
};

/// How the points of a kernel use a stage or a buffer.
struct Use {
    Vertex frame = 0;   ///< the stage whose points the threads walk there: the kernel's output, or one at the block
    double calls = 1;   ///< call sites a point of the frame, multiplied along paths
    double others = 1;  ///< unlike places, a point, in the dimensions that follow none of the frame
    std::vector<int> follows = {};   ///< per loop: the dimension of the frame, or -1
    std::vector<Reach> reach = {};   ///< per loop: offsets to the frame's point, those of all paths united
    bool is_box = true;              ///< the points used for a tile of the frame are a box of known size
    bool is_own_point = true;        ///< no path goes through an offset, a stride or data
    bool is_step_box = true;         ///< as is_box, of one step of the frame's loops over its RDom
    bool is_sized = false;           ///< the points used for a tile of the frame lie in a box of known size
    std::vector<Rate> rates = {};    ///< per loop: at which rate it moves with the frame; empty: as follows and reach
    double taken = 1;                ///< of the calls, the part that is left where the kernel's known choices are made
    bool is_chosen = false;          ///< the stage's own choices are among them
    std::vector<bool> numbers = {};  ///< per loop: all call sites say a number
};

/// What a tile has to know of a dimension of the output, so that choices of what to read are made when code is written.
struct KnownChoice {
    int64_t points = 0;   ///< a thread computes so many neighbours, or a multiple; 0: there is no choice along it
    int64_t phase = 0;    ///< and begins where so much is left of a multiple
    bool is_all = false;  ///< they are all that there are, at the numbers of the estimate
};

struct Member {
    Vertex stage;
    Placement placement;
    double evaluations = 0;  ///< over the whole kernel, where a thread computes one point
    std::vector<Use> uses = {};
    int lane = -1;  ///< with loops of its own: the one that neighbouring threads walk (dims, then reduction)
    std::vector<int> follows = {};  ///< at block: per dimension of the stage the output dimension it follows
    std::vector<Rate> sides =
        {};  ///< at block: the same at any rate, with what all that read it need; empty: no one box
    bool computed_before = false;  ///< by a kernel that runs earlier
};

/// A buffer in memory that a kernel reads.
struct Input {
    Vertex producer;
    double bytes = 0;          ///< distinct bytes
    double passes = 1;         ///< how often these are read, by all loops of the kernel
    bool streams = false;      ///< follows the vectorised dimension
    bool same_point = true;    ///< every read is at the kernel's own point
    bool is_coalesced = true;  ///< neighbouring threads read neighbouring elements, or all the same one
    std::vector<Use> uses = {};
};

/// A stored buffer that the kernel reads through a tile in shared memory.
struct Staged {
    Vertex producer;
    std::vector<Vertex> callers;  ///< members that read it
    std::vector<int> follows;     ///< per dimension of the producer the output dimension it follows
};

enum class RegisterSource { Estimated, Measured };

struct Registers {
    int value = 0;
    RegisterSource source = RegisterSource::Estimated;
};

/// The one price of a kernel: feeds both the rules and the ledger. Times in microseconds, sizes in bytes.
struct Price {
    double bytes_read = 0;
    double bytes_written = 0;
    double flops = 0;             ///< instructions of arithmetic, all points
    double recomputed_flops = 0;  ///< of these, what a stored intermediate would have saved
    int launches = 0;
    int shared_bytes = 0;
    Registers registers;
    int spilled = 0;  ///< registers a thread that do not fit the cap
    double blocks = 0;
    double waves = 0;
    double occupancy = 0;  ///< resident threads over the most possible
    double launch_us = 0;
    double read_us = 0;
    double compute_us = 0;
    double write_us = 0;
    double time_us = 0;
};

/// One kernel (or one loop nest on the host).
struct Group {
    std::vector<Vertex> outputs;  ///< one stage; several for siblings
    std::vector<Member> members;  ///< everything computed in it, outputs included, ascending
    std::vector<Input> inputs;
    std::vector<Staged> staged;
    std::vector<KnownChoice> known = {};  ///< by dimension of the output; empty: no choice can be known
    Template kind = Template::Pointwise;
    Tile tile;
    Price price;
};

/// The answer for one edge, a yes as fully as a no.
struct Verdict {
    Vertex producer;
    Vertex consumer;
    ReadKind kind;
    std::string verdict;  ///< "fused", "recomputed" or "stored"
    std::string rule;     ///< id of the deciding rule
    std::string why;
    double apart_us = 0;
    double fused_us = 0;
    int step = 0;  ///< when the planner decided it; 0: never a candidate
};

/// Whether independent stages share a launch.
struct Join {
    std::vector<Vertex> outputs;
    bool joined = false;
    std::string why;
    double apart_us = 0;
    double joined_us = 0;
};

/// Which plan is wanted.
enum class Variant {
    Fused,    ///< the planner's choice
    Unfused,  ///< every stage a kernel of its own
    Inlined,  ///< every stage that can be inlined is
};

/// A change of the algorithm itself, made before anything is scheduled.
struct Rewrite {
    std::string id;    ///< as in the option rewrites=
    int func_id = -1;  ///< the Func whose definitions the schedule changes; -1: the pipeline has been changed already
    std::string why;   ///< what it saves
    double saved = 0;  ///< instructions a point
};

struct Plan {
    Variant variant = Variant::Fused;
    std::vector<Placement> placement;  ///< by vertex; inputs are Root
    std::vector<Group> groups;         ///< in order of execution
    std::vector<Verdict> verdicts;     ///< one an edge, in edges_in_order
    std::vector<Join> joins;
    std::vector<Rewrite> rewrites;
    std::string fallback;     ///< not empty: what Halide refused of the wanted plan, so that kernels are apart
    int register_cap = 64;    ///< registers a thread that the kernels are compiled for
    double first_cap_us = 0;  ///< measured registers: predicted time under the runtime's own cap, or the one asked for
};

std::string name_of(Variant variant);
/// Throws UserError listing the valid names.
Variant variant_named(const std::string &name);

struct PlanOptions {
    Variant variant = Variant::Fused;
    int register_cap = 0;                ///< 0: the device's default
    int max_vector = kByteVector;        ///< less for a plan of narrow kernels, which need fewer registers
    bool counts_shared = false;          ///< as in Limits: for a plan of smaller tiles, which need fewer registers
    std::vector<Rewrite> rewrites = {};  ///< already in the graph's figures; make_plan hands them on
};

/// Decides what shares a kernel. Candidates leave a queue in order of benefit (price apart less price fused); only the
/// prices that a decision touches are computed again. The same graph gives the same plan.
/// Throws UserError: a stage must run on the GPU but cannot, or its region is unbounded and it cannot be inlined.
Plan make_plan(const StageGraph &graph, const Device &device, const PlanOptions &options);

}  // namespace fusion

#pragma once
/// A schedule as a list of values: applied to Funcs, and printed as C++, from the same entries.
#include <Halide.h>
#include <optional>
#include <string>
#include <vector>

#include "schedules/condition.h"
#include "schedules/row_threads.h"

namespace fusion {

/// A loop: a dimension of the Func by position, a variable of its RDom by position, or one that a directive made (of a
/// dimension or of an RDom).
struct Loop {
    enum Kind { Arg, Reduction, Made, MadeReduction } kind = Made;
    int index = 0;
    std::string name;
};
Loop arg(int index);
Loop rvar(int index);
Loop made(const std::string &name);
Loop made_reduction(const std::string &name);
/// The loop around all others, from which single blocks and threads are split.
Loop outermost();

enum class Verb {
    Wrap,     ///< makes Func `func_id` (a new id) of func `other`, read in its place by `callers` (by all when empty)
    RFactor,  ///< makes Func `func_id` (a new id) of the update of `other`; loops: an RVar, the dimension it becomes, ...
    NativeMath,     ///< of the rewrite native-math: the Func's own definitions
    IdentityWhere,  ///< conditions on data of the update's RDom become part of its value
    FoldAll,        ///< drops the conditions of the update's RDom: what they leave out is the identity of its fold
    WholeIndices,   ///< what the Func reads keeps its indices in one piece
    ScatterPlace,   ///< makes Func `func_id` (a new id): where the update of `other` scatters to
    ComputeRoot,
    ComputeAt,        ///< loops[0] of func `other`, of its first update where that is a variable of the RDom
    StoreInRegister,  ///< MemoryType::Register
    AlignStorage,     ///< loops[0], number
    BoundStorage,     ///< loops[0], number
    ReorderStorage,   ///< loops, the contiguous one first
    Specialize,       ///< opens branch `branch` of the stage, or of its branch `within`, under `condition`
    Choose,           ///< opens branch `branch` of a Func that is a select, under the condition of that
    Split,            ///< loops: old, outer, inner; number: factor, unless by_width tells
    Fuse,             ///< loops: inner, outer, fused
    Reorder,          ///< loops, innermost first
    Vectorize,
    Unroll,
    Parallel,
    GpuBlocks,  ///< one or two loops
    GpuThreads,
    GpuSingleThread,
    Atomic,
    AllowRaceConditions,  ///< Halide cannot prove that there are none; the planner has
    ComputeWith,          ///< loops[0] of func `other`, of its same definition where that is a variable of the RDom
};

struct Directive {
    int func_id = 0;
    int update = 0;
    int branch = -1;  ///< -1: the general case
    Verb verb = Verb::ComputeRoot;
    std::vector<Loop> loops = {};
    int64_t number = 0;
    Halide::TailStrategy tail = Halide::TailStrategy::Auto;
    int other = -1;
    Condition condition = {};
    std::vector<int> callers = {};
    int within = -1;  ///< of a branch that is opened: the one around it
    std::optional<RowThreads> by_width = std::nullopt;
};

using Schedule = std::vector<Directive>;

}  // namespace fusion

#include "fusion/legality.h"

#include "fusion/rate.h"
#include "fusion/reduction_kernel.h"

namespace fusion {
namespace {

const Stage &producer_of(const Candidate &c) {
    return c.graph[c.producer];
}

}  // namespace

Decision pipeline_input(const Candidate &c) {
    return producer_of(c).role == Role::Input ? Decision::forbid("an input of the pipeline is read from memory")
                                              : Decision::allow();
}

Decision output_is_stored(const Candidate &c) {
    return producer_of(c).role == Role::Output
               ? Decision::forbid(producer_of(c).func +
                                  " is an output: it is stored once, and its readers read it back")
               : Decision::allow();
}

Decision user_schedule(const Candidate &c) {
    return producer_of(c).scheduled_by_user
               ? Decision::forbid(producer_of(c).func + " keeps the schedule that its author gave it")
               : Decision::allow();
}

Decision extern_stage(const Candidate &c) {
    if (producer_of(c).is_extern) {
        return Decision::forbid(producer_of(c).func + " is an extern stage: it has no expression to inline");
    }
    for (const Edge &e : c.edges) {
        if (c.graph[e].kind == ReadKind::Opaque) {
            return Decision::forbid(c.graph[target(e, c.graph)].func +
                                    " is an extern stage: it reads whole buffers on the host");
        }
    }
    return Decision::allow();
}

Decision reduction_boundary(const Candidate &c) {
    return is_reduction(producer_of(c)) && c.proposed == Placement::Inlined
               ? Decision::forbid("what reads " + producer_of(c).func +
                                  " needs the whole reduction first, so it cannot be recomputed a point")
               : Decision::allow();
}

Decision update_stages(const Candidate &c) {
    return producer_of(c).has_updates && !is_reduction(producer_of(c))
               ? Decision::forbid(producer_of(c).func + " has update definitions, so its values exist only in memory")
               : Decision::allow();
}

Decision kept_apart(const Candidate &c) {
    return producer_of(c).kept_apart.empty() ? Decision::allow() : Decision::forbid(producer_of(c).kept_apart);
}

Decision partly_read(const Candidate &c) {
    return producer_of(c).partly_read && c.proposed == Placement::Inlined
               ? Decision::forbid(
                     "only some elements of the Tuple " + producer_of(c).func +
                     " are read: inlined, it would leave stages without a reader, on which Halide 21 stops")
               : Decision::allow();
}

Decision read_kind(const Candidate &c) {
    for (const Edge &e : c.edges) {
        const ReadKind kind = c.graph[e].kind;
        if (kind == ReadKind::Gather || kind == ReadKind::InPlace) {
            return Decision::forbid(c.graph[target(e, c.graph)].func + " reads it as a " + name_of(kind) +
                                    ": where is not known before it runs");
        }
        if (is_reduction(producer_of(c)) && (kind == ReadKind::Stencil || kind == ReadKind::Strided)) {
            return Decision::forbid(c.graph[target(e, c.graph)].func + " reads it as a " + name_of(kind) +
                                    ": other points than those that its block reduces");
        }
    }
    return Decision::allow();
}

Decision stencil_tile(const Candidate &c) {
    const bool is_kept = c.proposed == Placement::AtThread || c.proposed == Placement::AtBlock;
    for (const Edge &e : c.edges) {
        const bool is_of_step = is_reduction(c.graph[target(e, c.graph)]);
        const bool is_kept_so = is_of_step                          ? c.graph[e].is_step_box
                                : c.proposed == Placement::AtThread ? is_sized_exactly(c.graph[e])
                                                                    : is_sized(c.graph[e]);
        if (is_kept && !is_reduction(producer_of(c)) && !is_kept_so) {
            return Decision::forbid("what neighbouring points of " + c.graph[target(e, c.graph)].func +
                                    " need of it has no constant size");
        }
    }
    return Decision::allow();
}

}  // namespace fusion

#include "fusion/rules.h"

#include <algorithm>

#include "fusion/legality.h"
#include "fusion/price.h"
#include "fusion/stencil_tiles.h"
#include "fusion/text.h"

namespace fusion {
namespace {

double sum(const std::vector<Group> &groups, double Price::*field) {
    double total = 0;
    for (const Group &group : groups) {
        total += group.price.*field;
    }
    return total;
}

double mean_occupancy(const std::vector<Group> &groups) {
    return sum(groups, &Price::occupancy) / std::max<double>(1, (double)groups.size());
}

bool loses_coalescing(const Candidate &c) {
    const auto uncoalesced = [](const std::vector<Group> &groups) {
        int count = 0;
        for (const Group &group : groups) {
            count += (int)std::count_if(group.inputs.begin(), group.inputs.end(),
                                        [](const Input &i) { return !i.is_coalesced; });
        }
        return count;
    };
    return uncoalesced(*c.fused) > 0 &&
           sum(*c.fused, &Price::bytes_read) + sum(*c.fused, &Price::bytes_written) >
               sum(*c.apart, &Price::bytes_read) + sum(*c.apart, &Price::bytes_written) &&
           uncoalesced(*c.fused) >= uncoalesced(*c.apart);
}

bool is_slower(const Candidate &c) {
    return c.fused_us() >= c.apart_us();
}

std::string margin(const Candidate &c) {
    return "apart " + time_text(c.apart_us()) + ", fused " + time_text(c.fused_us());
}

// Resource.

Decision launch_arguments(const Candidate &c) {
    for (const Group &group : *c.fused) {
        const double bytes = argument_bytes(c.graph, group);
        if (bytes > c.device.argument_bytes) {
            return Decision::forbid("the kernel of " + c.graph[group.outputs[0]].func + " would take " +
                                    fixed(bytes, 0) + " bytes of arguments; a launch takes " +
                                    fixed(c.device.argument_bytes, 0));
        }
    }
    return Decision::allow();
}

Decision shared_memory(const Candidate &c) {
    for (const Group &group : *c.fused) {
        if (group.price.shared_bytes > c.device.shared_per_block) {
            return Decision::forbid("its tiles would take " + std::to_string(group.price.shared_bytes) +
                                    " bytes of shared memory; a block has " + fixed(c.device.shared_per_block, 0));
        }
    }
    return Decision::allow();
}

Decision expression_size(const Candidate &c) {
    for (const Group &group : *c.fused) {
        const auto [stage, evaluations] = most_written_out(group, group.tile);
        if (evaluations > kMostWrittenOut) {
            return Decision::forbid("a thread of " + c.graph[group.outputs[0]].func + " would evaluate " +
                                    c.graph[stage].func + " " + count_text(evaluations) + " times, one by one");
        }
    }
    return Decision::allow();
}

/// A launch saved stays one launch; arithmetic multiplied by the width of an image grows with it, and a plan is also run at
/// sizes far from the estimates. So beyond this the price at the estimates is not asked: work a point, and share of it
/// that a stored intermediate would save.
constexpr double kMostRecomputedAPoint = 64, kMostRecomputedShare = 7.0 / 8;

Decision recompute_limit(const Candidate &c) {
    const double more = sum(*c.fused, &Price::recomputed_flops) - sum(*c.apart, &Price::recomputed_flops);
    for (const Group &group : *c.fused) {
        const double points = std::max(1.0, c.graph[group.outputs[0]].points());
        const double a_point = group.price.recomputed_flops / points;
        const double share = group.price.flops > 0 ? group.price.recomputed_flops / group.price.flops : 0;
        if (more > 0 && a_point > kMostRecomputedAPoint && share > kMostRecomputedShare) {
            return Decision::forbid("it is stored once: " + c.graph[group.outputs[0]].func + " would do " +
                                    fixed(a_point, 0) + " instructions a point again, " + fixed(100 * share, 0) +
                                    "% of its work, and more at larger sizes");
        }
    }
    return Decision::allow();
}

// Profit.

Decision register_pressure(const Candidate &c) {
    int most = 0, spilled = 0;
    for (const Group &group : *c.fused) {
        most = std::max(most, group.price.registers.value);
        spilled = std::max(spilled, group.price.spilled);
    }
    const bool costs_occupancy = spilled > 0 || mean_occupancy(*c.fused) < mean_occupancy(*c.apart) * 0.5;
    return is_slower(c) && costs_occupancy
               ? Decision::forbid("one kernel needs " + std::to_string(most) + " registers a thread, " +
                                  std::to_string(spilled) + " over the cap: that costs more than the bytes saved (" +
                                  margin(c) + ")")
               : Decision::allow();
}

Decision transposed_coalescing(const Candidate &c) {
    return is_slower(c) && loses_coalescing(c)
               ? Decision::forbid("neighbouring threads would read far apart (" + margin(c) + ")")
               : Decision::allow();
}

Decision recompute_or_store(const Candidate &c) {
    const double extra = sum(*c.fused, &Price::flops) - sum(*c.apart, &Price::flops);
    return is_slower(c) && extra > 0 ? Decision::forbid("it is dear: storing it once beats computing it again, " +
                                                        count_text(extra) + " instructions more (" + margin(c) + ")")
                                     : Decision::allow();
}

Decision vertical_fusion(const Candidate &c) {
    return is_slower(c) ? Decision::forbid("sharing a kernel saves nothing (" + margin(c) + ")") : Decision::allow();
}

constexpr Rule kRules[] = {
    {"pipeline-input", RuleKind::Legality, pipeline_input, "an input is read from memory"},
    {"output-is-stored", RuleKind::Legality, output_is_stored, "an output is stored once; other stages read it back"},
    {"user-schedule", RuleKind::Legality, user_schedule, "a Func that its author scheduled keeps its loops"},
    {"extern-stage", RuleKind::Legality, extern_stage,
     "an extern stage, and what it reads, stay in memory on the host"},
    {kReductionBoundary, RuleKind::Legality, reduction_boundary,
     "what reads a reduction waits for all of it: it is stored, or kept by the block that computes it"},
    {"update-stages", RuleKind::Legality, update_stages, "a Func with update definitions is stored"},
    {"kept-apart", RuleKind::Legality, kept_apart, "what Halide refuses in one kernel stays in several"},
    {"partly-read", RuleKind::Legality, partly_read, "a Tuple of which only a part is read is stored"},
    {"read-kind", RuleKind::Legality, read_kind, "what is read at places that data decides is stored"},
    {kStencilTile, RuleKind::Legality, stencil_tile,
     "what neighbouring points share is kept for them when its size is constant"},
    {"launch-arguments", RuleKind::Resource, launch_arguments,
     "a launch takes no more arguments than the device allows"},
    {"shared-memory", RuleKind::Resource, shared_memory, "the tiles of a kernel fit in a block's shared memory"},
    {"expression-size", RuleKind::Resource, expression_size, "a stage is not evaluated hundreds of times a thread"},
    {"recompute-limit", RuleKind::Resource, recompute_limit,
     "arithmetic is not multiplied by a width, whatever a launch costs"},
    {"register-pressure", RuleKind::Profit, register_pressure,
     "registers must not cost more occupancy than the bytes saved"},
    {"transposed-coalescing", RuleKind::Profit, transposed_coalescing,
     "a transposed read must not waste what fusing saves"},
    {"recompute-or-store", RuleKind::Profit, recompute_or_store,
     "several consumers: cheap is recomputed, dear is stored once"},
    {"vertical-fusion", RuleKind::Profit, vertical_fusion,
     "a producer joins its consumers' kernels when the price falls"},
};

}  // namespace

double argument_bytes(const StageGraph &graph, const Group &group) {
    // A buffer is a pointer and, a dimension, a minimum and a stride; its extents decide the guards.
    double bytes = 0;
    const auto add = [&](Vertex v) { bytes += 8.0 + 12.0 * (double)graph[v].dims.size(); };
    for (const Input &input : group.inputs) {
        add(input.producer);
    }
    std::for_each(group.outputs.begin(), group.outputs.end(), add);
    return bytes;
}

double Candidate::apart_us() const {
    return apart ? total(*apart).time_us : 0;
}

double Candidate::fused_us() const {
    return fused ? total(*fused).time_us : 0;
}

std::span<const Rule> rules() {
    return kRules;
}

Judgement judge(const Candidate &candidate, RuleKind kind) {
    const char *last = "";
    for (const Rule &rule : rules()) {
        if (rule.kind != kind) {
            continue;
        }
        last = rule.id;
        Decision decision = rule.check(candidate);
        if (!decision.allowed()) {
            return {decision, rule.id};
        }
    }
    return {Decision::allow(), last};
}

}  // namespace fusion

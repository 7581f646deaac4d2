#include <algorithm>
#include <vector>

#include "fusion/explain.h"
#include "fusion/rules.h"
#include "fusion/text.h"

namespace fusion {
namespace {

std::string padded(std::string text, size_t width) {
    text.resize(std::max(width, text.size()), ' ');
    return text;
}

std::string registers_text(const Registers &registers) {
    return std::to_string(registers.value) +
           (registers.source == RegisterSource::Measured ? " (measured)" : " (estimated)");
}

std::string extents_text(const Stage &stage) {
    std::vector<std::string> sizes;
    for (const Extent &dim : stage.dims) {
        sizes.push_back(std::to_string(dim.extent));
    }
    return sizes.empty() ? "one value" : join(sizes, " x ");
}

std::string tile_text(const Group &group) {
    std::string text = std::to_string(group.tile.threads) + " threads";
    if (group.kind == Template::Transpose) {
        return text + ", tiles of " + std::to_string(kTransposeTile) + " x " + std::to_string(kTransposeTile);
    }
    if (group.kind == Template::Stencil || group.kind == Template::Folded) {
        const Tile &tile = group.tile;
        const auto by = [&](int x, int y) {
            return std::to_string(x) + (tile.dims.y < 0 ? "" : " x " + std::to_string(y));
        };
        text += " of " + by(tile.vector, tile.per_thread) +
                (tile.slices > 1 ? " x " + std::to_string(tile.slices) : "") + " points";
        return text + ", tiles of " + by(tile.vector * tile.lanes, tile.per_thread * tile.threads / tile.lanes);
    }
    if (group.kind == Template::Private && group.tile.lanes > 0) {
        text += ", tiles of " + std::to_string(group.tile.lanes) + " x " +
                std::to_string(group.tile.threads / group.tile.lanes) + " owners" +
                (group.tile.slices > 1 ? " of " + std::to_string(group.tile.slices) + " points" : "");
    }
    if (group.tile.around > 0) {
        text += ", " + std::to_string(group.price.launches) + " launches one after the other";
    }
    text += group.tile.vector > 1 ? " x " + std::to_string(group.tile.vector) + " neighbours" : "";
    return text + (group.tile.per_thread > 1 ? " x " + std::to_string(group.tile.per_thread) + " turns" : "");
}

std::string members_text(const StageGraph &graph, const Group &group) {
    std::vector<std::string> parts;
    for (const Member &member : group.members) {
        const bool is_output =
            std::find(group.outputs.begin(), group.outputs.end(), member.stage) != group.outputs.end();
        parts.push_back(stage_name(graph[member.stage]) + (is_output ? "" : " (" + name_of(member.placement) + ")"));
    }
    constexpr size_t most = 12;
    if (parts.size() > most) {
        const std::string rest = "... " + std::to_string(parts.size() - most) + " more ...";
        parts.erase(parts.begin() + most - 1, parts.end() - 1);
        parts.insert(parts.end() - 1, rest);
    }
    return join(parts, ", ");
}

std::string kernel_text(const Explained &e, const Group &group, size_t number) {
    const Price &p = group.price;
    const Stage &out = e.graph[group.outputs[0]];
    std::vector<std::string> read;
    for (const Input &input : group.inputs) {
        read.push_back(stage_name(e.graph[input.producer]) + " " + bytes_text(input.bytes) +
                       (input.is_coalesced ? "" : " uncoalesced"));
    }
    const std::string place = group.kind == Template::HostLoops ? "host loops" : "kernel";
    std::string text = place + " " + std::to_string(number) + ": " + kernel_name(e.graph, group) + "   " +
                       extents_text(out) + ", " + name_of(group.kind) + ", " + tile_text(group) + "\n";
    text += "  computes   " + members_text(e.graph, group) + "\n";
    text += "  reads      " + bytes_text(p.bytes_read) + (read.empty() ? "" : ": " + join(read, ", ")) + "\n";
    text += "  writes     " + bytes_text(p.bytes_written) + "\n";
    text += "  arithmetic " + count_text(p.flops) + " instructions" +
            (p.recomputed_flops > 0 ? ", " + count_text(p.recomputed_flops) + " of them computed again" : "") + "\n";
    text += "  registers  " + registers_text(p.registers) +
            (p.spilled > 0 ? ", " + std::to_string(p.spilled) + " spilled" : "") + ", shared memory " +
            bytes_text(p.shared_bytes) + ", occupancy " + fixed(100 * p.occupancy, 0) + "%, " + count_text(p.blocks) +
            " blocks in " + fixed(p.waves, 2) + " waves\n";
    text += "  time       " + time_text(p.time_us) + " = launch " + time_text(p.launch_us) + ", read " +
            time_text(p.read_us) + ", compute " + time_text(p.compute_us) + ", write " + time_text(p.write_us) +
            " (overlapped); most of it: " + dominant_part(p) + "\n";
    return text;
}

std::string verdict_text(const StageGraph &graph, const Verdict &v) {
    std::string text = "  " + padded(stage_name(graph[v.producer]) + " -> " + stage_name(graph[v.consumer]), 30) + " " +
                       padded(name_of(v.kind), 10) + " " + padded(v.verdict, 10) + " " + v.rule;
    if (v.apart_us > 0 || v.fused_us > 0) {
        text += "  (apart " + time_text(v.apart_us) + ", fused " + time_text(v.fused_us) + ", margin " +
                fixed(v.apart_us - v.fused_us, 2) + " us)";
    }
    return text + "\n" + (v.why.empty() ? "" : "      " + v.why + "\n");
}

std::string total_row(const std::string &name, const Price &p) {
    return "  " + padded(name, 10) + padded(std::to_string(p.launches) + " launches", 14) +
           padded(bytes_text(p.bytes_read + p.bytes_written), 12) + padded(count_text(p.flops) + " instr.", 16) +
           time_text(p.time_us) + "\n";
}

std::string totals_text(const Explained &e) {
    const Price &planned = e.ledger.planned, &unfused = e.ledger.unfused;
    const double bytes = planned.bytes_read + planned.bytes_written;
    std::string text = "totals\n" + total_row("unfused", unfused) + total_row(name_of(e.plan.variant), planned);
    text += "  compulsory bytes " + bytes_text(e.ledger.compulsory_bytes);
    if (e.ledger.compulsory_bytes > 0) {
        text += "; this plan moves " + fixed(bytes / e.ledger.compulsory_bytes, 2) + "x that";
    }
    if (planned.time_us > 0) {
        text += "; predicted " + fixed(unfused.time_us / planned.time_us, 2) + "x faster than unfused";
    }
    return text + "\n";
}

}  // namespace

std::string kernel_name(const StageGraph &graph, const Group &group) {
    std::vector<std::string> names;
    for (const Vertex output : group.outputs) {
        names.push_back(stage_name(graph[output]));
    }
    return join(names, "+");
}

std::string dominant_part(const Price &p) {
    const std::pair<double, const char *> parts[] = {
        {p.launch_us, "launch"}, {p.read_us, "read"}, {p.compute_us, "compute"}, {p.write_us, "write"}};
    return std::max_element(std::begin(parts), std::end(parts),
                            [](const auto &a, const auto &b) { return a.first < b.first; })
        ->second;
}

namespace {

/// What whoever runs the plan must set, and what it costs not to.
std::string cap_text(const Explained &e) {
    if (e.plan.register_cap == (int)e.device.registers_per_thread) {
        return "";
    }
    std::string text =
        "set HL_CUDA_JIT_MAX_REGISTERS=" + std::to_string(e.plan.register_cap) + " before the pipeline's first call";
    if (e.plan.first_cap_us > e.ledger.planned.time_us) {
        text += "; without it " + time_text(e.plan.first_cap_us) + " in place of " +
                time_text(e.ledger.planned.time_us) + " (predicted)";
    }
    return text + "\n";
}

}  // namespace

std::string explain_text(const Explained &e) {
    std::string text = e.pipeline + " on " + e.device.name + ", variant " + name_of(e.plan.variant) + ", at most " +
                       std::to_string(e.plan.register_cap) + " registers a thread\n" + cap_text(e);
    if (!e.plan.fallback.empty()) {
        text += "not as wanted: " + e.plan.fallback + "\n";
    }
    text += "\n";
    size_t number = 1;
    for (const Group &group : e.plan.groups) {
        text += kernel_text(e, group, number++) + "\n";
    }
    text += "verdicts\n";
    for (const Verdict &verdict : e.plan.verdicts) {
        text += verdict_text(e.graph, verdict);
    }
    for (const Join &join_decision : e.plan.joins) {
        std::vector<std::string> names;
        for (const Vertex v : join_decision.outputs) {
            names.push_back(stage_name(e.graph[v]));
        }
        text += "  " + join(names, " + ") + "  " + (join_decision.joined ? "one launch" : "own launches") + "  " +
                kHorizontalSiblings + "\n      " + join_decision.why + "\n";
    }
    if (!e.plan.rewrites.empty()) {
        text += "\nrewrites\n";
    }
    for (const Rewrite &rewrite : e.plan.rewrites) {
        text += "  " + padded(rewrite.id, 22) + rewrite.why + "\n";
    }
    return text + "\n" + totals_text(e);
}

std::string rules_text() {
    std::string text;
    for (const Rule &rule : rules()) {
        const char *kind = rule.kind == RuleKind::Legality   ? "legality"
                           : rule.kind == RuleKind::Resource ? "resource"
                                                             : "profit";
        text += padded(rule.id, 24) + padded(kind, 10) + rule.reads_as + "\n";
    }
    return text;
}

}  // namespace fusion

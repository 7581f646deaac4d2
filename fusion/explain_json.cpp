#include <nlohmann/json.hpp>

#include "fusion/explain.h"

namespace fusion {
namespace {

using Json = nlohmann::ordered_json;

Json kernel_json(const StageGraph &graph, const Group &group) {
    const Price &p = group.price;
    Json stages = Json::array();
    for (const Member &member : group.members) {
        stages.push_back({{"func", graph[member.stage].func},
                          {"update", graph[member.stage].update},
                          {"placement", name_of(member.placement)}});
    }
    return {{"name", kernel_name(graph, group)},
            {"template", name_of(group.kind)},
            {"stages", stages},
            {"bytes_read", p.bytes_read},
            {"bytes_written", p.bytes_written},
            {"flops", p.flops},
            {"recomputed_flops", p.recomputed_flops},
            {"registers",
             {{"value", p.registers.value},
              {"source", p.registers.source == RegisterSource::Measured ? "measured" : "estimated"}}},
            {"shared_bytes", p.shared_bytes},
            {"threads", group.tile.threads},
            {"vector", group.tile.vector},
            {"blocks", p.blocks},
            {"waves", p.waves},
            {"occupancy", p.occupancy},
            {"launch_us", p.launch_us},
            {"read_us", p.read_us},
            {"compute_us", p.compute_us},
            {"write_us", p.write_us},
            {"time_us", p.time_us}};
}

Json totals_json(const Price &p) {
    return {{"launches", p.launches}, {"bytes", p.bytes_read + p.bytes_written}, {"time_us", p.time_us}};
}

}  // namespace

std::string explain_json(const Explained &e) {
    Json kernels = Json::array(), edges = Json::array(), joins = Json::array();
    for (const Group &group : e.plan.groups) {
        kernels.push_back(kernel_json(e.graph, group));
    }
    for (const Verdict &v : e.plan.verdicts) {
        edges.push_back({{"producer", stage_name(e.graph[v.producer])},
                         {"consumer", stage_name(e.graph[v.consumer])},
                         {"kind", name_of(v.kind)},
                         {"verdict", v.verdict},
                         {"rule", v.rule},
                         {"why", v.why},
                         {"apart_us", v.apart_us},
                         {"fused_us", v.fused_us}});
    }
    for (const Join &join : e.plan.joins) {
        Json outputs = Json::array();
        for (const Vertex v : join.outputs) {
            outputs.push_back(stage_name(e.graph[v]));
        }
        joins.push_back({{"outputs", outputs},
                         {"joined", join.joined},
                         {"why", join.why},
                         {"apart_us", join.apart_us},
                         {"joined_us", join.joined_us}});
    }
    Json rewrites = Json::array();
    for (const Rewrite &rewrite : e.plan.rewrites) {
        rewrites.push_back({{"id", rewrite.id}, {"why", rewrite.why}});
    }
    const Json object = {{"schema", 1},
                         {"pipeline", e.pipeline},
                         {"device", e.device.name},
                         {"variant", name_of(e.plan.variant)},
                         {"register_cap", e.plan.register_cap},
                         {"fallback", e.plan.fallback},
                         {"kernels", kernels},
                         {"edges", edges},
                         {"joins", joins},
                         {"rewrites", rewrites},
                         {"totals",
                          {{"unfused", totals_json(e.ledger.unfused)},
                           {"planned", totals_json(e.ledger.planned)},
                           {"compulsory_bytes", e.ledger.compulsory_bytes}}}};
    return object.dump(2) + "\n";
}

}  // namespace fusion

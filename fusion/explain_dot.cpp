#include <set>

#include "fusion/explain.h"
#include "fusion/text.h"

namespace fusion {
namespace {

std::string quoted(const std::string &text) {
    std::string result = "\"";
    for (const char c : text) {
        result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result + "\"";
}

std::string node_name(const Stage &stage) {
    return quoted((stage.role == Role::Input ? "input " : "") + stage_name(stage));
}

}  // namespace

std::string explain_dot(const Explained &e) {
    std::string text = "digraph " + quoted(e.pipeline) + " {\n    rankdir=LR;\n    node [shape=box, style=rounded];\n";
    for (Vertex v = 0; v < num_vertices(e.graph); v++) {
        if (e.graph[v].role == Role::Input) {
            text +=
                "    " + node_name(e.graph[v]) + " [shape=cylinder, label=" + quoted(stage_name(e.graph[v])) + "];\n";
        }
    }
    // A stage that several kernels compute again is drawn in the first.
    std::set<Vertex> drawn;
    size_t number = 1;
    for (const Group &group : e.plan.groups) {
        text += "    subgraph cluster_" + std::to_string(number) + " {\n        label=" +
                quoted("kernel " + std::to_string(number) + ": " + time_text(group.price.time_us) + ", reads " +
                       bytes_text(group.price.bytes_read) + ", writes " + bytes_text(group.price.bytes_written)) +
                ";\n";
        for (const Member &member : group.members) {
            if (drawn.insert(member.stage).second) {
                const bool stored = member.placement == Placement::Root || member.placement == Placement::Host;
                text +=
                    "        " + node_name(e.graph[member.stage]) + (stored ? " [style=\"rounded,bold\"]" : "") + ";\n";
            }
        }
        text += "    }\n";
        number++;
    }
    for (const Verdict &v : e.plan.verdicts) {
        const std::string style = v.verdict == "stored" ? "solid" : "dashed";
        text += "    " + node_name(e.graph[v.producer]) + " -> " + node_name(e.graph[v.consumer]) + " [style=" + style +
                ", label=" + quoted(name_of(v.kind)) + "];\n";
    }
    return text + "}\n";
}

}  // namespace fusion

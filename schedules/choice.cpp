#include "schedules/choice.h"

#include <algorithm>
#include <functional>
#include <set>

namespace fusion {
namespace {

void renumber(Schedule &schedule, const std::function<int(int)> &number_of) {
    for (Directive &d : schedule) {
        d.func_id = number_of(d.func_id);
        d.other = d.other < 0 ? d.other : number_of(d.other);
        for (int &caller : d.callers) {
            caller = number_of(caller);
        }
        for (Fact &fact : d.condition) {
            for (BufferField *field : {&fact.left, &fact.right}) {
                field->buffer.func_id = number_of(field->buffer.func_id);
            }
            for (BufferField &factor : fact.factors) {
                factor.buffer.func_id = number_of(factor.buffer.func_id);
            }
        }
    }
}

int most_branches(const Schedule &schedule) {
    int most = 0;
    for (const Directive &d : schedule) {
        most = std::max(most, d.branch + 1);
    }
    return most;
}

std::vector<int> outputs_of(const PipelineView &view) {
    std::vector<int> ids;
    for (const auto &output : view.outputs) {
        for (int id = 0; id < (int)view.sources.size(); id++) {
            if (view.sources[id].function.get_contents().same_as(output.get_contents())) {
                ids.push_back(id);
            }
        }
    }
    return ids;
}

}  // namespace

PipelineView view_of_both(const PipelineView &first, const PipelineView &second) {
    PipelineView both = first;
    both.outputs = second.outputs;
    const std::vector<int> ids = outputs_of(first);
    for (size_t i = 0; i < ids.size(); i++) {
        both.sources[ids[i]].function = second.outputs[i];
    }
    both.sources.insert(both.sources.end(), second.sources.begin(), second.sources.end());
    return both;
}

Schedule schedule_of_both(Schedule first, const PipelineView &first_view, Schedule second,
                          const PipelineView &second_view) {
    const int firsts = (int)first_view.sources.size(), seconds = (int)second_view.sources.size();
    int made = 0;
    for (const Directive &d : first) {
        made = std::max(made, d.func_id + 1 - firsts);
    }
    const std::vector<int> outputs = outputs_of(first_view);
    const int chosen = most_branches(first);
    Schedule both;
    for (const int output : outputs) {
        both.push_back({.func_id = output, .branch = chosen, .verb = Verb::Choose});
    }
    for (Directive &d : first) {
        if (d.verb == Verb::NativeMath || d.verb == Verb::WholeIndices ||
            !std::count(outputs.begin(), outputs.end(), d.func_id)) {
            continue;
        }
        if (d.verb == Verb::Specialize) {
            d.within = chosen;
        } else if (d.branch < 0) {
            d.branch = chosen;
        }
    }
    renumber(first, [&](int id) { return id < firsts ? id : id + seconds; });
    renumber(second, [&](int id) { return firsts + id + (id < seconds ? 0 : made); });
    both.insert(both.end(), first.begin(), first.end());
    both.insert(both.end(), second.begin(), second.end());
    // Branches are copies of what a Func is when they are opened.
    std::stable_partition(both.begin(), both.end(), [](const Directive &d) { return d.verb == Verb::NativeMath; });
    return both;
}

}  // namespace fusion

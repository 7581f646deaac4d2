#include "fusion/rewrites/tables_in_parts.h"

#include <algorithm>
#include <set>

#include "fusion/halide/constant_regions.h"
#include "fusion/rewrites/reduction_func.h"
#include "fusion/rewrites/table_parts.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// The steps of one part, as points of the RDom of the table.
class PartOfSteps {
public:
    PartOfSteps(const ScatterFunc &table, const TableParts &parts, const Expr &part, const Expr &lane) {
        Region region;
        for (int v = 0; v < (int)table.over.size(); v++) {
            const Expr extent = table.over[v].extent,
                       rounds = has_lanes(parts, v) ? (extent + parts.lanes - 1) / parts.lanes : extent;
            region.emplace_back(0, v == parts.cut ? (rounds + parts.parts - 1) / parts.parts : rounds);
        }
        steps = RDom(region);
        for (int v = 0; v < (int)table.over.size(); v++) {
            const ReductionVariable &variable = table.over[v];
            Expr at = v == parts.cut ? part * region[v].extent + steps[v] : Expr(steps[v]);
            at = has_lanes(parts, v) ? at * parts.lanes + lane : at;
            const Expr pieces = (v == parts.cut ? parts.parts : 1) * (has_lanes(parts, v) ? parts.lanes : 1);
            // Of pieces that come out even, Halide's bounds and the planner's would differ in whether the entry behind is written.
            const bool is_even = is_const_zero(simplify(region[v].extent * pieces - variable.extent));
            if (!is_even && (v == parts.cut || has_lanes(parts, v))) {
                is_step = is_step && at < variable.extent;
                // Of no steps at all Halide's bounds of a minimum alone ask for the element before the first.
                at = unsafe_promise_clamped(min(at, variable.extent - 1), 0, variable.extent - 1);
            }
            here[variable.var] = variable.min + at;
        }
        if (!is_const_one(table.condition)) {
            steps.where(of_step(table.condition));
        }
    }

    Expr of_step(const Expr &e) const { return substitute(here, e); }

    /// What is beyond the last step, which is read again, goes where nobody reads: a constant term stays one, of which a warp
    /// adds all that meet in one place at once (H200, all pixels equal: 39 us, 278 otherwise). Not a condition: what is read
    /// would stand behind a branch each, and Halide 21 reads a place that is a Func of its own (schedules/scatter_place.h)
    /// before it.
    std::vector<Expr> place(const ScatterFunc &table) const {
        std::vector<Expr> place;
        for (const Expr &index : table.place) {
            place.push_back(of_step(index));
        }
        if (table.is_atomic) {
            const int longest = longest_of(table);
            place[longest] = select(is_step, place[longest], (int)table.places[longest]->last + 1);
        }
        return place;
    }

    /// Where a thread has its own table, nothing is added instead.
    Expr term(const ScatterFunc &table) const {
        const Expr value = of_step(table.term);
        return table.is_atomic || table.is_idempotent ? value : select(is_step, value, table.identity);
    }

private:
    RDom steps;
    Expr is_step = const_true();
    std::map<std::string, Expr> here;

    /// The dimension of which one entry more makes the table larger by least.
    static int longest_of(const ScatterFunc &table) {
        int longest = -1;
        for (int d = 0; d < (int)table.places.size(); d++) {
            if (table.places[d] && (longest < 0 || table.places[d]->count() > table.places[longest]->count())) {
                longest = d;
            }
        }
        return longest;
    }

    static bool has_lanes(const TableParts &parts, int variable) { return variable == parts.along && parts.lanes > 1; }
};

/// The args of a table's place in the table of a part.
std::vector<Expr> in_part(std::vector<Expr> args, const TableParts &parts, const Expr &lane, const Expr &part) {
    if (parts.lanes > 1) {
        args.push_back(lane);
    }
    args.push_back(part);
    return args;
}

Func table_of_parts(const ScatterFunc &table, const TableParts &parts) {
    const Var part("fusion_part"), lane("fusion_lane");
    const PartOfSteps step(table, parts, part, lane);
    Func counted(plain_name(table.function.name()) + "_parts");
    counted(in_part(args_of(table.function), parts, lane, part)) = cast(table.of_part, table.start);
    const std::vector<Expr> place = in_part(step.place(table), parts, lane, part);
    counted(place) = table.op(counted(place), cast(table.of_part, step.term(table)));
    return counted;
}

/// What the parts come to. `asked`: all places that anybody reads, or updates.
Func together(const ScatterFunc &table, const TableParts &parts, const Func &counted,
              const std::vector<Interval> &asked) {
    const std::vector<Expr> here = args_of(table.function);
    // Of places that no step can write there are no parts.
    Expr is_place = const_true();
    std::vector<Expr> at = here;
    for (size_t d = 0; d < at.size(); d++) {
        const auto &places = table.places[d];
        const auto first = asked[d].has_lower_bound() ? as_const_int(asked[d].min) : std::nullopt;
        const auto last = asked[d].has_upper_bound() ? as_const_int(asked[d].max) : std::nullopt;
        const bool is_within = places && first && last && *first >= places->first && *last <= places->last;
        if (places && !is_within) {
            const Expr low = (int)places->first, high = (int)places->last;
            is_place = is_place && at[d] >= low && at[d] <= high;
            at[d] = clamp(at[d], low, high);
        }
    }
    const RDom all = parts.lanes > 1 ? RDom(0, parts.lanes, 0, parts.parts) : RDom(0, parts.parts);
    const Expr found =
        cast(table.init.type(), counted(in_part(at, parts, all.x, parts.lanes > 1 ? Expr(all.y) : Expr(all.x))));
    Func whole(plain_name(table.function.name()) + "_whole");
    whole(here) = table.init;
    whole(here) = table.op(whole(here), is_const_one(is_place) ? found : select(is_place, found, table.start));
    return whole;
}

}  // namespace

std::vector<std::string> use_tables_in_parts(const std::vector<Function> &outputs, const Device &device) {
    std::vector<std::string> replaced;
    std::set<std::string> parts_made;  // such tables themselves, and cut
    const auto replace_one = [&] {
        for (const ScatterFunc &table : scatter_funcs(outputs)) {
            const std::string &name = table.function.name();
            const auto parts = parts_made.count(name) ? std::nullopt : table_parts(table, device, outputs);
            if (parts) {
                const Func counted = table_of_parts(table, *parts);
                parts_made.insert(counted.name());
                replace_calls(outputs, name, together(table, *parts, counted, constant_regions(outputs).at(name)));
                replaced.push_back(name);
                return true;
            }
        }
        return false;
    };
    while (replace_one()) {  // what one puts in can be read by the next
    }
    return replaced;
}

}  // namespace fusion

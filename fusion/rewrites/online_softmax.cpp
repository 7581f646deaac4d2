#include "fusion/rewrites/online_softmax.h"

#include <limits>
#include <optional>

#include "fusion/halide/read_pipeline.h"
#include "fusion/rewrites/reduction_func.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

/// Threads that a pass over memory needs: slices of all rows together, where rows are few (H200: 270,336 are resident).
constexpr double kThreads = 1 << 19;

/// Slices of a row at least, so that neighbouring threads read long runs, and elements of a slice at least.
constexpr int kLeastSlices = 256, kLeastElements = 16;

/// What the sum adds, where that is an exponential of a difference.
const Sub *exponent_of(const ReductionFunc &sum, const std::vector<Function> &outputs, Expr &plain) {
    const auto term = summed_term(sum);
    plain = term ? with_calls_inlined(*term, outputs).value_or(Expr()) : Expr();
    const Call *exponential = plain.as<Call>();
    const bool is_exp = exponential && exponential->is_pure() && exponential->name == "exp_f32";
    return is_exp ? exponential->args[0].as<Sub>() : nullptr;
}

/// The difference is one to the maximum of the same row.
bool subtracts(const Sub &difference, const ReductionFunc &sum, const std::string &maximum) {
    const Call *subtracted = difference.b.as<Call>();
    if (!subtracted || subtracted->name != maximum || mentions(difference.a, maximum)) {
        return false;
    }
    for (size_t d = 0; d < subtracted->args.size(); d++) {
        const Variable *variable = subtracted->args[d].as<Variable>();
        if (!variable || variable->name != sum.function.args()[d]) {
            return false;
        }
    }
    return true;
}

/// A power of two; 0 where the rows are too short.
int slices_of(const ReductionFunc &sum, const std::vector<Function> &outputs) {
    const PipelineView view = read_pipeline(outputs);
    for (Vertex v = 0; v < num_vertices(view.graph); v++) {
        const Stage &stage = view.graph[v];
        const PipelineView::Source &source = view.sources[stage.func_id];
        if (stage.update == 1 && source.function.same_as(sum.function)) {
            const double rows = stage.elements(), length = (double)stage.reduction[0].extent;
            int slices = kLeastSlices;
            while (slices * rows < kThreads && 2.0 * slices * kLeastElements <= length) {
                slices *= 2;
            }
            return slices * kLeastElements <= length ? slices : 0;
        }
    }
    return 0;
}

void sum_online(const std::vector<Function> &outputs, const ReductionFunc &maximum, const ReductionFunc &sum,
                const Expr &sample, int slices) {
    const std::vector<Var> args = args_of(sum);
    const std::vector<Expr> here(args.begin(), args.end());
    const Var slice("slice");
    std::vector<Var> sliced_args = {slice};
    sliced_args.insert(sliced_args.end(), args.begin(), args.end());
    const std::string &name = sum.function.name();
    Func online(name + "_online"), highest(name + "_max"), corrected(name + "_corrected");

    const ReductionVariable &over = sum.over[0];
    const RDom r(0, (over.extent + slices - 1) / slices);
    const Expr place = r * slices + slice;
    const Expr at = over.min + min(place, over.extent - 1);
    const Expr lowest = -std::numeric_limits<float>::infinity();
    const Expr x = select(place < over.extent, substitute(over.var, at, sample), lowest);
    std::vector<Expr> in_slice(sliced_args.begin(), sliced_args.end());
    online(sliced_args) = Tuple(lowest, 0.0f);
    const Expr m = online(in_slice)[0], s = online(in_slice)[1];
    // Of the old maximum and the element one is the new maximum; equal infinities differ by nothing.
    const Expr factor = exp(select(x == m, 0.0f, -abs(x - m)));
    online(sliced_args) = Tuple(select(x > m, x, m), select(x > m, s * factor + 1.0f, s + factor));

    const RDom t(0, slices), u(0, slices);
    const auto part = [&](const RDom &of, int element) {
        std::vector<Expr> indices = {of.x};
        indices.insert(indices.end(), here.begin(), here.end());
        return Expr(online(indices)[element]);
    };
    highest(args) = maximum.init[0];
    highest(args) = max(highest(here), part(t, 0));
    corrected(args) = sum.init[0];
    corrected(args) += part(u, 1) * exp(part(u, 0) - highest(here));
    replace_calls(outputs, name, corrected);
    replace_calls(outputs, maximum.function.name(), highest);
}

std::optional<std::string> replace_one(const std::vector<Function> &outputs) {
    const std::vector<ReductionFunc> reductions = reduction_funcs(outputs);
    for (const ReductionFunc &sum : reductions) {
        Expr term;
        const Sub *difference =
            sum.over.size() == 1 && sum.update[0].type() == Float(32) ? exponent_of(sum, outputs, term) : nullptr;
        for (const ReductionFunc &maximum : reductions) {
            if (!difference || !subtracts(*difference, sum, maximum.function.name())) {
                continue;
            }
            const auto renamed = same_loops(sum, maximum);
            const auto largest = largest_term(maximum);
            const auto compared = renamed && largest ? with_calls_inlined(*largest, outputs) : std::nullopt;
            if (!compared || !equal(substitute(*renamed, *compared), difference->a)) {
                continue;
            }
            if (const int slices = slices_of(sum, outputs); slices > 0) {
                sum_online(outputs, maximum, sum, difference->a, slices);
                return sum.function.name();
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<std::string> use_online_softmax(const std::vector<Function> &outputs) {
    return replace_all(outputs, replace_one);
}

}  // namespace fusion

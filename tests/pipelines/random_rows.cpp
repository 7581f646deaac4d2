#include "tests/pipelines/random_rows.h"

#include <algorithm>

#include "tests/pipelines/draw.h"
#include "tests/pipelines/row_sources.h"

namespace fusion {
namespace {

using namespace Halide;

class Drawing : RowSources {
public:
    using RowSources::RowSources;

    Built build(RandomRows &result) {
        draw_inputs();
        draw_planes(draw.below(3));
        const int reductions = 1 + draw.below(3);
        for (int i = 0; i < reductions; i++) {
            const bool is_another = i > 0 && draw.percent(20);
            const Dims over = draw.percent(6) ? all : rank == 3 && draw.percent(25) ? Dims{along, 2} : Dims{along};
            draw_reduction(is_another ? Dims{1 - along} : over);
            if (draw.percent(50)) {
                draw_stage(sources.back().dims);  // of the rows: a mean, a scale
            }
            draw_planes(draw.below(3));
        }
        draw_planes(draw.percent(80) ? 1 : 0);
        if (draw.percent(25)) {
            draw_softmax();
        }
        return finished(result);
    }

private:
    bool has_early_output = false;
    std::vector<size_t> outputs;  ///< of sources

    void draw_stage(const Dims &dims) {
        Func stage(name("s"));
        std::vector<Expr> reads;
        if (dims.size() == all.size()) {
            reads = draw_reads(dims, at(dims));
        } else {
            reads = {read(sources.back(), at(dims))};
        }
        // Comparisons are often constant after simplification, and what they read is then not computed at all.
        Type type = draw_type(draw);
        while (type.is_bool()) {
            type = draw_type(draw);
        }
        stage(vars_of(dims)) = value_of(draw, reads, type);
        sources.push_back({stage, dims});
        draw_output();
    }

    void draw_planes(int count) {
        for (int i = 0; i < count; i++) {
            draw_stage(all);
        }
    }

    void draw_output() {
        if (outputs.empty() && draw.percent(10)) {
            outputs.push_back(sources.size() - 1);
            sources.back().is_read = true;
            has_early_output = true;
        }
    }

    Expr fold(const std::string &kind, const Expr &old, const Expr &value) const {
        return kind == "sum" ? old + value : kind == "max" ? max(old, value) : min(old, value);
    }

    /// Where a fold of this type starts.
    Expr start(const std::string &kind, const Type &type) {
        return kind == "sum" ? cast(type, draw.below(2)) : kind == "max" ? type.min() : type.max();
    }

    /// A fold over the dimensions `over`, or two of them in a Tuple.
    void draw_reduction(const Dims &over) {
        const RDom r = domain(over);
        Dims kept;
        std::vector<Expr> point = at(all);
        int terms = 1;
        for (const int d : all) {
            const auto found = std::find(over.begin(), over.end(), d);
            if (found == over.end()) {
                kept.push_back(d);
            } else {
                point[(size_t)d] = r[(int)(found - over.begin())];
                terms *= estimate.extent[d];
            }
        }
        const std::vector<std::string> kinds = {"sum", "sum", "max", "min"};
        const int elements = draw.percent(10) ? 2 : 1;
        std::vector<Expr> starts, values;
        std::vector<std::string> how;
        bool has_sum = false;
        for (int i = 0; i < elements; i++) {
            how.push_back(draw.one_of(kinds));
            has_sum |= how.back() == "sum";
            Type type = draw.percent(70) ? Type(Float(32)) : draw.one_of<Type>({Int(32), Float(64)});
            type = over == all ? Type(Float(64)) : type;  // 32 bits do not hold a sum of millions exactly
            values.push_back(value_of(draw, draw_reads(all, point), type));
            starts.push_back(start(how.back(), type));
        }
        if (draw.percent(12)) {
            draw_predicate(r, point);
        }
        Func f(name("f"));
        const std::vector<Var> pure = vars_of(kept);
        f(pure) = Tuple(starts);
        std::vector<Expr> folded;
        for (int i = 0; i < elements; i++) {
            folded.push_back(fold(how[(size_t)i], elements > 1 ? Expr(f(pure)[i]) : Expr(f(pure)), values[(size_t)i]));
        }
        f(pure) = Tuple(folded);
        sources.push_back({f, kept, has_sum ? terms : 1});
        draw_output();
    }

    /// Of the index or of the data.
    void draw_predicate(RDom r, const std::vector<Expr> &point) {
        if (draw.percent(50)) {
            r.where(r[0] % 3 != 1);
        } else {
            sources[0].is_read = true;
            r.where(sources[0].func(point) != cast(sources[0].func.value().type(), 1));
        }
    }

    /// exp(v - max) / sum, or its logarithm, of the last plane.
    void draw_softmax() {
        RowSource &plane = *pick(all, true);
        const auto value = [&](const std::vector<Expr> &point) {
            return cast<float>(clamp(cast<float>(read(plane, point)), -8.0f, 8.0f));
        };
        const RDom r = domain({along});
        Dims kept = all;
        kept.erase(kept.begin() + along);
        std::vector<Expr> point = at(all);
        point[(size_t)along] = r[0];
        Func most(name("most")), e(name("e")), total(name("total")), output(name("soft"));
        most(vars_of(kept)) = Float(32).min();
        most(vars_of(kept)) = max(most(vars_of(kept)), value(point));
        e(vars_of(all)) = exp(value(at(all)) - most(vars_of(kept)));
        // The reference adds one by one, which loses too many digits of long rows.
        const Type sum = estimate.extent[along] > 1024 ? Float(64) : Float(32);
        total(vars_of(kept)) = cast(sum, 0);
        total(vars_of(kept)) += cast(sum, e(point));
        output(vars_of(all)) = draw.percent(50) ? e(vars_of(all)) / cast<float>(total(vars_of(kept)))
                                                : value(at(all)) - log(cast<float>(total(vars_of(kept)))) * 0.5f;
        sources.push_back({output, all});
    }

    Built finished(RandomRows &result) {
        // At most two outputs: what else nobody reads is left out.
        for (size_t i = sources.size(); i-- > parameters.size();) {
            if (!sources[i].is_read && outputs.size() < 2) {
                outputs.push_back(i);
            }
        }
        Built built;
        std::vector<Func> funcs;
        result.outputs.clear();
        for (const size_t i : outputs) {
            Halide::Region bounds;
            for (const int d : sources[i].dims) {
                bounds.emplace_back(estimate.min[d], estimate.extent[d]);
            }
            sources[i].func.set_estimates(bounds);
            if (sources[i].dims.size() > 1 && draw.percent(10)) {  // stored the other way round
                OutputImageParam buffer = sources[i].func.output_buffer();
                buffer.dim(0).set_stride(Expr());
                buffer.dim(1).set_stride(1);
            }
            funcs.push_back(sources[i].func);
            result.outputs.push_back(sources[i].dims);
        }
        built.pipeline = Pipeline(funcs);
        const std::vector<Argument> arguments = built.pipeline.infer_arguments();
        for (const Parameter &p : parameters) {
            const bool is_argument =
                std::any_of(arguments.begin(), arguments.end(), [&](const Argument &a) { return a.name == p.name(); });
            if (is_argument) {
                built.inputs.push_back(p);
            }
        }
        result.estimate = estimate;
        result.fixed = has_constant_rows ? Dims{along} : Dims();
        result.can_be_cropped = !has_early_output;
        return built;
    }
};

}  // namespace

std::vector<Region> RandomRows::regions_in(const Region &used) const {
    std::vector<Region> regions;
    for (const std::vector<int> &dims : outputs) {
        Region region;
        for (const int d : dims) {
            region.min.push_back(used.min[d]);
            region.extent.push_back(used.extent[d]);
        }
        regions.push_back(region);
    }
    return regions;
}

RandomRows random_rows(uint32_t seed) {
    RandomRows rows;
    Drawing(seed).build(rows);
    rows.builder = [seed] {
        RandomRows unused;
        return Drawing(seed).build(unused);
    };
    return rows;
}

}  // namespace fusion

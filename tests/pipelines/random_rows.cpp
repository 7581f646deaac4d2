#include "tests/pipelines/random_rows.h"

#include <algorithm>

#include "tests/pipelines/draw.h"

namespace fusion {
namespace {

using namespace Halide;

using Dims = std::vector<int>;

/// Something that a stage can read.
struct Source {
    Func func;
    Dims dims;      ///< of the image
    int terms = 1;  ///< about so many values were added up
    bool is_read = false;
};

class Drawing {
public:
    explicit Drawing(uint32_t seed) : draw(seed), rank(draw.percent(20) ? 3 : 2) {
        static const std::vector<int> lengths = {1, 3, 31, 64, 100, 257, 1000, 1024, 4096};
        static const std::vector<int> counts = {1, 2, 5, 33, 1000, 65536};
        // Mostly the rows lie along the contiguous dimension.
        along = draw.percent(80) ? 0 : 1;
        for (int d = 0; d < rank; d++) {
            estimate.min.push_back(draw.percent(85) ? 0 : draw.below(9) - 4);
            estimate.extent.push_back(d == 2 ? 1 + draw.below(4) : draw.one_of(d == along ? lengths : counts));
            all.push_back(d);
        }
        has_constant_rows = draw.percent(15);
    }

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
    Draw draw;
    int rank, along;
    bool has_constant_rows, has_early_output = false;
    Region estimate;
    Dims all;
    std::vector<Source> sources;
    std::vector<Parameter> parameters;
    std::vector<size_t> outputs;  ///< of sources
    Var vars[3] = {Var("x"), Var("y"), Var("z")};
    int named = 0;

    std::string name(const char *kind) { return kind + std::to_string(named++); }

    std::vector<Expr> at(const Dims &dims) const {
        std::vector<Expr> point;
        for (const int d : dims) {
            point.emplace_back(vars[d]);
        }
        return point;
    }
    std::vector<Var> vars_of(const Dims &dims) const {
        std::vector<Var> of;
        for (const int d : dims) {
            of.push_back(vars[d]);
        }
        return of;
    }

    void draw_inputs() {
        const int inputs = 1 + draw.below(3);
        for (int i = 0; i < inputs; i++) {
            const bool is_plane = i == 0 || draw.percent(60);
            const Dims dims = is_plane ? all : Dims{draw.below(rank)};
            ImageParam input(draw_type(draw), (int)dims.size(), i == 0 ? kWholeInput : name("in"));
            parameters.push_back(input.parameter());
            sources.push_back({input, dims});
        }
        for (int d = 0; d < rank; d++) {
            parameters[0].set_min_constraint_estimate(d, estimate.min[d]);
            parameters[0].set_extent_constraint_estimate(d, estimate.extent[d]);
        }
    }

    /// A value within the bounds of draw.h, exactly: a sum is divided by a power of two near its length.
    Expr read(Source &source, const std::vector<Expr> &point, int element = 0) {
        source.is_read = true;
        const bool is_tuple = source.func.values().size() > 1;
        const Expr value = is_tuple ? source.func(point)[element] : Expr(source.func(point));
        int scale = 1;
        while (scale < source.terms) {
            scale *= 2;
        }
        const Type type = value.type();
        if (scale == 1) {
            return value;
        }
        if (!type.is_float()) {
            return value / cast(type, scale);
        }
        const Expr mean = value * cast(type, Expr(1.0 / scale));
        return clamp(floor(mean * cast(type, 64)) / cast(type, 64), cast(type, -8), cast(type, 8));
    }

    /// A source that lies in `dims`; half of the time one of the latest.
    Source *pick(const Dims &dims, bool wants_all = false) {
        for (int tries = 0; tries < 12; tries++) {
            const int count = (int)sources.size();
            const int i = draw.percent(50) ? count - 1 - draw.below(std::min(3, count)) : draw.below(count);
            Source &source = sources[(size_t)i];
            const bool lies = std::includes(dims.begin(), dims.end(), source.dims.begin(), source.dims.end());
            if (lies && (!wants_all || source.dims == dims)) {
                return &source;
            }
        }
        return wants_all ? &sources[0] : nullptr;
    }

    std::vector<Expr> draw_reads(const Dims &dims, const std::vector<Expr> &point) {
        std::vector<Expr> reads;
        const int wanted = 1 + draw.below(3);
        for (int i = 0; i < wanted; i++) {
            if (Source *source = pick(dims, i == 0)) {
                std::vector<Expr> there;
                for (const int d : source->dims) {
                    there.push_back(point[(size_t)(std::find(dims.begin(), dims.end(), d) - dims.begin())]);
                }
                reads.push_back(read(*source, there, draw.below(2)));
            }
        }
        return reads;
    }

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

    RDom domain(const Dims &over) {
        std::vector<std::pair<Expr, Expr>> ranges;
        for (const int d : over) {
            const Parameter &p = parameters[0];
            const auto field = [&](const char *what) {
                return Internal::Variable::make(Int(32), p.name() + "." + what + "." + std::to_string(d), p);
            };
            const bool is_constant = has_constant_rows && d == along;
            ranges.emplace_back(is_constant ? Expr(estimate.min[d]) : field("min"),
                                is_constant ? Expr(estimate.extent[d]) : field("extent"));
        }
        std::vector<Range> bounds;
        for (const auto &[min, extent] : ranges) {
            bounds.emplace_back(min, extent);
        }
        return RDom(Halide::Region(bounds.begin(), bounds.end()), name("r"));
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
        Source &plane = *pick(all, true);
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

#include "tests/pipelines/row_sources.h"

#include <algorithm>

namespace fusion {

using namespace Halide;

RowSources::RowSources(uint32_t seed) : draw(seed), rank(draw.percent(20) ? 3 : 2) {
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

std::vector<Expr> RowSources::at(const Dims &dims) const {
    std::vector<Expr> point;
    for (const int d : dims) {
        point.emplace_back(vars[d]);
    }
    return point;
}
std::vector<Var> RowSources::vars_of(const Dims &dims) const {
    std::vector<Var> of;
    for (const int d : dims) {
        of.push_back(vars[d]);
    }
    return of;
}

void RowSources::draw_inputs() {
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

Expr RowSources::read(RowSource &source, const std::vector<Expr> &point, int element) {
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

RowSource *RowSources::pick(const Dims &dims, bool wants_all) {
    for (int tries = 0; tries < 12; tries++) {
        const int count = (int)sources.size();
        const int i = draw.percent(50) ? count - 1 - draw.below(std::min(3, count)) : draw.below(count);
        RowSource &source = sources[(size_t)i];
        const bool lies = std::includes(dims.begin(), dims.end(), source.dims.begin(), source.dims.end());
        if (lies && (!wants_all || source.dims == dims)) {
            return &source;
        }
    }
    return wants_all ? &sources[0] : nullptr;
}

std::vector<Expr> RowSources::draw_reads(const Dims &dims, const std::vector<Expr> &point) {
    std::vector<Expr> reads;
    const int wanted = 1 + draw.below(3);
    for (int i = 0; i < wanted; i++) {
        if (RowSource *source = pick(dims, i == 0)) {
            std::vector<Expr> there;
            for (const int d : source->dims) {
                there.push_back(point[(size_t)(std::find(dims.begin(), dims.end(), d) - dims.begin())]);
            }
            reads.push_back(read(*source, there, draw.below(2)));
        }
    }
    return reads;
}

RDom RowSources::domain(const Dims &over) {
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

}  // namespace fusion

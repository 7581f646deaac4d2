#include "tests/pipelines/random_stencils.h"

#include "tests/pipelines/draw.h"

namespace fusion {
namespace {

using namespace Halide;

constexpr int kChannels = 3;

const Var x("x"), y("y"), c("c");

/// Not of two values: Halide can find that a function of those is constant, and launches less than was planned.
const std::vector<Type> kTypes = {Float(32), Float(32), Int(32), UInt(8), Int(16), UInt(16)};

struct Source {
    Func func;
    bool has_channels = false;
    bool is_read = false;
};

Func with_boundary(Draw &draw, const ImageParam &image, bool &has_boundary) {
    has_boundary = true;
    switch (draw.below(5)) {
    case 0:
        return BoundaryConditions::repeat_edge(
            image, {{image.dim(0).min(), image.dim(0).extent()}, {image.dim(1).min(), image.dim(1).extent()}});
    case 1:
        return BoundaryConditions::mirror_interior(
            image, {{image.dim(0).min(), image.dim(0).extent()}, {image.dim(1).min(), image.dim(1).extent()}});
    case 2:
        return BoundaryConditions::constant_exterior(
            image, cast(image.type(), 1),
            {{image.dim(0).min(), image.dim(0).extent()}, {image.dim(1).min(), image.dim(1).extent()}});
    default:
        has_boundary = false;
        return image;
    }
}

/// One coordinate of a read: an offset most of the time.
Expr place(Draw &draw, const Var &v, int offset) {
    const int p = draw.below(100);
    if (p < 6) {
        return clamp(v + offset, -5, 400);
    }
    return v + offset;
}

/// Reads of one source, at several offsets of the same kind.
std::vector<Expr> reads_of(Draw &draw, const Source &source, bool reader_has_channels) {
    const int kind = draw.below(100), reach = 1 + draw.below(3);
    const int wanted = kind < 25 ? 1 : 2 + draw.below(5);
    const bool across = draw.percent(70), down = draw.percent(70);
    std::vector<Expr> reads;
    for (int i = 0; i < wanted; i++) {
        const auto offset = [&](bool moves) { return kind < 25 || !moves ? 0 : draw.below(2 * reach + 1) - reach; };
        Expr at_x = place(draw, x, offset(across)), at_y = place(draw, y, offset(down));
        if (kind >= 92) {
            at_x = at_x * 2;
        } else if (kind >= 84) {
            at_y = at_y / 2;
        }
        std::vector<Expr> at = {at_x, at_y};
        if (source.has_channels) {
            at.push_back(reader_has_channels && draw.percent(70) ? Expr(c) : Expr(draw.below(kChannels)));
        }
        reads.push_back(source.func(at));
    }
    return reads;
}

Built build(uint32_t seed, RandomStencils &made) {
    Draw draw(seed);
    Built built;
    const bool has_channels = draw.percent(50);
    ImageParam image(draw.one_of(kTypes), has_channels ? 3 : 2, kImage);
    built.inputs.push_back(image.parameter());
    std::vector<Source> sources = {{with_boundary(draw, image, made.has_boundary), has_channels}};
    const std::vector<int> sizes = {7, 96, 640, 2560};
    const int width = draw.one_of(sizes), height = draw.one_of(sizes);
    const int stages = 2 + draw.below(6);
    for (int i = 0; i < stages; i++) {
        const bool own_channels = draw.percent(25);
        std::vector<Expr> reads;
        for (int from = 1 + draw.below(2); from > 0; from--) {
            const int count = (int)sources.size();
            Source &source = sources[(size_t)(draw.percent(70) ? count - 1 : draw.below(count))];
            const std::vector<Expr> more = reads_of(draw, source, own_channels);
            reads.insert(reads.end(), more.begin(), more.end());
            source.is_read = true;
        }
        Func stage("stage" + std::to_string(i));
        const std::vector<Var> args = own_channels ? std::vector<Var>{x, y, c} : std::vector<Var>{x, y};
        stage(args) = value_of(draw, reads, draw.one_of(kTypes));
        sources.push_back({stage, own_channels});
    }
    std::vector<Func> outputs;
    made.channels.clear();
    for (size_t i = 1; i < sources.size(); i++) {
        if (sources[i].is_read) {
            continue;  // at offsets: the caller's buffer would have to be larger than the others
        }
        made.channels.push_back(sources[i].has_channels ? kChannels : 0);
        Halide::Region region = {{0, width}, {0, height}};
        if (sources[i].has_channels) {
            region.emplace_back(0, kChannels);
        }
        outputs.push_back(sources[i].func);
        outputs.back().set_estimates(region);
    }
    Halide::Region region = {{0, width}, {0, height}};
    if (has_channels) {
        region.emplace_back(0, kChannels);
    }
    image.set_estimates(region);
    built.pipeline = Pipeline(outputs);
    return built;
}

}  // namespace

std::vector<Region> RandomStencils::regions_in(const Region &plane) const {
    std::vector<Region> regions;
    for (const int extent : channels) {
        regions.push_back(plane);
        if (extent > 0) {
            regions.back().min.push_back(0);
            regions.back().extent.push_back(extent);
        }
    }
    return regions;
}

RandomStencils random_stencils(uint32_t seed) {
    RandomStencils made;
    build(seed, made);
    made.builder = [seed] {
        RandomStencils again;
        return build(seed, again);
    };
    return made;
}

}  // namespace fusion

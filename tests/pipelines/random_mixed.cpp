#include "tests/pipelines/random_mixed.h"

#include <algorithm>

#include "tests/pipelines/mix.h"

namespace fusion {
using namespace Halide;

Mix::Mix(Draw &draw, const ImageParam &image) : draw(draw) {
    sources.push_back({BoundaryConditions::repeat_edge(
        image, {{image.dim(0).min(), image.dim(0).extent()}, {image.dim(1).min(), image.dim(1).extent()}})});
}

const std::vector<Type> &Mix::types() {
    static const std::vector<Type> types = {Float(32), Float(32), Int(32), UInt(8), Int(16), UInt(16), UInt(32)};
    return types;
}

void Mix::add_stage(int kinds) {
    using Make = Source (Mix::*)();
    static constexpr Make kMakes[] = {
        &Mix::pointwise,      &Mix::pointwise,        &Mix::pointwise, &Mix::stencil,          &Mix::stencil,
        &Mix::strided,        &Mix::gather,           &Mix::lookup,    &Mix::histogram,        &Mix::histogram,
        &Mix::row_histograms, &Mix::local_histograms, &Mix::scan,      &Mix::recursive_filter, &Mix::running_table,
        &Mix::updates,        &Mix::window,           &Mix::row_value, &Mix::best_of_window,   &Mix::permuted,
        &Mix::transposed,     &Mix::last_write_wins,  &Mix::window,    &Mix::lookup,           &Mix::part,
        &Mix::rows_in_turn,   &Mix::image_histogram,
    };
    static_assert(std::size(kMakes) == kMixedKinds);
    const size_t make = (size_t)draw.below(kinds);
    sources.push_back((this->*kMakes[make])());
}

namespace {

Built build(uint32_t seed, int kinds, RandomMixed &made) {
    Draw draw(seed);
    Built built;
    ImageParam image(draw.one_of(Mix::types()), 2, kMixedImage);
    built.inputs.push_back(image.parameter());
    const std::vector<int> sizes = {7, 96, 640, 2560};
    const int width = draw.one_of(sizes), height = draw.one_of(sizes);
    Mix mix(draw, image);
    const int stages = draw.percent(70) ? 3 + draw.below(6) : 3 + draw.below(28);
    for (int s = 0; s < stages; s++) {
        mix.add_stage(kinds);
    }
    made.ranks.clear();
    made.fixed.clear();
    std::vector<Func> outputs;
    for (size_t s = 1; s < mix.sources.size(); s++) {
        const Source &source = mix.sources[s];
        if (source.is_read && s + 1 != mix.sources.size()) {
            continue;
        }
        outputs.push_back(source.func);
        made.ranks.push_back(source.rank);
        made.fixed.push_back({source.width, source.height});
        Halide::Region region;
        for (int d = 0; d < source.rank; d++) {
            const int fixed = made.fixed.back()[(size_t)d];
            region.emplace_back(0, fixed > 0 ? fixed : d == 0 ? width : height);
        }
        outputs.back().set_estimates(region);
    }
    image.set_estimates({{0, width}, {0, height}});
    built.pipeline = Pipeline(outputs);
    return built;
}

}  // namespace

std::vector<Region> RandomMixed::regions_in(const Region &plane) const {
    std::vector<Region> regions;
    for (size_t output = 0; output < ranks.size(); output++) {
        Region region;
        for (int d = 0; d < ranks[output]; d++) {
            const int most = fixed[output][(size_t)d];
            // Updates write all that they write, whatever is asked for: the output must hold it.
            region.min.push_back(most > 0 ? 0 : plane.min[(size_t)d]);
            region.extent.push_back(most > 0 ? most : plane.extent[(size_t)d]);
        }
        regions.push_back(region);
    }
    return regions;
}

RandomMixed random_mixed(uint32_t seed, int kinds) {
    RandomMixed made;
    build(seed, kinds, made);
    made.builder = [seed, kinds] {
        RandomMixed again;
        return build(seed, kinds, again);
    };
    return made;
}

}  // namespace fusion

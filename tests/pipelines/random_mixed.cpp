#include "tests/pipelines/random_mixed.h"

#include "tests/pipelines/draw.h"

namespace fusion {
namespace {

using namespace Halide;

const Var x("x"), y("y"), i("i"), z("z");

const std::vector<Type> kTypes = {Float(32), Float(32), Int(32), UInt(8), Int(16), UInt(16), UInt(32)};

/// A Func of (x, y), or of (i).
struct Source {
    Func func;
    int rank = 2;
    int width = 0, height = 0;  ///< what it may be read at, from 0 on; 0: anywhere
    bool is_read = false;
};

/// Builds one pipeline.
class Mix {
public:
    Mix(Draw &draw, const ImageParam &image) : draw(draw) {
        sources.push_back({BoundaryConditions::repeat_edge(
            image, {{image.dim(0).min(), image.dim(0).extent()}, {image.dim(1).min(), image.dim(1).extent()}})});
    }

    std::vector<Source> sources;

    void add_stage() {
        using Make = Source (Mix::*)();
        static constexpr Make kMakes[] = {
            &Mix::pointwise,      &Mix::pointwise,        &Mix::pointwise, &Mix::stencil,          &Mix::stencil,
            &Mix::strided,        &Mix::gather,           &Mix::lookup,    &Mix::histogram,        &Mix::histogram,
            &Mix::row_histograms, &Mix::local_histograms, &Mix::scan,      &Mix::recursive_filter, &Mix::running_table,
            &Mix::updates,        &Mix::window,           &Mix::row_value, &Mix::best_of_window,   &Mix::permuted,
            &Mix::transposed,     &Mix::last_write_wins,  &Mix::window,    &Mix::lookup,
        };
        const size_t make = (size_t)draw.below((int)std::size(kMakes));
        sources.push_back((this->*kMakes[make])());
    }

private:
    Draw &draw;

    Func named(const char *what) { return Func(what + std::to_string(sources.size())); }

    /// A recent plane most of the time.
    Source &any(int rank = 2) {
        std::vector<size_t> of_rank;
        for (size_t s = 0; s < sources.size(); s++) {
            if (sources[s].rank == rank) {
                of_rank.push_back(s);
            }
        }
        const size_t back = draw.percent(70) ? 0 : (size_t)draw.below((int)of_rank.size());
        Source &source = sources[of_rank[of_rank.size() - 1 - back]];
        source.is_read = true;
        return source;
    }

    static Expr within(const Expr &at, int extent) { return extent > 0 ? clamp(at, 0, extent - 1) : at; }

    static Expr read(const Source &source, const Expr &at_x, const Expr &at_y) {
        return source.func(within(at_x, source.width), within(at_y, source.height));
    }

    Expr here(const Expr &at_x = x, const Expr &at_y = y) { return read(any(), at_x, at_y); }

    static Expr whole_number(const Expr &e) { return e.type().is_float() ? cast<int>(e * 64) : cast<int>(e); }

    /// 0 to count - 1, from data.
    static Expr bin(const Expr &e, int count) { return clamp(whole_number(e) % (count + 3), 0, count - 1); }

    Expr value(const std::vector<Expr> &reads) { return value_of(draw, reads, draw.one_of(kTypes)); }

    int some(const std::vector<int> &numbers) { return draw.one_of(numbers); }

    Source pointwise() {
        Func f = named("point");
        std::vector<Expr> reads = {here()};
        for (int more = draw.below(3); more > 0; more--) {
            reads.push_back(here());
        }
        f(x, y) = value(reads);
        return {f};
    }

    Source stencil() {
        Func f = named("stencil");
        const Source from = any();
        const int reach = 1 + draw.below(3);
        const bool across = draw.percent(60), down = !across || draw.percent(50);
        std::vector<Expr> reads;
        for (int taps = 2 + draw.below(4); taps > 0; taps--) {
            const int dx = across ? draw.below(2 * reach + 1) - reach : 0,
                      dy = down ? draw.below(2 * reach + 1) - reach : 0;
            reads.push_back(read(from, x + dx, y + dy));
        }
        f(x, y) = value(reads);
        return {f};
    }

    Source strided() {
        Func f = named("strided");
        const Source from = any();
        switch (draw.below(4)) {
        case 0:
            f(x, y) = value({read(from, 2 * x, 2 * y), read(from, 2 * x + 1, 2 * y + 1)});
            break;
        case 1:
            f(x, y) = value({read(from, x / 2, y / 2)});
            break;
        case 2:
            f(x, y) = value({read(from, x, 3 * y - 1), here()});
            break;
        default:
            f(x, y) = value({read(from, x / 2, y), read(from, (x + 1) / 2, y)});
        }
        return {f};
    }

    Source gather() {
        Func f = named("gather");
        const Source from = any();
        const Expr dx = bin(here(), 7) - 3, dy = bin(here(), 5) - 2;
        f(x, y) = value({read(from, x + dx, y + dy)});
        return {f};
    }

    Source table() {
        Func f = named("table");
        const int entries = some({5, 16, 64, 256});
        f(i) = value({i * some({1, 3, 17}), i % 7});
        return {f, 1, entries};
    }

    /// Reads a table at a place that data say.
    Source lookup() {
        const bool has_tables =
            std::any_of(sources.begin(), sources.end(), [](const Source &s) { return s.rank == 1; });
        if (!has_tables) {
            return table();
        }
        Func f = named("lookup");
        const Source from = any(1);
        f(x, y) = value({from.func(bin(here(), from.width)), here()});
        return {f};
    }

    Source histogram() {
        Func f = named("histogram");
        const int entries = some({4, 32, 256, 1024});
        const RDom r(0, some({3, 40, 130}), 0, some({2, 33}), "r");
        const Expr at = bin(here(r.x, r.y), entries);
        const int kind = draw.below(6);
        if (kind == 0) {
            f(i) = cast<uint16_t>(0);
            f(at) += cast<uint16_t>(1);
        } else if (kind == 1) {
            f(i) = 0.0f;
            f(at) += cast<float>(whole_number(here(r.x, r.y)) % 8);
        } else if (kind == 2) {
            f(i) = -1000;
            f(at) = max(f(at), whole_number(here(r.x, r.y)));
        } else if (kind == 3) {
            f(i) = cast<uint32_t>(i % 3);
            RDom odd(0, some({40, 130}), 0, some({2, 33}), "odd");
            odd.where((odd.x + odd.y) % 2 == 1);
            f(bin(here(odd.x, odd.y), entries)) += cast<uint32_t>(2);
        } else {
            f(i) = 0;
            f(at) += 1;
        }
        return {f, 1, entries};
    }

    Source row_histograms() {
        Func h = named("rows"), f = named("of_rows");
        const int entries = some({4, 64, 300});
        const RDom r(0, some({3, 64, 200}), "r");
        h(i, y) = 0;
        h(bin(here(r, y), entries), y) += 1 + draw.below(2) * whole_number(here(r, y)) % 4;
        f(x, y) = value({h(bin(here(), entries), y), here()});
        return {f};
    }

    /// A few values a tile of the image, read back from the tiles around.
    Source local_histograms() {
        Func h = named("tiles"), f = named("of_tiles");
        const int edge = some({2, 4}), entries = some({3, 9});
        const RDom r(0, edge, 0, edge, "r");
        const Expr at = bin(here(x * edge + r.x, y * edge + r.y), entries);
        if (draw.percent(50)) {
            h(x, y, z) = 0;
            h(x, y, at) += 1;
        } else {
            h(x, y, z) = 0.0f;
            h(x, y, at) += cast<float>(whole_number(here(x * edge + r.x, y * edge + r.y)) % 16);
        }
        const Expr near = bin(here(), entries);
        f(x, y) = value({h(x / edge, y / edge, near), h(x / edge + 1, y / edge, near), h(x / edge, y / edge - 1, 0)});
        return {f};
    }

    /// Sums along a row or down a column, kept small by a remainder.
    Source scan() {
        Func f = named("scan");
        const int length = some({2, 33, 100});
        const RDom r(1, length - 1, "r");
        f(x, y) = whole_number(here()) % 16;
        if (draw.percent(50)) {
            f(r, y) += f(r - 1, y);
            return {f, 2, length, 0};
        }
        f(x, r) += f(x, r - 1);
        return {f, 2, 0, length};
    }

    /// Down and up again.
    Source recursive_filter() {
        Func f = named("filter");
        const int length = some({3, 50});
        const RDom r(1, length - 1, "r");
        f(x, y) = undef<int>();
        f(x, 0) = whole_number(here(x, 0)) % 64;
        f(x, r) = (f(x, r - 1) * 3 + whole_number(here(x, r))) % 61;
        if (draw.percent(60)) {
            f(x, length - 1 - r) = (f(x, length - r) + f(x, length - 1 - r)) % 59;
        }
        return {f, 2, 0, length};
    }

    Source running_table() {
        const bool has_tables =
            std::any_of(sources.begin(), sources.end(), [](const Source &s) { return s.rank == 1; });
        if (!has_tables) {
            return table();
        }
        Func f = named("running");
        const Source from = any(1);
        const RDom r(1, from.width - 1, "r");
        f(i) = whole_number(from.func(0)) % 100;
        f(r) = (f(r - 1) + whole_number(from.func(r))) % 1000;
        return {f, 1, from.width};
    }

    Source updates() {
        Func f = named("updates");
        f(x, y) = whole_number(here()) % 100;
        f(x, y) += whole_number(here()) % 10;
        if (draw.percent(50)) {
            f(x, 3) = 7;
        }
        if (draw.percent(50)) {
            f(x, y) = f(x, y) * 2 - whole_number(here()) % 5;
        }
        return {f};
    }

    Source window() {
        Func f = named("window");
        const RDom r(-1, 1 + some({1, 2, 4}), 0, some({1, 3}), "r");
        const Expr read = whole_number(here(x + r.x, y + r.y));
        switch (draw.below(3)) {
        case 0:
            f(x, y) = 0;
            f(x, y) += read;
            break;
        case 1:
            f(x, y) = -1000000;
            f(x, y) = max(f(x, y), read);
            break;
        default:
            f(x, y) = 0.0f;
            f(x, y) += cast<float>(read % 128);
        }
        return {f};
    }

    Source row_value() {
        Func h = named("row"), f = named("of_row");
        const RDom r(0, some({1, 31, 300}), "r");
        h(y) = 0;
        h(y) += whole_number(here(r, y)) % 256;
        f(x, y) = value({h(y), here()});
        return {f};
    }

    Source best_of_window() {
        Func h = named("best"), f = named("of_best");
        const RDom r(0, some({2, 5}), "r");
        h(x, y) = Tuple(-1000000, 0);
        const Expr candidate = whole_number(here(x + r, y));
        h(x, y) = Tuple(max(h(x, y)[0], candidate), select(candidate > h(x, y)[0], r, h(x, y)[1]));
        f(x, y) = value({h(x, y)[0], h(x, y)[1]});
        return {f};
    }

    /// Reads elements that it has written and that it has yet to write.
    Source permuted() {
        Func f = named("permuted");
        const int length = some({8, 30});
        const RDom r(0, length, "r");
        f(x, y) = whole_number(here()) % 50;
        f(x, r) = (f(x, length - 1 - r) + r) % 47;
        return {f, 2, 0, length};
    }

    Source transposed() {
        Func f = named("transposed");
        f(x, y) = value({here(y, x)});
        return {f};
    }

    Source last_write_wins() {
        Func f = named("last");
        const int entries = some({6, 40});
        const RDom r(0, some({10, 90}), "r");
        f(i) = -1;
        f(bin(here(r, 2), entries)) = whole_number(here(r, 1)) + r;
        return {f, 1, entries};
    }
};

Built build(uint32_t seed, RandomMixed &made) {
    Draw draw(seed);
    Built built;
    ImageParam image(draw.one_of(kTypes), 2, kMixedImage);
    built.inputs.push_back(image.parameter());
    const std::vector<int> sizes = {7, 96, 640, 2560};
    const int width = draw.one_of(sizes), height = draw.one_of(sizes);
    Mix mix(draw, image);
    const int stages = draw.percent(70) ? 3 + draw.below(6) : 3 + draw.below(28);
    for (int s = 0; s < stages; s++) {
        mix.add_stage();
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

RandomMixed random_mixed(uint32_t seed) {
    RandomMixed made;
    build(seed, made);
    made.builder = [seed] {
        RandomMixed again;
        return build(seed, again);
    };
    return made;
}

}  // namespace fusion

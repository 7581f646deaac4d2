#include "tests/pipelines/mix.h"

namespace fusion {

using namespace Halide;

Source Mix::pointwise() {
    Func f = named("point");
    std::vector<Expr> reads = {here()};
    for (int more = draw.below(3); more > 0; more--) {
        reads.push_back(here());
    }
    f(x, y) = value(reads);
    return {f};
}

Source Mix::stencil() {
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

Source Mix::strided() {
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

Source Mix::gather() {
    Func f = named("gather");
    const Source from = any();
    const Expr dx = bin(here(), 7) - 3, dy = bin(here(), 5) - 2;
    f(x, y) = value({read(from, x + dx, y + dy)});
    return {f};
}

Source Mix::table() {
    Func f = named("table");
    const int entries = some({5, 16, 64, 256});
    f(i) = value({i * some({1, 3, 17}), i % 7});
    return {f, 1, entries};
}

/// Reads a table at a place that data say.
Source Mix::lookup() {
    const bool has_tables = std::any_of(sources.begin(), sources.end(), [](const Source &s) { return s.rank == 1; });
    if (!has_tables) {
        return table();
    }
    Func f = named("lookup");
    const Source from = any(1);
    f(x, y) = value({from.func(bin(here(), from.width)), here()});
    return {f};
}

Source Mix::transposed() {
    Func f = named("transposed");
    f(x, y) = value({here(y, x)});
    return {f};
}

}  // namespace fusion

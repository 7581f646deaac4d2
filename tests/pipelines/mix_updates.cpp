#include "tests/pipelines/mix.h"

namespace fusion {

using namespace Halide;

Source Mix::histogram() {
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

/// Of steps enough that it is cut in parts.
Source Mix::image_histogram() {
    Func f = named("whole");
    const int entries = some({5, 16, 64, 200});
    RDom r(some({0, -3}), some({200, 333, 640}), 0, some({1, 99, 300}), "r");
    const bool has_condition = draw.percent(30);
    if (has_condition) {
        r.where((r.x + 2 * r.y) % 5 != 1);
    }
    const Expr read = whole_number(here(r.x, r.y)), at = bin(read, entries);
    const Expr positive = read % 1000;  // of unsigned(int(f)) Halide makes one conversion, which CUDA ends at 0
    switch (draw.below(6)) {
    case 0:
        f(i) = cast<uint16_t>(i);
        f(at) += cast<uint16_t>(positive);
        break;
    case 1:
        f(i) = 0.0f;
        f(at) += cast<float>(read % 4);
        break;
    case 2:
        f(i) = -1000;
        f(at) = max(f(at), read);
        break;
    case 3:
        f(i) = 1000.0f;
        f(at) = min(f(at), cast<float>(read));
        break;
    case 4:
        f(i) = cast<uint32_t>(i % 3);
        f(at) += cast<uint32_t>(positive);
        break;
    default:
        f(i) = 0;
        f(at) += 1;
    }
    return {f, 1, entries};
}

Source Mix::row_histograms() {
    Func h = named("rows"), f = named("of_rows");
    const int entries = some({4, 64, 300});
    const RDom r(0, some({3, 64, 200}), "r");
    h(i, y) = 0;
    h(bin(here(r, y), entries), y) += 1 + draw.below(2) * whole_number(here(r, y)) % 4;
    f(x, y) = value({h(bin(here(), entries), y), here()});
    return {f};
}

/// A few values a tile of the image, read back from the tiles around.
Source Mix::local_histograms() {
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
Source Mix::scan() {
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
Source Mix::recursive_filter() {
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

Source Mix::running_table() {
    const bool has_tables = std::any_of(sources.begin(), sources.end(), [](const Source &s) { return s.rank == 1; });
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

Source Mix::updates() {
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

Source Mix::window() {
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

Source Mix::row_value() {
    Func h = named("row"), f = named("of_row");
    const RDom r(0, some({1, 31, 300}), "r");
    h(y) = 0;
    h(y) += whole_number(here(r, y)) % 256;
    f(x, y) = value({h(y), here()});
    return {f};
}

Source Mix::best_of_window() {
    Func h = named("best"), f = named("of_best");
    const RDom r(0, some({2, 5}), "r");
    h(x, y) = Tuple(-1000000, 0);
    const Expr candidate = whole_number(here(x + r, y));
    h(x, y) = Tuple(max(h(x, y)[0], candidate), select(candidate > h(x, y)[0], r, h(x, y)[1]));
    f(x, y) = value({h(x, y)[0], h(x, y)[1]});
    return {f};
}

/// Reads elements that it has written and that it has yet to write.
Source Mix::permuted() {
    Func f = named("permuted");
    const int length = some({8, 30});
    const RDom r(0, length, "r");
    f(x, y) = whole_number(here()) % 50;
    f(x, r) = (f(x, length - 1 - r) + r) % 47;
    return {f, 2, 0, length};
}

Source Mix::last_write_wins() {
    Func f = named("last");
    const int entries = some({6, 40});
    const RDom r(0, some({10, 90}), "r");
    f(i) = -1;
    f(bin(here(r, 2), entries)) = whole_number(here(r, 1)) + r;
    return {f, 1, entries};
}

/// A part of a plane, all of whose points may change at once.
Source Mix::part() {
    Func f = named("part");
    const int width = some({5, 33, 100}), height = some({3, 40});
    RDom r(1, width - 2, 0, height, "r");
    if (draw.percent(40)) {
        r.where((r.x + r.y) % 3 != 0);
    }
    f(x, y) = whole_number(here()) % 100;
    f(r.x, r.y) = (f(r.x, r.y) * 3 + whole_number(here(r.x + 1, r.y))) % 997;
    return {f, 2, width, height};
}

/// Each row from the one before.
Source Mix::rows_in_turn() {
    Func f = named("turns");
    const int width = some({5, 33, 300}), height = some({3, 20});
    const RDom r(1, width - 2, 1, height - 1, "r");
    f(x, y) = whole_number(here()) % 100;
    const Expr above = f(r.x - 1, r.y - 1) + f(r.x + 1, r.y - 1);
    f(r.x, r.y) = (draw.percent(50) ? above + f(r.x, r.y) : above + whole_number(here(r.x, r.y))) % 991;
    return {f, 2, width, height};
}

}  // namespace fusion

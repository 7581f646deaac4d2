// Smoothing that stops at edges, by a grid of space and brightness: each tile of the image adds its pixels to the cells of
// their brightness, the grid is blurred along its three axes, and each pixel reads its place back between eight cells.
//
// After Chen, Paris and Durand, "Real-time edge-aware image processing with the bilateral grid", 2007. A scatter of few cells
// a tile, a chain of small stencils, and a gather.
#include "Halide.h"

namespace {

using namespace Halide;

class BilateralGrid : public Generator<BilateralGrid> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 2160};
    GeneratorParam<int> tile{"tile", 8};
    GeneratorParam<int> levels{"levels", 10};

    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
        Func sums{"sums"}, across{"across"}, down{"down"}, through{"through"};
        const Func padded = BoundaryConditions::repeat_edge(input);
        const RDom r(0, tile, 0, tile);

        // Channel 0: the sum of the pixels' values; channel 1: how many they are.
        const Expr value = clamp(padded(x * tile + r.x, y * tile + r.y), 0.0f, 1.0f);
        sums(x, y, z, c) = 0.0f;
        sums(x, y, cast<int>(value * static_cast<int>(levels) + 0.5f), c) += select(c == 0, value, 1.0f);

        const auto blurred = [](const Expr &a, const Expr &b, const Expr &e) { return a + 2 * b + e; };
        through(x, y, z, c) = blurred(sums(x, y, z - 1, c), sums(x, y, z, c), sums(x, y, z + 1, c));
        across(x, y, z, c) = blurred(through(x - 1, y, z, c), through(x, y, z, c), through(x + 1, y, z, c));
        down(x, y, z, c) = blurred(across(x, y - 1, z, c), across(x, y, z, c), across(x, y + 1, z, c));

        const Expr here = clamp(padded(x, y), 0.0f, 1.0f) * static_cast<int>(levels);
        const Expr zi = cast<int>(here), xi = x / tile, yi = y / tile;
        const Expr zf = here - zi, xf = cast<float>(x % tile) / static_cast<int>(tile),
                   yf = cast<float>(y % tile) / static_cast<int>(tile);
        const auto between = [&](const Expr &dz, int channel) {
            const auto row = [&](const Expr &dy) {
                return lerp(down(xi, dy, dz, channel), down(xi + 1, dy, dz, channel), xf);
            };
            return lerp(row(yi), row(yi + 1), yf);
        };
        const auto sliced = [&](int channel) { return lerp(between(zi, channel), between(zi + 1, channel), zf); };
        output(x, y) = sliced(0) / max(sliced(1), 1e-6f);

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(BilateralGrid, bilateral_grid)

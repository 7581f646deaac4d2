// Edges after Canny, "A computational approach to edge detection", 1986, but for the hysteresis: a Gaussian, Sobel gradients,
// only points at least as strong as both neighbours along the gradient, and two thresholds.
//
// A chain of stencils that ends in a gather: which two neighbours a point reads depends on its own gradient. All of it in whole
// numbers, so that no comparison hangs on a rounding.
#include "Halide.h"

namespace {

using namespace Halide;

class CannyLike : public Generator<CannyLike> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Input<int> low{"low"};  // thresholds of the gradient's length
    Input<int> high{"high"};
    Output<Buffer<uint8_t, 2>> output{"output"};  // 255: an edge, 128: one if it touches an edge

    void generate() {
        Var x{"x"}, y{"y"};
        Func across{"across"}, smooth{"smooth"}, dx{"dx"}, dy{"dy"}, strength{"strength"}, direction{"direction"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        const auto wide = [&](const Expr &column) { return cast<uint16_t>(padded(column, y)); };
        const auto gaussian = [](const Expr &a, const Expr &b, const Expr &c, const Expr &d, const Expr &e) {
            return a + e + 4 * (b + d) + 6 * c;
        };
        across(x, y) = gaussian(wide(x - 2), wide(x - 1), wide(x), wide(x + 1), wide(x + 2));
        smooth(x, y) = cast<int16_t>(
            gaussian(across(x, y - 2), across(x, y - 1), across(x, y), across(x, y + 1), across(x, y + 2)) >> 8);
        dx(x, y) = smooth(x + 1, y - 1) - smooth(x - 1, y - 1) + 2 * (smooth(x + 1, y) - smooth(x - 1, y)) +
                   smooth(x + 1, y + 1) - smooth(x - 1, y + 1);
        dy(x, y) = smooth(x - 1, y + 1) - smooth(x - 1, y - 1) + 2 * (smooth(x, y + 1) - smooth(x, y - 1)) +
                   smooth(x + 1, y + 1) - smooth(x + 1, y - 1);
        const Expr gx = cast<int>(dx(x, y)), gy = cast<int>(dy(x, y));
        strength(x, y) = gx * gx + gy * gy;

        // 70 / 169 is the tangent of 22.5 degrees, to five digits. 0: along x, 1: along y, 2 and 3: the diagonals.
        const Expr flat = 169 * abs(gy) < 70 * abs(gx), steep = 169 * abs(gx) < 70 * abs(gy);
        direction(x, y) = cast<uint8_t>(select(flat, 0, steep, 1, (gx < 0) == (gy < 0), 2, 3));

        const Expr way = direction(x, y), here = strength(x, y);
        const Expr step_x = select(way == 1, 0, 1), step_y = select(way == 0, 0, way == 3, -1, 1);
        const Expr ridge = here >= strength(x + step_x, y + step_y) && here > strength(x - step_x, y - step_y);
        output(x, y) = cast<uint8_t>(select(!ridge || here < low * low, 0, here < high * high, 128, 255));

        low.set_estimate(30);
        high.set_estimate(90);
        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CannyLike, canny_like)

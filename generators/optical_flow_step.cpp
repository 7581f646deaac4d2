// One step of optical flow after Lucas and Kanade, "An iterative image registration technique", 1981: the second frame is
// warped by the flow so far, and windows of gradients give each pixel a system of two equations for what is left to move.
//
// A gather at places that an input decides beside stencils, five windowed sums of products, and an output of two values.
// Stored, the sums alone are ten images.
#include "Halide.h"

namespace {

using namespace Halide;

class OpticalFlowStep : public Generator<OpticalFlowStep> {
public:
    GeneratorParam<int> width{"width", 3840};
    GeneratorParam<int> height{"height", 2160};
    GeneratorParam<int> radius{"radius", 3};

    Input<Buffer<float, 2>> first{"first"};
    Input<Buffer<float, 2>> second{"second"};
    Input<Buffer<float, 2>> flow_x{"flow_x"};
    Input<Buffer<float, 2>> flow_y{"flow_y"};
    Input<float> damping{"damping"};  // keeps the step small where the window has no structure
    Output<Func> flow{"flow", {Float(32), Float(32)}, 2};

    void generate() {
        Var x{"x"}, y{"y"};
        Func warped{"warped"}, dx{"dx"}, dy{"dy"}, dt{"dt"};
        const Func before = BoundaryConditions::repeat_edge(first), after = BoundaryConditions::repeat_edge(second);
        const Func u = BoundaryConditions::repeat_edge(flow_x), v = BoundaryConditions::repeat_edge(flow_y);

        const Expr at_x = x + u(x, y), at_y = y + v(x, y);
        const Expr xi = cast<int>(floor(at_x)), yi = cast<int>(floor(at_y));
        const auto row = [&](const Expr &line) { return lerp(after(xi, line), after(xi + 1, line), at_x - xi); };
        warped(x, y) = lerp(row(yi), row(yi + 1), at_y - yi);

        // Of the first frame: the warped one's would have those of the flow in them, and steps would not converge.
        dx(x, y) = (before(x + 1, y) - before(x - 1, y)) * 0.5f;
        dy(x, y) = (before(x, y + 1) - before(x, y - 1)) * 0.5f;
        dt(x, y) = warped(x, y) - before(x, y);

        const Expr xx = windowed("xx", dx, dx) + damping, yy = windowed("yy", dy, dy) + damping,
                   xy = windowed("xy", dx, dy), xt = windowed("xt", dx, dt), yt = windowed("yt", dy, dt);
        const Expr inverse = 1 / (xx * yy - xy * xy);
        flow(x, y) = Tuple(u(x, y) + (xy * yt - yy * xt) * inverse, v(x, y) + (xy * xt - xx * yt) * inverse);

        damping.set_estimate(0.05f);
        for (auto *image : {&first, &second, &flow_x, &flow_y}) {
            image->set_estimates({{0, width}, {0, height}});
        }
        flow.set_estimates({{0, width}, {0, height}});
    }

private:
    /// The mean of a product over the window around (x, y).
    Expr windowed(const std::string &name, const Func &a, const Func &b) {
        Var x{"x"}, y{"y"};
        Func product{"product_" + name}, across{"across_" + name}, sum{"sum_" + name};
        product(x, y) = a(x, y) * b(x, y);
        const int most = radius, taps = 2 * most + 1;
        const auto total = [&](const auto &tap) {
            Expr terms = tap(-most);
            for (int i = 1 - most; i <= most; i++) {
                terms += tap(i);
            }
            return terms;
        };
        across(x, y) = total([&](int i) { return product(x + i, y); });
        sum(x, y) = total([&](int i) { return across(x, y + i); }) * (1.0f / (taps * taps));
        return sum(x, y);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(OpticalFlowStep, optical_flow_step)

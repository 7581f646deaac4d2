// Denoising by non-local means, after Buades, Coll and Morel, "A non-local algorithm for image denoising", 2005: each pixel
// becomes the mean of those around it, weighted by how alike the patches around the two are.
//
// For each offset of the search window a chain of stencils (squared differences, their sums over the patch, a weight), and two
// reductions over all offsets that read the weights. Stored, the weights are as many images as there are offsets.
#include "Halide.h"

namespace {

using namespace Halide;

class NlMeans : public Generator<NlMeans> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> patch{"patch", 7};    // odd, as is
    GeneratorParam<int> search{"search", 7};  // the side of the search window

    Input<Buffer<float, 3>> input{"input"};
    Input<float> strength{"strength"};  // the difference a channel at which a weight has fallen to 1 / e
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, c{"c"}, i{"i"}, j{"j"};
        Func squares{"squares"}, across{"across"}, apart{"apart"}, weight{"weight"}, total{"total"}, sums{"sums"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        const auto square = [&](int channel) {
            const Expr difference = padded(x, y, channel) - padded(x + i, y + j, channel);
            return difference * difference;
        };
        squares(x, y, i, j) = square(0) + square(1) + square(2);
        const auto over_patch = [half = patch / 2](const auto &tap) {
            Expr sum = tap(-half);
            for (int k = 1 - half; k <= half; k++) {
                sum += tap(k);
            }
            return sum;
        };
        across(x, y, i, j) = over_patch([&](int k) { return squares(x + k, y, i, j); });
        apart(x, y, i, j) = over_patch([&](int k) { return across(x, y + k, i, j); });
        weight(x, y, i, j) = exp(apart(x, y, i, j) / (-3 * patch * patch * strength * strength));

        const RDom r(-(search / 2), search, -(search / 2), search);
        total(x, y) += weight(x, y, r.x, r.y);
        sums(x, y, c) += weight(x, y, r.x, r.y) * padded(x + r.x, y + r.y, c);
        output(x, y, c) = sums(x, y, c) / total(x, y);

        strength.set_estimate(0.4f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(NlMeans, nl_means)

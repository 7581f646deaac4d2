// A shallow depth of field from a stereo pair: which shift between the two images fits best at each pixel says how far away it
// is, and what is not in focus spreads its light over a disc.
//
// A volume of matching costs with windowed sums in every slice, the smallest along the slices with its index, then a gather over
// the largest disc whose weights depend on the depth of what is read. Only the depth need go to memory. Depths are whole numbers
// throughout, so that none hangs on a rounding.
#include "Halide.h"

namespace {

using namespace Halide;

class LensBlur : public Generator<LensBlur> {
public:
    GeneratorParam<int> width{"width", 1920};
    GeneratorParam<int> height{"height", 1080};
    GeneratorParam<int> slices{"slices", 32};
    GeneratorParam<int> radius{"radius", 8};  // of the largest disc

    Input<Buffer<uint8_t, 3>> left{"left"};
    Input<Buffer<uint8_t, 3>> right{"right"};
    Input<int> focus{"focus"};  // the slice that stays sharp
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"}, z{"z"}, c{"c"};
        Func cost{"cost"}, across{"across"}, pooled{"pooled"}, depth{"depth"}, reach{"reach"}, light{"light"};
        const Func seen = BoundaryConditions::repeat_edge(left), other = BoundaryConditions::repeat_edge(right);

        const auto mismatch = [&](int channel) {
            return cast<uint16_t>(absd(seen(x, y, channel), other(x - z, y, channel)));
        };
        cost(x, y, z) = mismatch(0) + mismatch(1) + mismatch(2);
        // Over 9 x 9 pixels, which 16 bits just hold.
        across(x, y, z) = windowed([&](int k) { return cost(x + k, y, z); });
        pooled(x, y, z) = windowed([&](int k) { return across(x, y + k, z); });
        const RDom slice(0, slices);
        depth(x, y) = argmin(slice, pooled(x, y, slice), "best")[0];
        reach(x, y) = min(cast<int>(absd(depth(x, y), focus)) / 2, static_cast<int>(radius));

        // A pixel sheds its light evenly over its disc: as much less for each receiver as the disc is larger.
        const int most = radius;
        const RDom r(-most, 2 * most + 1, -most, 2 * most + 1);
        const Expr from_x = x + r.x, from_y = y + r.y, size = reach(from_x, from_y) * reach(from_x, from_y);
        const Expr share = select(r.x * r.x + r.y * r.y <= size, 1 / (1 + 3.14f * size), 0.0f);
        const auto lit = [&](int channel) { return light(x, y)[channel] + share * seen(from_x, from_y, channel); };
        light(x, y) = Tuple(0.0f, 0.0f, 0.0f, 0.0f);
        light(x, y) = Tuple(lit(0), lit(1), lit(2), light(x, y)[3] + share);
        output(x, y, c) = mux(c, {light(x, y)[0], light(x, y)[1], light(x, y)[2]}) / light(x, y)[3];

        focus.set_estimate(8);
        left.set_estimates({{0, width}, {0, height}, {0, 3}});
        right.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    template<typename Tap>
    static Expr windowed(const Tap &tap) {
        Expr sum = tap(-4);
        for (int k = -3; k <= 4; k++) {
            sum += tap(k);
        }
        return sum;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LensBlur, lens_blur)

// From a sensor's values to an image: dead pixels, three colours at each pixel, a colour matrix, a tone curve, sharpening.
//
// Colours after Malvar, He and Cutler, "High-quality linear interpolation for demosaicing of Bayer-patterned color images",
// 2004: four filters of 5 x 5 taps, chosen by the pixel's place in the pattern. A long chain of stencils and pointwise stages
// on short integers, a table that the pipeline makes itself and gathers from, and selects by parity. All in whole numbers.
#include "Halide.h"

namespace {

using namespace Halide;

using Taps = int[5][5];  // of sum 16

class CameraPipe : public Generator<CameraPipe> {
public:
    GeneratorParam<int> width{"width", 2592};
    GeneratorParam<int> height{"height", 1968};

    Input<Buffer<uint16_t, 2>> input{"input"};   // rows of green and red, then of blue and green, of 10 bits
    Input<Buffer<int16_t, 2>> matrix{"matrix"};  // from red, green, blue to each channel; 256: one
    Input<int> black{"black"};                   // what the sensor says in the dark
    Input<int> knee{"knee"};                     // the curve is steep below it
    Input<int> sharpness{"sharpness"};           // 16: a detail is doubled
    Output<Buffer<uint8_t, 3>> output{"output"};

    void generate() {
        Var c{"c"}, i{"i"};
        Func raw{"raw"}, clean{"clean"}, plane{"plane"}, corrected{"corrected"}, curve{"curve"}, toned{"toned"};
        Func across{"across"}, soft{"soft"};
        const Func padded = BoundaryConditions::mirror_interior(input);  // keeps the pattern at the edges

        raw(x, y) = level(cast<int>(padded(x, y)) - black);
        const Expr w = raw(x - 2, y), e = raw(x + 2, y), n = raw(x, y - 2), s = raw(x, y + 2);
        clean(x, y) = clamp(raw(x, y), min(w, e, n, s), max(w, e, n, s));

        const Taps at_green = {
            {0, 0, 1, 0, 0}, {0, -2, 0, -2, 0}, {-2, 8, 10, 8, -2}, {0, -2, 0, -2, 0}, {0, 0, 1, 0, 0}};
        const Taps turned = {
            {0, 0, -2, 0, 0}, {0, -2, 8, -2, 0}, {1, 0, 10, 0, 1}, {0, -2, 8, -2, 0}, {0, 0, -2, 0, 0}};
        const Taps opposite = {
            {0, 0, -3, 0, 0}, {0, 4, 0, 4, 0}, {-3, 0, 12, 0, -3}, {0, 4, 0, 4, 0}, {0, 0, -3, 0, 0}};
        const Taps cross = {{0, 0, -2, 0, 0}, {0, 0, 4, 0, 0}, {-2, 4, 8, 4, -2}, {0, 0, 4, 0, 0}, {0, 0, -2, 0, 0}};
        const Expr beside = filtered("beside", clean, at_green), above = filtered("above", clean, turned),
                   diagonal = filtered("diagonal", clean, opposite), plus = filtered("plus", clean, cross);
        const Expr here = clean(x, y), even_x = x % 2 == 0, even_y = y % 2 == 0;
        const Expr red = select(even_y, select(even_x, beside, here), select(even_x, diagonal, above));
        const Expr green = select(even_x == even_y, here, plus);
        const Expr blue = select(even_y, select(even_x, above, diagonal), select(even_x, here, beside));
        plane(x, y, c) = mux(c, {red, green, blue});

        const auto part = [&](int from) { return cast<int>(matrix(from, c)) * plane(x, y, from); };
        corrected(x, y, c) = level((part(0) + part(1) + part(2) + 128) >> 8);
        curve(i) = cast<uint8_t>(255 * i * (kWhite + knee) / (kWhite * (i + knee)));
        toned(x, y, c) = curve(clamp(cast<int>(corrected(x, y, c)), 0, kWhite));

        const auto tent = [](const Expr &a, const Expr &b, const Expr &d) { return a + 2 * b + d; };
        const auto wide = [&](const Expr &column) { return cast<int16_t>(toned(column, y, c)); };
        across(x, y, c) = tent(wide(x - 1), wide(x), wide(x + 1));
        soft(x, y, c) = tent(across(x, y - 1, c), across(x, y, c), across(x, y + 1, c));
        const Expr value = cast<int>(toned(x, y, c)), detail = 16 * value - soft(x, y, c);
        output(x, y, c) = saturating_cast<uint8_t>(value + ((detail * sharpness) >> 8));

        black.set_estimate(25);
        knee.set_estimate(300);
        sharpness.set_estimate(12);
        input.set_estimates({{0, width}, {0, height}});
        matrix.set_estimates({{0, 3}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    static constexpr int kWhite = 1023;
    Var x{"x"}, y{"y"};

    static Expr level(const Expr &value) { return cast<int16_t>(clamp(value, 0, kWhite)); }

    /// The mean of the values around (x, y), weighted by `taps`.
    Expr filtered(const std::string &name, const Func &f, const Taps &taps) {
        Func mean{name};
        Expr sum = 8;
        for (int j = 0; j < 5; j++) {
            for (int i = 0; i < 5; i++) {
                if (taps[j][i] != 0) {
                    sum += taps[j][i] * cast<int>(f(x + (i - 2), y + (j - 2)));
                }
            }
        }
        mean(x, y) = level(sum >> 4);
        return mean(x, y);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CameraPipe, camera_pipe)

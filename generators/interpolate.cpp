// Fills an image known at scattered pixels by pull and push, after Gortler, Grzeszczuk, Szeliski and Cohen, "The Lumigraph",
// 1996: a pyramid of sums of what is known, each with its weight, and back down, where every level fills the gaps of the next
// finer one.
//
// Two chains of resampled levels, of which the upper ones hold a few blocks' worth of pixels: what they cost is their launches.
#include "Halide.h"

namespace {

using namespace Halide;

class Interpolate : public Generator<Interpolate> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> levels{"levels", 10};

    Input<Buffer<float, 3>> input{"input"};     // three colours and, from 0 to 1, how well they are known
    Output<Buffer<float, 3>> output{"output"};  // three colours

    void generate() {
        // Channels do not repeat: the fourth has another meaning.
        const Func padded = BoundaryConditions::repeat_edge(
            input, {{input.dim(0).min(), input.dim(0).extent()}, {input.dim(1).min(), input.dim(1).extent()}});

        // Colours times weight, and the weight.
        std::vector<Func> known{Func{"known0"}};
        const Expr weight = clamp(padded(x, y, 3), 0.0f, 1.0f);
        known[0](x, y, c) = weight * select(c < 3, padded(x, y, c), 1.0f);
        for (int level = 1; level < levels; level++) {
            known.push_back(pulled(known.back(), std::to_string(level)));
        }
        Func filled = known.back();
        for (int level = levels - 2; level >= 0; level--) {
            filled = pushed(filled, known[level], std::to_string(level));
        }
        output(x, y, c) = filled(x, y, c) / max(filled(x, y, 3), 1e-6f);

        input.set_estimates({{0, width}, {0, height}, {0, 4}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    Var x{"x"}, y{"y"}, c{"c"};

    /// Half the size: a tent over 3 x 3 pixels. Known well enough is known: weights end at 1.
    Func pulled(const Func &fine, const std::string &level) {
        Func across{"across" + level}, sum{"sum" + level}, coarse{"known" + level};
        across(x, y, c) = fine(2 * x - 1, y, c) + 2 * fine(2 * x, y, c) + fine(2 * x + 1, y, c);
        sum(x, y, c) = (across(x, 2 * y - 1, c) + 2 * across(x, 2 * y, c) + across(x, 2 * y + 1, c)) * 0.25f;
        coarse(x, y, c) = sum(x, y, c) / max(sum(x, y, 3), 1.0f);
        return coarse;
    }

    /// `fine`, and as much of `coarse`, at twice its size, as is missing.
    Func pushed(const Func &coarse, const Func &fine, const std::string &level) {
        Func across{"grown_across" + level}, grown{"grown" + level}, filled{"filled" + level};
        across(x, y, c) = (coarse(x / 2, y, c) + coarse((x + 1) / 2, y, c)) * 0.5f;
        grown(x, y, c) = (across(x, y / 2, c) + across(x, (y + 1) / 2, c)) * 0.5f;
        filled(x, y, c) = fine(x, y, c) + (1 - fine(x, y, 3)) * grown(x, y, c);
        return filled;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Interpolate, interpolate)

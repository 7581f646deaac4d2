// Local contrast without halos, after Paris, Hasinoff and Kautz, "Local Laplacian filters", 2011, with a fixed number of
// intensities as in Aubry et al., "Fast local Laplacian filters", 2014: detail around each of them is amplified in an image of
// its own, and each coefficient of the result is read between the Laplacian pyramids of the two nearest intensities.
//
// Three pyramids of which one has an image an intensity, and a gather along the intensities at every level. Memory decides
// the large levels, launches the small ones.
#include "Halide.h"

namespace {

using namespace Halide;

class LocalLaplacian : public Generator<LocalLaplacian> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};
    GeneratorParam<int> levels{"levels", 8};            // of the pyramids
    GeneratorParam<int> intensities{"intensities", 8};  // from 0 to 1

    Input<Buffer<float, 3>> input{"input"};
    Input<float> gain{"gain"};    // of detail; 0: none
    Input<float> sigma{"sigma"};  // larger differences are edges, not detail
    Output<Buffer<float, 3>> output{"output"};

    void generate() {
        Var c{"c"};
        const Func padded = BoundaryConditions::repeat_edge(input);
        const int last = intensities - 1;

        std::vector<Func> gray{Func{"gray0"}}, remapped{Func{"remapped0"}};
        gray[0](x, y) = 0.299f * padded(x, y, 0) + 0.587f * padded(x, y, 1) + 0.114f * padded(x, y, 2);
        const Expr away = gray[0](x, y) - k * (1.0f / last);
        remapped[0](x, y, k) = gray[0](x, y) + gain * away * exp(away * away / (-2 * sigma * sigma));
        for (int level = 1; level < levels; level++) {
            gray.push_back(halved(gray.back(), "gray" + std::to_string(level)));
            remapped.push_back(halved(remapped.back(), "remapped" + std::to_string(level)));
        }

        Func result = gray.back();  // the residual is the input's
        for (int level = levels - 2; level >= 0; level--) {
            const std::string suffix = std::to_string(level);
            const Func smooth = doubled(remapped[level + 1], "smooth" + suffix),
                       coarse = doubled(result, "coarse" + suffix);
            Func detail{"detail" + suffix}, finer{"result" + suffix};
            const Expr place = clamp(gray[level](x, y), 0.0f, 1.0f) * last;
            const Expr below = clamp(cast<int>(place), 0, last - 1);
            const auto laplacian = [&](const Expr &at) { return remapped[level](x, y, at) - smooth(x, y, at); };
            detail(x, y) = lerp(laplacian(below), laplacian(below + 1), place - below);
            finer(x, y) = coarse(x, y) + detail(x, y);
            result = finer;
        }
        output(x, y, c) = input(x, y, c) * (result(x, y) / max(gray[0](x, y), 0.05f));

        gain.set_estimate(1.0f);
        sigma.set_estimate(0.2f);
        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}, {0, 3}});
    }

private:
    Var x{"x"}, y{"y"}, k{"k"};

    /// Burt and Adelson's five taps (1983), in each direction.
    Func halved(const Func &f, const std::string &name) {
        Func across{"across_" + name}, half{name};
        const auto taps = [](const auto &at) {
            return (at(-2) + at(2)) * 0.0625f + (at(-1) + at(1)) * 0.25f + at(0) * 0.375f;
        };
        across(x, y, _) = taps([&](int i) { return f(2 * x + i, y, _); });
        half(x, y, _) = taps([&](int i) { return across(x, 2 * y + i, _); });
        return half;
    }

    /// Between the nearest points.
    Func doubled(const Func &f, const std::string &name) {
        Func across{"across_" + name}, twice{name};
        across(x, y, _) = (f(x / 2, y, _) + f((x + 1) / 2, y, _)) * 0.5f;
        twice(x, y, _) = (across(x, y / 2, _) + across(x, (y + 1) / 2, _)) * 0.5f;
        return twice;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LocalLaplacian, local_laplacian)

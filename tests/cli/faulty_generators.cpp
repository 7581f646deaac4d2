// Generators for the program's tests: one without estimates, one whose result depends on where it runs, one sound.
#include "Halide.h"

namespace {

using namespace Halide;

class WithoutEstimates : public Generator<WithoutEstimates> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        output(x, y) = input(x, y) + 1.0f;
    }
};

class WrongOnGpu : public Generator<WrongOnGpu> {
public:
    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        output(x, y) = input(x, y) + (get_target().has_gpu_feature() ? 1.0f : 2.0f);
        input.set_estimates({{0, 64}, {0, 8}});
        output.set_estimates({{0, 64}, {0, 8}});
    }
};

/// Interleaved, with a scalar and outputs of two types.
class Sound : public Generator<Sound> {
public:
    GeneratorParam<int> width{"width", 64};

    Input<Buffer<uint8_t, 3>> image{"image"};
    Input<float> gain{"gain"};
    Output<Buffer<uint8_t, 3>> brighter{"brighter"};
    Output<Buffer<float, 3>> values{"values"};

    void generate() {
        Var x{"x"}, y{"y"}, c{"c"};
        Func scaled{"scaled"};
        scaled(x, y, c) = cast<float>(image(x, y, c)) * gain;
        brighter(x, y, c) = saturating_cast<uint8_t>(scaled(x, y, c));
        values(x, y, c) = scaled(x, y, c) + 1.0f;
        image.dim(0).set_stride(3);
        image.dim(2).set_stride(1).set_bounds(0, 3);
        brighter.dim(0).set_stride(3);
        brighter.dim(2).set_stride(1).set_bounds(0, 3);
        gain.set_estimate(1.5f);
        image.set_estimates({{0, width}, {0, 8}, {0, 3}});
        brighter.set_estimates({{0, width}, {0, 8}, {0, 3}});
        values.set_estimates({{0, width}, {0, 8}, {0, 3}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(WithoutEstimates, without_estimates)
HALIDE_REGISTER_GENERATOR(WrongOnGpu, wrong_on_gpu)
HALIDE_REGISTER_GENERATOR(Sound, sound)

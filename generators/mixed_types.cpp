// A u8 image is widened to f32, adjusted by a gain a column and an i16 offset, tested, and narrowed to u8 again.
//
// Values of one, two and four bytes and a boolean pass through one kernel. The intermediates are four times as wide as
// the image, so storing them costs much more than the 4 bytes a point that must move (1 + 2 in, 1 out). The vector
// width that fills a 16-byte access differs for each array.
#include "Halide.h"

namespace {

using namespace Halide;

class MixedTypes : public Generator<MixedTypes> {
public:
    GeneratorParam<int> width{"width", 16384};
    GeneratorParam<int> height{"height", 16384};

    Input<Buffer<uint8_t, 2>> image{"image"};
    Input<Buffer<int16_t, 2>> offset{"offset"};
    Input<Buffer<float, 1>> gain{"gain"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func widened{"widened"}, adjusted{"adjusted"}, bright{"bright"};

        widened(x, y) = cast<float>(image(x, y));
        adjusted(x, y) = widened(x, y) * gain(x) + cast<float>(offset(x, y));
        bright(x, y) = adjusted(x, y) > 128.0f;
        output(x, y) = saturating_cast<uint8_t>(select(bright(x, y), adjusted(x, y), adjusted(x, y) * 0.5f));

        image.set_estimates({{0, width}, {0, height}});
        offset.set_estimates({{0, width}, {0, height}});
        gain.set_estimates({{0, width}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MixedTypes, mixed_types)

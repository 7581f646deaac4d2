// total = shared + b, difference = shared - a, scaled = max(shared, 0) / 2, with shared = (a * b + 1) * a: siblings.
//
// Three outputs of the same extents share a producer and both inputs. In a launch each, the inputs are read three
// times. In one launch the shared value is computed once into a register, two images are read and three are written:
// the example of horizontal fusion.
#include "Halide.h"

namespace {

using namespace Halide;

class MultiOutput : public Generator<MultiOutput> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<float, 2>> a{"a"};
    Input<Buffer<float, 2>> b{"b"};
    Output<Buffer<float, 2>> total{"total"};
    Output<Buffer<float, 2>> difference{"difference"};
    Output<Buffer<float, 2>> scaled{"scaled"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func shared{"shared"};

        shared(x, y) = (a(x, y) * b(x, y) + 1.0f) * a(x, y);
        total(x, y) = shared(x, y) + b(x, y);
        difference(x, y) = shared(x, y) - a(x, y);
        scaled(x, y) = max(shared(x, y), 0.0f) * 0.5f;

        const Region image = {{0, width}, {0, height}};
        a.set_estimates(image);
        b.set_estimates(image);
        total.set_estimates(image);
        difference.set_estimates(image);
        scaled.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(MultiOutput, multi_output)

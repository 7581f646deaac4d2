// output = centred^2 - |centred| + max(centred, 0), where centred = (a + b) / 2: a diamond around a cheap producer.
//
// One producer has three consumers, which meet again in the output. Two operations a point are not worth a trip to
// memory, so everything belongs in one kernel. A planner that stores whatever is read more than once gets this wrong.
#include "Halide.h"

namespace {

using namespace Halide;

class CheapFanout : public Generator<CheapFanout> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};

    Input<Buffer<float, 2>> a{"a"};
    Input<Buffer<float, 2>> b{"b"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func centred{"centred"}, squared{"squared"}, magnitude{"magnitude"}, positive{"positive"};

        centred(x, y) = (a(x, y) + b(x, y)) * 0.5f;
        squared(x, y) = centred(x, y) * centred(x, y);
        magnitude(x, y) = abs(centred(x, y));
        positive(x, y) = max(centred(x, y), 0.0f);
        output(x, y) = squared(x, y) - magnitude(x, y) + positive(x, y);

        const Region image = {{0, width}, {0, height}};
        a.set_estimates(image);
        b.set_estimates(image);
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(CheapFanout, cheap_fanout)

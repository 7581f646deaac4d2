// An algorithm and nothing else: no schedule, only estimates. Two pointwise stages that belong in one kernel.
#include <Halide.h>

namespace {

class Blend : public Halide::Generator<Blend> {
public:
    Input<Halide::Buffer<float, 2>> a{"a"};
    Input<Halide::Buffer<float, 2>> b{"b"};
    Output<Halide::Buffer<float, 2>> out{"out"};

    void generate() {
        Halide::Var x("x"), y("y");
        Halide::Func mixed("mixed");
        mixed(x, y) = a(x, y) * 0.25f + b(x, y) * 0.75f;
        out(x, y) = Halide::max(mixed(x, y), 0.0f);

        for (auto *input : {&a, &b}) {
            input->set_estimates({{0, 1920}, {0, 1080}});
        }
        out.set_estimates({{0, 1920}, {0, 1080}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Blend, blend)

// `values` functions of the input are summed, and each is then compared with the mean of all: a case against fusion.
//
// Each value is needed before the total is known and again after it, so one kernel holds all of them at once. 96 of
// them take 127 registers a thread; under the CUDA runtime's cap of 64, ptxas 13 spills 424 bytes a thread to local
// memory. Two kernels, one for the total and one that computes the values again, move five images, not two, and spill
// nothing.
// value_i = max(w_i * input + b_i, c_i * input^2): a line against a parabola, so no sum over i simplifies.
#include "Halide.h"

#include <string>
#include <vector>

namespace {

using namespace Halide;

class LongLiveRange : public Generator<LongLiveRange> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 4096};
    GeneratorParam<int> values{"values", 96, 1, 1000};

    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};

        std::vector<Func> value;
        for (int i = 0; i < values; i++) {
            const float slope = 0.5f + 0.0125f * static_cast<float>(i);
            const float offset = 0.25f - 0.005f * static_cast<float>(i);
            const float curve = 0.1f + 0.0075f * static_cast<float>(i);
            Func v{"value_" + std::to_string(i)};
            v(x, y) = max(input(x, y) * slope + offset, input(x, y) * input(x, y) * curve);
            value.push_back(v);
        }

        Func total{"total"};
        Expr sum = value[0](x, y);
        for (size_t i = 1; i < value.size(); i++) {
            sum += value[i](x, y);
        }
        total(x, y) = sum;

        const Expr mean = total(x, y) * (1.0f / static_cast<float>(values));
        Expr excess = max(value[0](x, y) - mean, 0.0f);
        for (size_t i = 1; i < value.size(); i++) {
            const float weight = 1.0f / static_cast<float>(i + 1);
            excess += max(value[i](x, y) - mean, 0.0f) * weight;
        }
        output(x, y) = excess;

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        output.set_estimates(image);
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(LongLiveRange, long_live_range)

// A chain of `stages` Funcs, each of which reads its predecessor twice at the same point.
//
// Counted along call sites the input is read 2^stages times; counted along points it is read once, because both reads
// are of the same value. It is one kernel of one read and one write, and planning it must take well under a second:
// whatever walks the paths of this graph, or copies an expression for each read, never ends. Stage k keeps the values
// above its threshold (k mod 8) / 20 and folds those below back over it, so inputs in [-1, 1] stay within 1.05.
#include "Halide.h"

#include <string>

namespace {

using namespace Halide;

class DeepChain : public Generator<DeepChain> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};
    GeneratorParam<int> stages{"stages", 40, 1, 1000};

    Input<Buffer<float, 2>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};

        // The last of the stages is the output itself.
        Func previous = input;
        for (int k = 1; k < stages; k++) {
            Func folded{"folded_" + std::to_string(k)};
            folded(x, y) = fold(previous(x, y), k);
            previous = folded;
        }
        output(x, y) = fold(previous(x, y), stages);

        const Region image = {{0, width}, {0, height}};
        input.set_estimates(image);
        output.set_estimates(image);
    }

private:
    static Expr fold(const Expr &p, int k) {
        const float threshold = 0.05f * static_cast<float>(k % 8);
        return max(p, threshold) * 1.95f - p * 0.95f;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(DeepChain, deep_chain)

// Eight independent pointwise branches, out[i] = f_i(in[i]), each far too small to fill a GPU.
//
// At 64 x 64 a kernel lasts as long as its launch, so the launches are the whole cost: 20 stage by stage, 8 with each
// branch fused vertically, and one if the branches, which share no data and compute different things, are joined
// horizontally. The operations differ so that no common subexpression can do the joining.
#include "Halide.h"

namespace {

using namespace Halide;

class SmallBranches : public Generator<SmallBranches> {
public:
    GeneratorParam<int> width{"width", 64};
    GeneratorParam<int> height{"height", 64};

    Input<Buffer<float, 2>[8]> in { "in" };
    Output<Buffer<float, 2>[8]> out { "out" };

    void generate() {
        Var x{"x"}, y{"y"};

        Func affine{"affine"};
        affine(x, y) = in[0](x, y) * 2.0f + 1.0f;
        out[0](x, y) = max(affine(x, y), 0.0f);

        Func squared{"squared"}, rooted{"rooted"};
        squared(x, y) = in[1](x, y) * in[1](x, y);
        rooted(x, y) = sqrt(squared(x, y) + 1.0f);
        out[1](x, y) = rooted(x, y) - 1.0f;

        Func magnitude{"magnitude"};
        magnitude(x, y) = abs(in[2](x, y));
        out[2](x, y) = in[2](x, y) / (magnitude(x, y) + 1.0f);

        Func bounded{"bounded"}, cubed{"cubed"};
        bounded(x, y) = clamp(in[3](x, y), -0.75f, 0.75f);
        cubed(x, y) = bounded(x, y) * bounded(x, y) * bounded(x, y);
        out[3](x, y) = bounded(x, y) - cubed(x, y) * 0.25f;

        Func shifted{"shifted"};
        shifted(x, y) = in[4](x, y) - 0.5f;
        out[4](x, y) = select(shifted(x, y) > 0.0f, shifted(x, y), shifted(x, y) * 0.125f);

        Func halved{"halved"}, decayed{"decayed"};
        halved(x, y) = in[5](x, y) * 0.5f;
        decayed(x, y) = exp(-halved(x, y) * halved(x, y));
        out[5](x, y) = decayed(x, y) * in[5](x, y);

        Func stepped{"stepped"};
        stepped(x, y) = floor(in[6](x, y) * 8.0f);
        out[6](x, y) = stepped(x, y) * 0.125f;

        Func widened{"widened"}, inverse{"inverse"};
        widened(x, y) = in[7](x, y) * in[7](x, y) + 1.0f;
        inverse(x, y) = 1.0f / widened(x, y);
        out[7](x, y) = min(inverse(x, y), 0.75f);

        for (size_t i = 0; i < in.size(); i++) {
            in[i].set_estimates({{0, width}, {0, height}});
            out[i].set_estimates({{0, width}, {0, height}});
        }
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(SmallBranches, small_branches)

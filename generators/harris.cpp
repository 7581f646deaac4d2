// The corner response of Harris and Stephens (1988): luminance, Sobel gradients, their products summed over 3 x 3 points,
// determinant and trace.
//
// Eleven stages and two stencils on top of each other: stored, every stage is a trip to memory; inlined, a point of the
// output asks for 81 gradients. In one kernel the gradients and products that neighbours share are kept.
#include "Halide.h"

namespace {

using namespace Halide;

class Harris : public Generator<Harris> {
public:
    GeneratorParam<int> width{"width", 2560};
    GeneratorParam<int> height{"height", 1536};

    Input<Buffer<float, 3>> input{"input"};
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func gray{"gray"}, dx{"dx"}, dy{"dy"}, trace{"trace"}, determinant{"determinant"};
        const Func padded = BoundaryConditions::repeat_edge(input);

        gray(x, y) = 0.299f * padded(x, y, 0) + 0.587f * padded(x, y, 1) + 0.114f * padded(x, y, 2);
        dx(x, y) = (gray(x + 1, y - 1) - gray(x - 1, y - 1) + 2 * (gray(x + 1, y) - gray(x - 1, y)) +
                    gray(x + 1, y + 1) - gray(x - 1, y + 1)) *
                   (1.0f / 12);
        dy(x, y) = (gray(x - 1, y + 1) - gray(x - 1, y - 1) + 2 * (gray(x, y + 1) - gray(x, y - 1)) +
                    gray(x + 1, y + 1) - gray(x + 1, y - 1)) *
                   (1.0f / 12);
        const Func xx = summed("xx", dx(x, y) * dx(x, y)), yy = summed("yy", dy(x, y) * dy(x, y)),
                   xy = summed("xy", dx(x, y) * dy(x, y));
        determinant(x, y) = xx(x, y) * yy(x, y) - xy(x, y) * xy(x, y);
        trace(x, y) = xx(x, y) + yy(x, y);
        output(x, y) = determinant(x, y) - 0.04f * trace(x, y) * trace(x, y);

        input.set_estimates({{0, width}, {0, height}, {0, 3}});
        output.set_estimates({{0, width}, {0, height}});
    }

private:
    /// A product of gradients, summed over the 3 x 3 points around each.
    static Func summed(const std::string &name, const Expr &product) {
        Var x{"x"}, y{"y"};
        Func products{"product_" + name}, sum{"sum_" + name};
        products(x, y) = product;
        Expr total = 0.0f;
        for (int j = -1; j <= 1; j++) {
            for (int i = -1; i <= 1; i++) {
                total += products(x + i, y + j);
            }
        }
        sum(x, y) = total;
        return sum;
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(Harris, harris)

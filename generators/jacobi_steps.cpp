// Steps of the Jacobi iteration for Poisson's equation, -laplace(u) = f, on a grid whose boundary points keep their values:
// each step replaces a point by the mean of its four neighbours and the source.
//
// A chain of the smallest stencil in which every stage reads the source too. Stored, a step is three trips to memory for six
// operations a point; a kernel of several steps pays with a halo that grows by a point a step.
#include "Halide.h"

namespace {

using namespace Halide;

class JacobiSteps : public Generator<JacobiSteps> {
public:
    GeneratorParam<int> width{"width", 8192};
    GeneratorParam<int> height{"height", 8192};
    GeneratorParam<int> steps{"steps", 8};

    Input<Buffer<float, 2>> input{"input"};    // u before the first step
    Input<Buffer<float, 2>> source{"source"};  // f times the square of the grid's spacing
    Output<Buffer<float, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        const Func f = BoundaryConditions::repeat_edge(source);
        const Expr inside =
            x > input.dim(0).min() && x < input.dim(0).max() && y > input.dim(1).min() && y < input.dim(1).max();
        Func u = BoundaryConditions::repeat_edge(input);
        for (int s = 1; s <= steps; s++) {
            const Expr around = u(x - 1, y) + u(x + 1, y) + u(x, y - 1) + u(x, y + 1);
            const Expr next = select(inside, (around + f(x, y)) * 0.25f, u(x, y));
            if (s == steps) {
                output(x, y) = next;
            } else {
                Func step{"step" + std::to_string(s)};
                step(x, y) = next;
                u = step;
            }
        }

        input.set_estimates({{0, width}, {0, height}});
        source.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(JacobiSteps, jacobi_steps)

// Mean brightness of any square window in four reads: sums of all that is above and to the left of a point, by a scan along
// the rows and one down the columns.
//
// Each scan has a dimension in which all rows, or columns, run at once. The sums are whole numbers, exact below 2^32.
#include "Halide.h"

namespace {

using namespace Halide;

class IntegralImage : public Generator<IntegralImage> {
public:
    GeneratorParam<int> width{"width", 4096};
    GeneratorParam<int> height{"height", 2160};
    GeneratorParam<int> radius{"radius", 8};

    Input<Buffer<uint8_t, 2>> input{"input"};
    Output<Buffer<uint8_t, 2>> output{"output"};

    void generate() {
        Var x{"x"}, y{"y"};
        Func sums{"sums"};
        const Func padded = BoundaryConditions::repeat_edge(input);
        const RDom across(1, width - 1), down(1, height - 1);

        sums(x, y) = cast<uint32_t>(padded(x, y));
        sums(across, y) += sums(across - 1, y);
        sums(x, down) += sums(x, down - 1);

        const auto at = [&](const Expr &column, const Expr &row) {
            return sums(clamp(column, 0, width - 1), clamp(row, 0, height - 1));
        };
        const Expr left = x - radius, right = x + radius, top = y - radius, bottom = y + radius;
        const Expr whole = at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top);
        output(x, y) = cast<uint8_t>(whole / cast<uint32_t>(4 * radius * radius));

        input.set_estimates({{0, width}, {0, height}});
        output.set_estimates({{0, width}, {0, height}});
    }
};

}  // namespace

HALIDE_REGISTER_GENERATOR(IntegralImage, integral_image)

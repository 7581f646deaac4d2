#include "tests/pipelines/random_graph.h"

#include <algorithm>

#include "tests/pipelines/draw.h"

namespace fusion {
namespace {

using namespace Halide;

/// Something that a stage can read at (x, y).
struct Source {
    Shape shape;
    Func func;
    bool is_read = false;
};

Shape draw_shape(Draw &draw) {
    const int p = draw.below(100);
    return p < 64 ? Shape::Plane : p < 80 ? Shape::Turned : p < 90 ? Shape::Row : Shape::Column;
}

std::vector<Var> vars_of(Shape shape) {
    const Var x("x"), y("y");
    switch (shape) {
    case Shape::Plane:
        return {x, y};
    case Shape::Turned:
        return {y, x};
    case Shape::Row:
        return {x};
    default:
        return {y};
    }
}

bool can_read(Shape reader, Shape source) {
    return reader == source || reader == Shape::Plane || reader == Shape::Turned;
}

Region estimate(Draw &draw) {
    const std::vector<int> extents = {1, 5, 64, 777, 4096, 16384};
    Region plane;
    for (int d = 0; d < 2; d++) {
        plane.extent.push_back(draw.one_of(extents));
        plane.min.push_back(draw.one_of<int>({0, 0, 0, 3, -4}));
    }
    return plane;
}

/// Builds the pipeline; `shapes` receives those of the outputs.
Built build(uint32_t seed, std::vector<Shape> &shapes) {
    Draw draw(seed);
    Built built;
    std::vector<Source> sources;
    const Region plane = estimate(draw);
    const int inputs = 1 + draw.below(4), stages = 3 + draw.below(10);
    std::vector<Parameter> parameters;
    for (int i = 0; i < inputs; i++) {
        const Shape shape = i == 0 ? Shape::Plane : draw_shape(draw);
        ImageParam input(draw_type(draw), (int)vars_of(shape).size(), "in" + std::to_string(i));
        parameters.push_back(input.parameter());
        sources.push_back({shape, input});
    }
    Param<float> scalar("scalar");
    scalar.set_estimate(1.25f);
    const bool has_scalar = draw.percent(30);
    if (has_scalar) {
        built.inputs.push_back(scalar.parameter());
    }
    std::vector<Func> outputs;
    shapes.clear();
    for (int i = 0; i < stages; i++) {
        const Shape shape = draw_shape(draw);
        const Type type = draw_type(draw);
        std::vector<Expr> reads;
        const int wanted = 1 + draw.below(3);
        for (int tries = 0; (int)reads.size() < wanted && tries < 12; tries++) {
            // Half of the reads are of the latest stages, which makes chains.
            const int count = (int)sources.size();
            const int pick = draw.percent(50) ? count - 1 - draw.below(std::min(3, count)) : draw.below(count);
            Source &source = sources[(size_t)pick];
            if (can_read(shape, source.shape)) {
                const std::vector<Var> vars = vars_of(source.shape);
                reads.push_back(source.func(std::vector<Expr>(vars.begin(), vars.end())));
                source.is_read = true;
            }
        }
        if (has_scalar && (i == 0 || draw.percent(20))) {
            reads.push_back(scalar);
        }
        if (reads.empty()) {
            reads.push_back(cast<int32_t>(vars_of(shape)[0]) % 7);
        }
        Func stage("s" + std::to_string(i));
        stage(vars_of(shape)) = value_of(draw, reads, type);
        sources.push_back({shape, stage});
        if (draw.percent(15)) {
            outputs.push_back(stage);
            shapes.push_back(shape);
            sources.back().is_read = true;
        }
    }
    for (const Source &source : sources) {
        const bool is_stage = !source.is_read && source.func.name()[0] == 's';
        if (is_stage) {
            outputs.push_back(source.func);
            shapes.push_back(source.shape);
        }
    }
    for (size_t i = 0; i < outputs.size(); i++) {
        const Region region = region_of(shapes[i], plane);
        Halide::Region bounds;
        for (size_t d = 0; d < region.extent.size(); d++) {
            bounds.emplace_back(region.min[d], region.extent[d]);
        }
        outputs[i].set_estimates(bounds);
    }
    for (size_t i = 0; i < parameters.size(); i++) {
        if (sources[i].is_read) {  // what nobody reads is no argument of the pipeline
            built.inputs.push_back(parameters[i]);
        }
    }
    built.pipeline = Pipeline(outputs);
    return built;
}

}  // namespace

RandomGraph random_graph(uint32_t seed) {
    RandomGraph graph;
    build(seed, graph.outputs);
    graph.builder = [seed] {
        std::vector<Shape> shapes;
        return build(seed, shapes);
    };
    return graph;
}

Region region_of(Shape shape, const Region &plane) {
    switch (shape) {
    case Shape::Plane:
        return plane;
    case Shape::Turned:
        return {{plane.min[1], plane.min[0]}, {plane.extent[1], plane.extent[0]}};
    case Shape::Row:
        return {{plane.min[0]}, {plane.extent[0]}};
    default:
        return {{plane.min[1]}, {plane.extent[1]}};
    }
}

}  // namespace fusion

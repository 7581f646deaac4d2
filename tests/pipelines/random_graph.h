#pragma once
/// Pipelines drawn at random: pointwise, broadcast and transposed reads of many types.
#include <cstdint>
#include <vector>

#include "tests/pipelines/runner.h"

namespace fusion {

/// What a stage ranges over: Turned is (y, x).
enum class Shape { Plane, Turned, Row, Column };

struct RandomGraph {
    Builder builder;
    std::vector<Shape> outputs;
};

/// 3 to 12 stages. The same seed gives the same pipeline. Every value is a small whole number or a small multiple of 1/64,
/// so no order of arithmetic rounds and results can be compared exactly.
RandomGraph random_graph(uint32_t seed);

/// The region of an output of this shape when x and y range over `plane`.
Region region_of(Shape shape, const Region &plane);

}  // namespace fusion

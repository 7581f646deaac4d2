#pragma once
/// Draws for random pipelines, and the values of their stages: small whole numbers or small multiples of 1/64, so that no
/// order of arithmetic rounds and results can be compared exactly.
#include <Halide.h>
#include <random>
#include <vector>

namespace fusion {

/// std::mt19937 with draws that are the same on every standard library.
class Draw {
public:
    explicit Draw(uint32_t seed) : random(seed) {}
    int below(int n) { return (int)(random() % (uint32_t)n); }
    bool percent(int p) { return below(100) < p; }
    template<typename T>
    T one_of(const std::vector<T> &values) {
        return values[(size_t)below((int)values.size())];
    }

private:
    std::mt19937 random;
};

Halide::Type draw_type(Draw &draw);

/// A value of `type` from what the stage reads: floats are multiples of 1/64 in [-8, 8], integers in [-1000, 1000].
Halide::Expr value_of(Draw &draw, const std::vector<Halide::Expr> &reads, const Halide::Type &type);

}  // namespace fusion

#pragma once
/// The inputs and stages of a random pipeline of rows so far, and how a new stage reads them.
#include <string>
#include <vector>

#include "tests/pipelines/draw.h"
#include "tests/pipelines/random_rows.h"

namespace fusion {

using Dims = std::vector<int>;

/// Something that a stage can read.
struct RowSource {
    Halide::Func func;
    Dims dims;      ///< of the image
    int terms = 1;  ///< about so many values were added up
    bool is_read = false;
};

class RowSources {
public:
    explicit RowSources(uint32_t seed);

    Draw draw;
    int rank;   ///< of the image
    int along;  ///< the dimension that most reductions run over
    bool has_constant_rows;
    Region estimate;
    Dims all;
    std::vector<RowSource> sources;
    std::vector<Halide::Parameter> parameters;

    /// A name that is not used yet.
    std::string name(const char *kind) { return kind + std::to_string(named++); }
    std::vector<Halide::Expr> at(const Dims &dims) const;
    std::vector<Halide::Var> vars_of(const Dims &dims) const;

    void draw_inputs();

    /// A value within the bounds of draw.h, exactly: a sum is divided by a power of two near its length.
    static Halide::Expr read(RowSource &source, const std::vector<Halide::Expr> &point, int element = 0);

    /// A source that lies in `dims` or, if all is wanted, has all of them; half of the time one of the latest.
    RowSource *pick(const Dims &dims, bool wants_all = false);

    /// One to three values that a stage of these dimensions reads at `point`.
    std::vector<Halide::Expr> draw_reads(const Dims &dims, const std::vector<Halide::Expr> &point);

    /// All of the image in these dimensions.
    Halide::RDom domain(const Dims &over);

private:
    Halide::Var vars[3] = {Halide::Var("x"), Halide::Var("y"), Halide::Var("z")};
    int named = 0;
};

}  // namespace fusion

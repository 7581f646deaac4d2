#pragma once
/// The stages that random_mixed.h draws: pure ones in mix_pure.cpp, those with updates in mix_updates.cpp.
#include <vector>

#include "tests/pipelines/draw.h"

namespace fusion {

inline const Halide::Var x("x"), y("y"), i("i"), z("z");

/// A Func of (x, y), or of (i).
struct Source {
    Halide::Func func;
    int rank = 2;
    int width = 0, height = 0;  ///< what it may be read at, from 0 on; 0: anywhere
    bool is_read = false;
};

/// Builds one pipeline.
class Mix {
public:
    /// `image` is read with its edge repeated.
    Mix(Draw &draw, const Halide::ImageParam &image);

    std::vector<Source> sources;

    void add_stage(int kinds);
    static const std::vector<Halide::Type> &types();

private:
    using Expr = Halide::Expr;
    Draw &draw;

    Halide::Func named(const char *what) { return Halide::Func(what + std::to_string(sources.size())); }

    /// A recent plane most of the time.
    Source &any(int rank = 2) {
        std::vector<size_t> of_rank;
        for (size_t s = 0; s < sources.size(); s++) {
            if (sources[s].rank == rank) {
                of_rank.push_back(s);
            }
        }
        const size_t back = draw.percent(70) ? 0 : (size_t)draw.below((int)of_rank.size());
        Source &source = sources[of_rank[of_rank.size() - 1 - back]];
        source.is_read = true;
        return source;
    }

    static Expr within(const Expr &at, int extent) { return extent > 0 ? clamp(at, 0, extent - 1) : at; }

    static Expr read(const Source &source, const Expr &at_x, const Expr &at_y) {
        return source.func(within(at_x, source.width), within(at_y, source.height));
    }

    Expr here(const Expr &at_x = x, const Expr &at_y = y) { return read(any(), at_x, at_y); }

    static Expr whole_number(const Expr &e) {
        return e.type().is_float() ? Halide::cast<int>(e * 64) : Halide::cast<int>(e);
    }

    /// 0 to count - 1, from data.
    static Expr bin(const Expr &e, int count) { return clamp(whole_number(e) % (count + 3), 0, count - 1); }

    Expr value(const std::vector<Expr> &reads) { return value_of(draw, reads, draw.one_of(types())); }

    int some(const std::vector<int> &numbers) { return draw.one_of(numbers); }

    Source pointwise();
    Source stencil();
    Source strided();
    Source gather();
    Source table();
    Source lookup();
    Source histogram();
    Source row_histograms();
    Source local_histograms();
    Source scan();
    Source recursive_filter();
    Source running_table();
    Source updates();
    Source window();
    Source row_value();
    Source best_of_window();
    Source permuted();
    Source transposed();
    Source last_write_wins();
    Source part();
    Source rows_in_turn();
    Source image_histogram();
};

}  // namespace fusion

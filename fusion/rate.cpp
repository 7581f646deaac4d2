#include "fusion/rate.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace fusion {
namespace {

/// Thirds are not exact in binary.
constexpr double kRounding = 1e-6;

Rate rate_of(const std::vector<Rate> &rates, const std::vector<int> &follows, const std::vector<Reach> &reach,
             size_t dim) {
    if (dim < rates.size()) {
        return rates[dim];
    }
    const Reach offsets = dim < reach.size() ? reach[dim] : Reach();
    return {.loop = follows[dim], .low = (double)offsets.low, .high = (double)offsets.high};
}

template<typename ReadOrUse>
bool any_span(const ReadOrUse &uses) {
    for (size_t d = 0; d < uses.follows.size(); d++) {
        const Rate rate = rate_at(uses, d);
        if (rate.loop >= 0 && rate.high > rate.low) {
            return true;
        }
    }
    return false;
}

template<typename ReadOrUse>
bool all_exact(const ReadOrUse &uses) {
    for (size_t d = 0; d < uses.follows.size(); d++) {
        if (rate_at(uses, d).shape != 0) {
            return false;
        }
    }
    return true;
}

}  // namespace

Rate rate_at(const Read &read, size_t dim) {
    return rate_of(read.rates, read.follows, read.reach, dim);
}

Rate rate_at(const Use &use, size_t dim) {
    return rate_of(use.rates, use.follows, use.reach, dim);
}

bool has_span(const Read &read) {
    return any_span(read);
}

bool has_span(const Use &use) {
    return any_span(use);
}

bool is_sized(const Read &read) {
    return read.is_box || read.is_sized;
}

bool is_sized(const Use &use) {
    return use.is_box || use.is_sized;
}

bool is_sized_exactly(const Read &read) {
    return read.is_box || (read.is_sized && all_exact(read));
}

bool is_sized_exactly(const Use &use) {
    return use.is_box || (use.is_sized && all_exact(use));
}

Rate through(const Rate &outer, const Rate &own) {
    if (own.loop < 0) {
        return {};
    }
    if (outer.loop < 0) {
        return {.decided_by = outer.decided_by};
    }
    const int64_t steps = outer.steps * own.steps, of = outer.of * own.of, common = std::gcd(steps, of);
    const double ratio = (double)own.steps / (double)own.of;
    // Any mixing of the two will do that tells their order.
    const uint64_t shape = own.shape == 0     ? outer.shape
                           : outer.shape == 0 ? own.shape
                                              : outer.shape * 0x9e3779b97f4a7c15u + own.shape;
    return {.loop = outer.loop,
            .steps = steps / common,
            .of = of / common,
            .low = ratio * outer.low + own.low,
            .high = ratio * outer.high + own.high,
            .is_clamped = outer.is_clamped || own.is_clamped,
            .shape = shape};
}

uint64_t decided_by(const Rate &rate) {
    return rate.loop < 0 ? rate.decided_by : Share::bit((size_t)rate.loop);
}

uint64_t decided_through(const std::vector<Rate> &rates, uint64_t loops) {
    uint64_t all = 0;
    for (size_t loop = 0; loop < 64; loop++) {
        if (loops & Share::bit(loop)) {
            // Loops that the frame does not have, such as those of a reduction, are anywhere.
            all |= loop < rates.size() ? decided_by(rates[loop]) : ~uint64_t(0);
        }
    }
    return all;
}

bool move_together(const Rate &a, const Rate &b) {
    return a.loop == b.loop && a.steps == b.steps && a.of == b.of && a.shape == b.shape;
}

Rate united(const Rate &a, const Rate &b) {
    const uint64_t deciding = decided_by(a) | decided_by(b);
    if (a.loop < 0 && b.loop < 0 && a.is_number != b.is_number) {
        Rate number = a.is_number ? a : b;
        number.decided_by = deciding;
        return number;
    }
    if (a.loop != b.loop || a.steps != b.steps || a.of != b.of) {
        return {.decided_by = deciding};
    }
    Rate both = a;
    both.decided_by = a.decided_by | b.decided_by;
    both.low = std::min(a.low, b.low);
    both.high = std::max(a.high, b.high);
    both.is_clamped = a.is_clamped || b.is_clamped;
    return both;
}

double values_along(const Rate &rate, double points) {
    if (rate.phase >= 0) {
        const double pace = (double)rate.steps / (double)rate.of, begin = (double)rate.phase;
        const double last = std::floor(pace * (begin + points - 1) + rate.high + kRounding);
        return last - std::ceil(pace * begin + rate.low - kRounding) + 1;
    }
    // In parts of a step, of which rounding down has lost some.
    const double span = (rate.high - rate.low) * (double)rate.of - (double)(rate.of - 1);
    const double sites = std::floor(std::max(0.0, span) + kRounding) + 1;
    return std::min(points * sites, (double)rate.steps * (points - 1) + sites);
}

double points_along(const Rate &rate, double points) {
    const double moved = (double)rate.steps / (double)rate.of * (points - 1);
    return std::floor(moved + rate.high - rate.low + kRounding) + 1;
}

}  // namespace fusion

#include "bench/random_data.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iomanip>
#include <map>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace bench {
namespace {

constexpr double kRelative = 1e-4;  // a hundred terms summed in another order, and differences of such sums
constexpr size_t kOneOffIn = 1000, kAnythingIn = 1000000;

struct Random {
    uint64_t state = 0x9E3779B97F4A7C15;
    uint64_t operator()() {  // xorshift64*
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return state * 2685821657736338717U;
    }
};

template<typename T, typename F>
std::vector<std::byte> values(F draw) {
    std::vector<std::byte> bytes(kRandomBytes);
    Random random;
    for (size_t at = 0; at < bytes.size(); at += sizeof(T)) {
        const T value = T(draw(random()));
        std::memcpy(&bytes[at], &value, sizeof(T));
    }
    return bytes;
}

/// A float16 in [-1, 1): sign, a small exponent, any fraction.
uint16_t half(uint64_t bits) {
    const uint64_t sign = bits >> 63 << 15, exponent = 8 + (bits >> 32) % 7, fraction = bits & 0x3FF;
    return uint16_t(sign | exponent << 10 | fraction);
}

double from_half(uint16_t h) {
    const int exponent = h >> 10 & 31, fraction = h & 0x3FF;
    const double sign = h >> 15 ? -1 : 1;
    if (exponent == 31) {
        return fraction ? std::nan("") : sign * INFINITY;
    }
    return sign * (exponent ? std::ldexp(1024 + fraction, exponent - 25) : std::ldexp(fraction, -24));
}

template<typename T>
T read(const std::byte *at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

struct Tally {
    size_t one_off = 0, wrong = 0, first_wrong = 0;
    double got = 0, wanted = 0;
    void add(size_t i, double g, double w) {
        if (wrong++ == 0) {
            first_wrong = i;
            got = g;
            wanted = w;
        }
    }
};

template<typename Load>
void tally_floats(Tally &tally, size_t n, size_t width, const std::byte *got, const std::byte *wanted, double relative,
                  Load load) {
    double sum = 0;
    size_t finite = 0;
    for (size_t i = 0; i < n; i++) {
        const double w = load(wanted + i * width);
        if (std::isfinite(w)) {
            sum += std::fabs(w);
            finite++;
        }
    }
    const double allowance = relative * sum / double(finite ? finite : 1);
    for (size_t i = 0; i < n; i++) {
        if (std::memcmp(got + i * width, wanted + i * width, width) == 0) {
            continue;
        }
        const double g = load(got + i * width), w = load(wanted + i * width);
        const bool both_nan = std::isnan(g) && std::isnan(w);
        if (!both_nan && !(std::fabs(g - w) <= relative * std::fabs(w) + allowance) && !(g == w)) {
            tally.add(i, g, w);
        }
    }
}

template<typename T>
void tally_integers(Tally &tally, size_t n, const std::byte *got, const std::byte *wanted) {
    for (size_t i = 0; i < n; i++) {
        const T g = read<T>(got + i * sizeof(T)), w = read<T>(wanted + i * sizeof(T));
        if (g == w) {
            continue;
        }
        const double apart = std::fabs(double(g) - double(w));
        if (apart <= 1 && sizeof(T) < 8) {
            tally.one_off++;
        } else {
            tally.add(i, double(g), double(w));
        }
    }
}

void tally_by_type(Tally &t, halide_type_t type, size_t n, const std::byte *got, const std::byte *wanted) {
    const bool is_signed = type.code == halide_type_int;
    if (type.code == halide_type_float) {
        switch (type.bits) {
        case 16:
            return tally_floats(t, n, 2, got, wanted, 2e-3, [](auto *p) { return from_half(read<uint16_t>(p)); });
        case 32:
            return tally_floats(t, n, 4, got, wanted, kRelative, [](auto *p) { return double(read<float>(p)); });
        case 64:
            return tally_floats(t, n, 8, got, wanted, kRelative, [](auto *p) { return read<double>(p); });
        }
    } else {
        switch (type.bytes()) {
        case 1:
            return is_signed ? tally_integers<int8_t>(t, n, got, wanted) : tally_integers<uint8_t>(t, n, got, wanted);
        case 2:
            return is_signed ? tally_integers<int16_t>(t, n, got, wanted) : tally_integers<uint16_t>(t, n, got, wanted);
        case 4:
            return is_signed ? tally_integers<int32_t>(t, n, got, wanted) : tally_integers<uint32_t>(t, n, got, wanted);
        case 8:
            return tally_integers<int64_t>(t, n, got, wanted);
        }
    }
    throw std::runtime_error("no comparison for this type of " + std::to_string(type.bits) + " bits");
}

std::vector<std::byte> make_values(halide_type_t type) {
    const bool is_signed = type.code == halide_type_int;
    const auto wide = [is_signed](uint64_t bits) {
        return is_signed ? int64_t(bits >> 54) - 512 : int64_t(bits >> 48);
    };
    if (type.code == halide_type_float) {
        switch (type.bits) {
        case 16:
            return values<uint16_t>(half);
        case 32:
            return values<float>([](uint64_t bits) { return float(int32_t(bits >> 32) >> 8) * (1.0F / 8388608); });
        case 64:
            return values<double>([](uint64_t bits) { return double(int64_t(bits)) / 9223372036854775808.0; });
        }
    } else if (type.code == halide_type_int || type.code == halide_type_uint) {
        switch (type.bits) {
        case 1:
            return values<uint8_t>([](uint64_t bits) { return bits >> 63; });
        case 8:
            return values<uint8_t>([](uint64_t bits) { return bits >> 56; });
        case 16:
            return values<int16_t>(wide);
        case 32:
            return values<int32_t>(wide);
        case 64:
            return values<int64_t>(wide);
        }
    }
    throw std::runtime_error("no random data for this type of " + std::to_string(type.bits) + " bits");
}

}  // namespace

const std::vector<std::byte> &random_values(halide_type_t type) {
    static std::map<std::pair<int, int>, std::vector<std::byte>> made;
    std::vector<std::byte> &block = made[{type.code, type.bits}];
    if (block.empty()) {
        block = make_values(type);
    }
    return block;
}

Difference difference(halide_type_t type, const std::byte *got, const std::byte *wanted, size_t elements,
                      size_t allowed) {
    Tally tally;
    tally_by_type(tally, type, elements, got, wanted);
    Difference difference{"", tally.wrong + tally.one_off};
    if (tally.wrong > elements / kAnythingIn + allowed) {
        std::ostringstream text;
        text << tally.wrong << " of " << elements << " values differ; the first, number " << tally.first_wrong
             << ", is " << std::setprecision(9) << tally.got << " and should be " << tally.wanted;
        difference.text = text.str();
    } else if (tally.one_off > elements / kOneOffIn + allowed) {
        difference.text = std::to_string(tally.one_off) + " of " + std::to_string(elements) + " values are off by one";
    }
    return difference;
}

}  // namespace bench

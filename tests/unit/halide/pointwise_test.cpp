/// The pointwise template, seen in PTX: 16-byte loads and stores in the fast branch of every layout.
#include <functional>

#include "schedules/lower.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::cuda;
using testing::entries;
using testing::planned;

constexpr const char *kWideLoad = "ld\\.global(\\.nc)?\\.v4\\.";
constexpr const char *kNarrowLoad = "ld\\.global(\\.nc)?\\.[fubs][0-9]";
constexpr const char *kWideStore = "st\\.global\\.v4\\.";
constexpr const char *kNarrowStore = "st\\.global\\.[fubs][0-9]";

/// What a branch does to memory.
struct Accesses {
    int wide_loads = 0, narrow_loads = 0, wide_stores = 0, narrow_stores = 0;
    bool operator==(const Accesses &) const = default;
};

std::ostream &operator<<(std::ostream &out, const Accesses &a) {
    return out << a.wide_loads << " wide and " << a.narrow_loads << " narrow loads, " << a.wide_stores << " wide and "
               << a.narrow_stores << " narrow stores";
}

/// The branches of the kernels, in the order in which they are asked: the general one comes last.
std::vector<Accesses> branches(const std::string &ptx) {
    std::vector<Accesses> result;
    for (const std::string &entry : entries(ptx)) {
        result.push_back({testing::count_matches(entry, kWideLoad), testing::count_matches(entry, kNarrowLoad),
                          testing::count_matches(entry, kWideStore), testing::count_matches(entry, kNarrowStore)});
    }
    return result;
}

bool has(const std::vector<Accesses> &all, const Accesses &wanted) {
    return std::find(all.begin(), all.end(), wanted) != all.end();
}

std::string text(const std::vector<Accesses> &all) {
    std::ostringstream out;
    for (const Accesses &a : all) {
        out << a << "\n";
    }
    return out.str();
}

class Pointwise : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, c{"c"};

    std::string compile(const Func &output, size_t kernels = 1) const {
        const Planned p = planned({output});
        EXPECT_EQ(p.plan.groups.size(), kernels);
        return ptx_of(p, cuda());
    }
};

TEST_F(Pointwise, loads_and_stores_16_bytes_in_one_dimension) {
    ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
    Func output("output");
    output(x) = max(a(x) + b(x), 0.0f);
    output.set_estimate(x, 0, 1 << 24);
    const auto all = branches(compile(output));
    ASSERT_EQ(all.size(), 2u) << text(all);
    EXPECT_TRUE(has(all, {2, 0, 1, 0}) || has(all, {2, 8, 1, 4})) << text(all);
}

TEST_F(Pointwise, loads_and_stores_16_bytes_in_two_dimensions_contiguous_or_padded) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Func output("output");
    output(x, y) = max(a(x, y) * b(x, y), 0.0f);
    output.set_estimates({{0, 4096}, {0, 4096}});
    const auto all = branches(compile(output));
    EXPECT_EQ(all.size(), 3u) << text(all);
}

}  // namespace
}  // namespace fusion

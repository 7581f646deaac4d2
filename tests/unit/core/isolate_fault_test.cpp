#include "fusion/isolate_fault.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace fusion::test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Parts = std::vector<size_t>;

/// A check that passes when all of `faults` are left out; counts how often it is asked.
struct Check {
    Parts faults;
    int asked = 0;
    bool operator()(const Parts &without) {
        asked++;
        EXPECT_TRUE(std::is_sorted(without.begin(), without.end()));
        return std::includes(without.begin(), without.end(), faults.begin(), faults.end());
    }
};

Parts found(size_t count, Check &check) {
    return isolate_fault(count, [&](const Parts &without) { return check(without); });
}

TEST(IsolateFault, FindsTheOneAtFaultInALogarithmOfChecks) {
    for (size_t fault = 0; fault < 64; fault++) {
        Check check{{fault}};
        EXPECT_THAT(found(64, check), ElementsAre(fault));
        EXPECT_LE(check.asked, 12);
    }
}

TEST(IsolateFault, FindsSeveralWhereverTheyAre) {
    Check near{{6, 7}}, apart{{0, 5, 12}}, all{{0, 1, 2}};
    EXPECT_THAT(found(13, near), ElementsAre(6, 7));
    EXPECT_THAT(found(13, apart), ElementsAre(0, 5, 12));
    EXPECT_THAT(found(3, all), ElementsAre(0, 1, 2));
}

TEST(IsolateFault, AsksNothingOfOnePartOrNone) {
    Check one{{0}}, none{{}};
    EXPECT_THAT(found(1, one), ElementsAre(0));
    EXPECT_THAT(found(0, none), IsEmpty());
    EXPECT_EQ(one.asked + none.asked, 0);
}

}  // namespace
}  // namespace fusion::test

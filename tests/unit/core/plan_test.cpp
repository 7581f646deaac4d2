#include "fusion/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "fusion/error.h"

namespace fusion {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(PlanNames, AreDistinct) {
    std::set<std::string> names;
    for (int placement = 0; placement <= (int)Placement::Host; placement++) {
        names.insert(name_of((Placement)placement));
    }
    EXPECT_EQ(names.size(), (size_t)Placement::Host + 1);
    names.clear();
    for (int kind = 0; kind <= (int)Template::HostLoops; kind++) {
        names.insert(name_of((Template)kind));
    }
    EXPECT_EQ(names.size(), (size_t)Template::HostLoops + 1);
}

TEST(PlanNames, OfVariantsAreReadBack) {
    for (const Variant variant : {Variant::Fused, Variant::Unfused, Variant::Inlined}) {
        EXPECT_EQ(variant_named(name_of(variant)), variant);
    }
}

TEST(PlanNames, UnknownVariantIsAUserErrorThatListsTheValidOnes) {
    for (const std::string name : {"hand", "", "Fused", "fuse"}) {
        EXPECT_THAT([&] { (void)variant_named(name); },
                    ThrowsMessage<UserError>(AllOf(HasSubstr(name), HasSubstr("fused, unfused, inlined"))));
    }
}

}  // namespace
}  // namespace fusion

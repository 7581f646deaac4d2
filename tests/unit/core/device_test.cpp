#include "fusion/device.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fusion/error.h"

namespace fusion {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::vector<Figure> figures(const Device &d) {
    return {d.multiprocessors,
            d.threads_per_multiprocessor,
            d.registers_per_multiprocessor,
            d.shared_per_multiprocessor,
            d.shared_per_block,
            d.threads_per_block,
            d.registers_per_thread,
            d.argument_bytes,
            d.l2,
            d.memory_bandwidth,
            d.l2_bandwidth,
            d.memory_latency,
            d.launch,
            d.instruction_rate,
            d.overlap,
            d.uncoalesced_waste};
}

TEST(Device, EveryFigureIsPositiveAndHasASource) {
    for (const Device &device : devices()) {
        for (const Figure &figure : figures(device)) {
            EXPECT_GT(figure.value, 0) << device.name;
            EXPECT_STRNE(figure.source, "") << device.name;
        }
    }
}

TEST(Device, FiguresFitEachOther) {
    for (const Device &device : devices()) {
        EXPECT_LE(device.shared_per_block, device.shared_per_multiprocessor) << device.name;
        EXPECT_LE(device.threads_per_block, device.threads_per_multiprocessor) << device.name;
        EXPECT_GT(device.l2_bandwidth, device.memory_bandwidth) << device.name;
        EXPECT_LE(device.overlap, 1) << device.name;
        EXPECT_GE(device.uncoalesced_waste, 1) << device.name;
    }
}

TEST(Device, IsFoundWhateverTheCaseOfItsName) {
    EXPECT_STREQ(device_named("H200").name, "H200");
    EXPECT_STREQ(device_named("h200").name, "H200");
    EXPECT_STREQ(device_named("l40S").name, "L40S");
    EXPECT_STREQ(device_named("GENERIC").name, "generic");
}

TEST(Device, UnknownNameIsAUserErrorThatListsTheValidOnes) {
    for (const std::string name : {"H100", "", "H2000", "H20"}) {
        const std::string message = std::string("Unknown device \"").append(name).append("\"");
        EXPECT_THAT([&] { (void)device_named(name); },
                    ThrowsMessage<UserError>(AllOf(HasSubstr(message), HasSubstr("H200"), HasSubstr("A100"),
                                                   HasSubstr("L40S"), HasSubstr("generic"))));
    }
}

}  // namespace
}  // namespace fusion

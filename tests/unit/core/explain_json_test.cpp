#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "fusion/explain.h"
#include "tests/unit/core/graphs.h"
#include "tests/unit/core/random_graph.h"

namespace fusion::test {
namespace {

using ::testing::IsSupersetOf;
using Json = nlohmann::json;

std::vector<std::string> keys(const Json &object) {
    std::vector<std::string> found;
    for (const auto &[key, value] : object.items()) {
        found.push_back(key);
    }
    return found;
}

Json explained(const StageGraph &graph, Variant variant = Variant::Fused) {
    const Plan plan = plan_of(graph, variant);
    const Ledger ledger = make_ledger(graph, plan, plan_of(graph, Variant::Unfused));
    return Json::parse(explain_json({"a \"pipeline\"", graph, device_named("H200"), plan, ledger}));
}

TEST(ExplainJson, HasEveryFieldOfTheContract) {
    const Json object = explained(random_graph(1, 20));
    EXPECT_THAT(keys(object), IsSupersetOf({"schema", "pipeline", "device", "variant", "kernels", "edges", "totals"}));
    ASSERT_FALSE(object["kernels"].empty());
    for (const Json &kernel : object["kernels"]) {
        EXPECT_THAT(keys(kernel),
                    IsSupersetOf({"name", "stages", "bytes_read", "bytes_written", "flops", "recomputed_flops",
                                  "registers", "shared_bytes", "blocks", "waves", "occupancy", "launch_us", "read_us",
                                  "compute_us", "write_us", "time_us"}));
        EXPECT_THAT(keys(kernel["registers"]), IsSupersetOf({"value", "source"}));
        ASSERT_FALSE(kernel["stages"].empty());
        for (const Json &stage : kernel["stages"]) {
            EXPECT_THAT(keys(stage), IsSupersetOf({"func", "update", "placement"}));
        }
    }
    ASSERT_FALSE(object["edges"].empty());
    for (const Json &edge : object["edges"]) {
        EXPECT_THAT(keys(edge),
                    IsSupersetOf({"producer", "consumer", "kind", "verdict", "rule", "why", "apart_us", "fused_us"}));
    }
    EXPECT_THAT(keys(object["totals"]), IsSupersetOf({"unfused", "planned", "compulsory_bytes"}));
    for (const char *side : {"unfused", "planned"}) {
        EXPECT_THAT(keys(object["totals"][side]), IsSupersetOf({"launches", "bytes", "time_us"}));
    }
}

TEST(ExplainJson, SaysWhatThePlanSays) {
    const Json object = explained(chain(2, {1000}));
    EXPECT_EQ(object["schema"], 1);
    EXPECT_EQ(object["pipeline"], "a \"pipeline\"");
    EXPECT_EQ(object["device"], "H200");
    EXPECT_EQ(object["variant"], "fused");
    ASSERT_EQ(object["kernels"].size(), 1u);
    EXPECT_EQ(object["kernels"][0]["name"], "s2");
    EXPECT_EQ(object["kernels"][0]["bytes_read"], 4000);
    EXPECT_EQ(object["kernels"][0]["registers"]["source"], "estimated");
    EXPECT_EQ(object["kernels"][0]["stages"][0], Json::parse(R"({"func": "s1", "update": 0, "placement": "inlined"})"));
    EXPECT_EQ(object["kernels"][0]["stages"][1], Json::parse(R"({"func": "s2", "update": 0, "placement": "root"})"));
    ASSERT_EQ(object["edges"].size(), 2u);
    EXPECT_EQ(object["edges"][1]["producer"], "s1");
    EXPECT_EQ(object["edges"][1]["consumer"], "s2");
    EXPECT_EQ(object["edges"][1]["kind"], "pointwise");
    EXPECT_EQ(object["edges"][1]["verdict"], "fused");
    EXPECT_EQ(object["totals"]["planned"]["launches"], 1);
    EXPECT_EQ(object["totals"]["unfused"]["launches"], 2);
    EXPECT_EQ(object["totals"]["compulsory_bytes"], 8000);
}

TEST(ExplainJson, KernelsAddUpToTheTotals) {
    for (const Variant variant : {Variant::Fused, Variant::Unfused, Variant::Inlined}) {
        const Json object = explained(random_graph(7, 30), variant);
        double bytes = 0, time = 0;
        for (const Json &kernel : object["kernels"]) {
            bytes += kernel["bytes_read"].get<double>() + kernel["bytes_written"].get<double>();
            time += kernel["time_us"].get<double>();
        }
        EXPECT_EQ(object["variant"], name_of(variant));
        EXPECT_EQ(object["totals"]["planned"]["launches"], object["kernels"].size());
        EXPECT_DOUBLE_EQ(object["totals"]["planned"]["bytes"].get<double>(), bytes);
        EXPECT_DOUBLE_EQ(object["totals"]["planned"]["time_us"].get<double>(), time);
    }
}

TEST(ExplainJson, HasNumbersAlsoForEmptyRegions) {
    for (const Json &kernel : explained(chain(2, {0, 16}))["kernels"]) {
        for (const char *field : {"blocks", "waves", "occupancy", "read_us", "compute_us", "write_us", "time_us"}) {
            EXPECT_TRUE(kernel[field].is_number()) << field;
        }
    }
}

TEST(ExplainJson, ListsWhichStagesShareALaunch) {
    const Json object = explained(branches(3, {256}, false));
    ASSERT_EQ(object["joins"].size(), 1u);
    EXPECT_EQ(object["joins"][0]["outputs"], Json::parse(R"(["out0", "out1", "out2"])"));
    EXPECT_EQ(object["joins"][0]["joined"], true);
    EXPECT_EQ(object["kernels"][0]["name"], "out0+out1+out2");
}

}  // namespace
}  // namespace fusion::test

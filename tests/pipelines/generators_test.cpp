/// Every generator, every variant, against the reference at every size.
#include <gtest/gtest.h>

#include <algorithm>

#include "schedules/hand/hand.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using Params = std::map<std::string, std::string>;

struct Subject {
    const char *name;
    Params params;                ///< beside width and height
    std::vector<int> outer;       ///< per output: extent behind width and height; 0: none. Empty: all outputs are 2-D
    bool launches_fewer = false;  ///< of an output outside of the input, which needs less than one inside
};

const Subject kSubjects[] = {
    {"bias_gelu_residual", {}, {}},
    {"bilateral_grid", {}, {}},
    {"blur3x3", {}, {}},
    {"broadcast_chain", {}, {}},
    {"camera_pipe", {}, {3}},
    {"canny_like", {}, {}},
    {"cheap_fanout", {}, {}},
    {"conv_relu", {{"channels", "4"}}, {4}},
    {"conv_relu", {{"channels", "8"}}, {5}},
    {"dear_fanout", {{"steps", "2"}}, {0, 3}},
    {"dear_fanout", {{"steps", "24"}}, {0, 3}},
    {"deep_chain", {}, {}},
    {"depthwise_separable", {{"channels", "8"}}, {5}},
    {"harris", {}, {}},
    {"iir_blur", {{"width", "64"}, {"height", "40"}}, {3}},
    {"integral_image", {{"width", "70"}, {"height", "40"}}, {}},
    {"interpolate", {{"levels", "2"}}, {3}},
    {"jacobi_steps", {{"steps", "2"}}, {}, true},
    {"lens_blur", {{"slices", "4"}, {"radius", "2"}}, {3}},
    {"local_laplacian", {{"levels", "2"}, {"intensities", "3"}}, {3}},
    {"long_live_range", {{"values", "12"}}, {}},  // 96 values are 98 kernels unfused
    {"max_filter", {}, {}},
    {"mixed_types", {}, {}},
    {"multi_output", {}, {}},
    {"nl_means", {{"patch", "3"}, {"search", "3"}}, {3}},
    {"optical_flow_step", {{"radius", "1"}}, {}},
    {"pointwise_chain", {}, {}},
    {"resize", {}, {3}},
    {"small_branches", {}, {}},
    {"stencil_chain", {{"stages", "2"}}, {}},
    {"transpose_sandwich", {}, {}},
    {"unsharp", {}, {3}},
};

struct Case {
    Subject subject;
    std::string variant;
};

std::string name_of(const Case &c) {
    std::string name = c.subject.name;
    for (const auto &[key, value] : c.subject.params) {
        name += "_" + key + value;
    }
    return name + "_" + c.variant;
}

void PrintTo(const Case &c, std::ostream *out) {
    *out << name_of(c);
}

std::vector<Case> all_cases() {
    std::vector<Case> cases;
    const std::vector<std::string> by_hand = hand_scheduled();
    for (const Subject &subject : kSubjects) {
        for (const char *variant : {"unfused", "inlined", "fused"}) {
            cases.push_back({subject, variant});
        }
        if (std::count(by_hand.begin(), by_hand.end(), subject.name) > 0) {
            cases.push_back({subject, "hand"});
        }
    }
    // Deeper, for what is done from some level on. Inlined, its expressions would grow 25-fold a level.
    for (const char *variant : {"fused", "hand"}) {
        cases.push_back({{"local_laplacian", {{"levels", "6"}, {"intensities", "2"}}, {3}}, variant});
    }
    return cases;
}

class Generators : public ::testing::TestWithParam<Case> {
protected:
    void SetUp() override { SKIP_WITHOUT_DEVICE(); }

    /// Planned for the generator's own estimates, or for others.
    Runner runner(const Params &sizes = {}) const {
        Params params = GetParam().subject.params;
        params.insert(sizes.begin(), sizes.end());
        Options options;
        options.variant = GetParam().variant;
        Runner made(generator(GetParam().subject.name, params), options);
        if (GetParam().subject.launches_fewer) {
            made.allow_fewer_launches();
        }
        return made;
    }

    /// Regions of all outputs, `width` x `height` each.
    static std::vector<Region> regions(const Runner &runner, const Region &plane) {
        const std::vector<int> &outer = GetParam().subject.outer;
        std::vector<Region> all((size_t)runner.outputs(), plane);
        for (size_t i = 0; i < outer.size(); i++) {
            if (outer[i] > 0) {
                all[i].min.push_back(0);
                all[i].extent.push_back(outer[i]);
            }
        }
        return all;
    }
};

/// Widths and heights that no vector, block or tile divides, and some that all of them do.
const std::vector<std::pair<int, int>> kSizes = {{1, 1},   {3, 1},   {1, 3},   {255, 3},  {257, 2},
                                                 {509, 5}, {2, 509}, {64, 64}, {128, 130}};

TEST_P(Generators, IsRightAtEverySizeAndPlace) {
    Runner runner = this->runner();
    EXPECT_EQ(runner.planned().plan.fallback, "");
    for (const auto &[width, height] : kSizes) {
        runner.check(regions(runner, of({width, height})), Memory::Dense);
    }
    for (const auto &[width, height] : kSizes) {
        runner.check(regions(runner, at({-5, 7}, {width, height})), Memory::Padded);
        runner.check(regions(runner, at({3, 1}, {width, height})), Memory::Misplaced);
    }
    // Nothing to write: no error, nothing written.
    // Limit: away from the origin a loop that Halide fused asks for one element of every input even so, and an input that
    // is just as empty is refused (by an error, before anything runs).
    for (const auto &[width, height] : std::vector<std::pair<int, int>>{{0, 0}, {0, 5}, {5, 0}}) {
        runner.check(regions(runner, of({width, height})), Memory::Dense);
    }
    runner.check(regions(runner, at({4, 8}, {256, 16})), Memory::Dense);
    runner.check(regions(runner, of({256, 16})), Memory::Padded);
}

TEST_P(Generators, IsRightFarAboveItsEstimates) {
    Runner runner = this->runner({{"width", "33"}, {"height", "3"}});
    EXPECT_EQ(runner.planned().plan.fallback, "");
    runner.check(regions(runner, of({33, 3})), Memory::Dense);
    runner.check(regions(runner, of({1031, 67})), Memory::Dense);
    runner.check(regions(runner, at({-1031, 67}, {1024, 64})), Memory::Misplaced);
    runner.check(regions(runner, of({2, 1})), Memory::Dense);
}

INSTANTIATE_TEST_SUITE_P(, Generators, ::testing::ValuesIn(all_cases()),
                         [](const auto &info) { return name_of(info.param); });

}  // namespace
}  // namespace fusion

/// What a CUDA schedule asks of its buffers, checked without a GPU: a bounds query runs none of the kernels.
#include <gtest/gtest.h>

#include "fusion/cli/generators.h"
#include "fusion/halide/reference.h"
#include "schedules/apply.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;

class CudaBounds : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(, CudaBounds, ::testing::ValuesIn(generator_names()),
                         [](const auto &info) { return info.param; });

std::vector<Region> asked(Built &built, const std::vector<Buffer<>> &outputs, const Target &target) {
    for (Parameter &p : built.inputs) {
        if (p.is_buffer()) {
            p.set_buffer(Buffer<>());
        } else {
            p.set_scalar<float>(1.0f);
        }
    }
    built.pipeline.infer_input_bounds(Realization(outputs), target);
    std::vector<Region> regions;
    for (const Parameter &p : built.inputs) {
        Region region;
        for (int d = 0; p.is_buffer() && d < p.dimensions(); d++) {
            region.min.push_back(p.buffer().dim(d).min());
            region.extent.push_back(p.buffer().dim(d).extent());
        }
        regions.push_back(region);
    }
    return regions;
}

TEST_P(CudaBounds, AsksForNoMoreThanTheReference) {
    std::map<std::string, std::string> params;
    if (GetParam() == "long_live_range") {
        params["values"] = "12";
    }
    Built reference = generator(GetParam(), params)(), fused = generator(GetParam(), params)();
    const Target cpu = target_for(""), cuda = target_for("cuda");
    schedule_reference(read_pipeline(functions_of(reference.pipeline)));
    Options options;
    options.verify = false;
    const Planned planned = plan_pipeline(functions_of(fused.pipeline), cuda, options, GetParam());
    apply_schedule(planned.schedule, planned.view);
    // Mins that the wide branches exclude, sizes below a vector, rows that no vector divides.
    for (const auto &[min, extent] :
         std::vector<std::pair<int, int>>{{0, 1}, {0, 3}, {0, 256}, {3, 1}, {-5, 257}, {4, 64}}) {
        SCOPED_TRACE(std::to_string(min) + "+" + std::to_string(extent));
        std::vector<Buffer<>> outputs;
        for (const auto &f : planned.view.outputs) {
            for (const Type &type : f.output_types()) {
                Buffer<> buffer(type, std::vector<int>((size_t)f.dimensions(), extent));
                buffer.set_min(std::vector<int>((size_t)f.dimensions(), min));
                outputs.push_back(buffer);
            }
        }
        try {
            const std::vector<Region> wanted = asked(reference, outputs, cpu), got = asked(fused, outputs, cuda);
            for (size_t i = 0; i < wanted.size(); i++) {
                EXPECT_EQ(got[i].min, wanted[i].min) << fused.inputs[i].name();
                EXPECT_EQ(got[i].extent, wanted[i].extent) << fused.inputs[i].name();
            }
        } catch (const Halide::Error &e) {
            FAIL() << e.what();
        }
    }
}

}  // namespace
}  // namespace fusion

/// The pointwise template, seen in PTX: 16-byte loads and stores in the fast branch of every layout, none in the general one.
#include "fusion/halide/execute.h"
#include "fusion/write_file.h"
#include "schedules/apply.h"
#include "tests/unit/halide/testing.h"

namespace fusion {
namespace {

using namespace Halide;
using testing::count_matches;
using testing::cuda;
using testing::entries;
using testing::planned;

/// A branch of a kernel.
struct Branch {
    bool is_flat = false;  ///< its leading dimensions are one loop
    int wide_loads = 0, wide_stores = 0, narrow_loads = 0;
};

/// In the order in which they are asked: the general one comes last.
std::vector<Branch> branches_of(const std::string &ptx) {
    std::vector<Branch> branches;
    for (const std::string &entry : entries(ptx)) {
        const std::string name = entry.substr(0, entry.find('('));
        branches.push_back({name.find("fusion_row") != std::string::npos,
                            count_matches(entry, "ld\\.global\\S*\\.v4\\.[bfus]32"),
                            count_matches(entry, "st\\.global\\.v4\\.[bfus]32"),
                            count_matches(entry, "ld\\.global(\\.nc)?\\.[bfus]")});
    }
    return branches;
}

class Pointwise : public ::testing::Test {
protected:
    const Var x{"x"}, y{"y"}, c{"c"};

    /// Compiles, and expects fast branches (flat or not, as said) that load each of `inputs` and store in 16 bytes, and a
    /// general one after them that does not.
    static void expect_wide(const Func &output, int inputs, const std::vector<bool> &flat) {
        const Planned p = planned({output});
        EXPECT_EQ(p.plan.groups.size(), 1u);
        const std::string ptx = ptx_of(p, cuda());
        const std::vector<Branch> branches = branches_of(ptx);
        ASSERT_EQ(branches.size(), flat.size() + 1) << ptx.substr(0, 2000);
        for (size_t i = 0; i < flat.size(); i++) {
            EXPECT_EQ(branches[i].is_flat, flat[i]) << "branch " << i;
            EXPECT_GE(branches[i].wide_loads, inputs) << "branch " << i;
            EXPECT_GE(branches[i].wide_stores, 1) << "branch " << i;
        }
        EXPECT_EQ(branches.back().wide_loads + branches.back().wide_stores, 0)
            << "the general branch takes any alignment";
        EXPECT_GT(branches.back().narrow_loads, 0);
    }

    /// Channels innermost in memory.
    template<typename Buffer>
    void interleave(Buffer buffer, int channels) const {
        buffer.dim(0).set_stride(channels);
        buffer.dim(2).set_stride(1);
        buffer.dim(2).set_bounds(0, channels);
    }
};

TEST_F(Pointwise, an_output_that_another_reads_is_not_flattened) {
    ImageParam in(Int(32), 3, "in");
    Func read("read"), reader("reader");
    read(x, y, c) = in(x, y, c) % 100;
    reader(x, y, c) = read(x, y, c) * 2;
    read.set_estimates({{0, 64}, {0, 64}, {0, 64}});
    reader.set_estimates({{0, 64}, {0, 64}, {0, 64}});
    const Planned p = planned({read, reader}, "unfused");
    ASSERT_EQ(p.plan.groups.size(), 2u);
    const auto is_flattened = [&](const std::string &name) {
        const int func_id = testing::stage(p.view, name).func_id;
        return std::any_of(p.schedule.begin(), p.schedule.end(), [&](const Directive &d) {
            return d.func_id == func_id && d.verb == Verb::Fuse && d.loops[2].name == "fusion_row";
        });
    };
    EXPECT_FALSE(is_flattened("read"));
    EXPECT_TRUE(is_flattened("reader"));
}

TEST_F(Pointwise, accesses_16_bytes_in_one_dimension) {
    ImageParam a(Float(32), 1, "a"), b(Float(32), 1, "b");
    Func output("output");
    output(x) = max(a(x) + b(x), 0.0f);
    output.set_estimate(x, 0, 1 << 24);
    expect_wide(output, 2, {false});
}

TEST_F(Pointwise, accesses_16_bytes_in_contiguous_images_and_in_padded_rows) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Func output("output");
    output(x, y) = max(a(x, y) * b(x, y), 0.0f);
    output.set_estimates({{0, 4096}, {0, 4096}});
    expect_wide(output, 2, {true, false});
}

TEST_F(Pointwise, accesses_16_bytes_in_three_dimensions) {
    ImageParam a(Float(32), 3, "a");
    Func output("output");
    output(x, y, c) = a(x, y, c) * 2.0f;
    output.set_estimates({{0, 1024}, {0, 1024}, {0, 3}});
    expect_wide(output, 1, {true, false});
}

TEST_F(Pointwise, accesses_16_bytes_in_interleaved_images) {
    ImageParam a(Float(32), 3, "a");
    Func output("output");
    output(x, y, c) = a(x, y, c) * 2.0f;
    output.set_estimates({{0, 1024}, {0, 1024}, {0, 3}});
    interleave(a, 3);
    interleave(output.output_buffer(), 3);
    expect_wide(output, 1, {true});
}

TEST_F(Pointwise, accesses_16_bytes_beside_a_broadcast_row_and_column) {
    ImageParam a(Float(32), 2, "a"), row(Float(32), 1, "row"), column(Float(32), 1, "column");
    Func output("output");
    output(x, y) = a(x, y) * row(x) + column(y);
    output.set_estimates({{0, 4096}, {0, 4096}});
    expect_wide(output, 2, {false});
}

TEST_F(Pointwise, accesses_16_bytes_of_an_intermediate_that_is_stored) {
    ImageParam a(Float(32), 2, "a");
    Func stored("stored"), output("output");
    stored(x, y) = a(x, y) * 2.0f;
    output(x, y) = stored(x, y) + 1.0f;
    output.set_estimates({{0, 4096}, {0, 4096}});
    const std::string ptx = ptx_of(planned({output}, "unfused"), cuda());
    int wide = 0;
    for (const Branch &branch : branches_of(ptx)) {
        wide += branch.wide_loads >= 1 && branch.wide_stores >= 1;
    }
    EXPECT_EQ(wide, 2) << "rows of either kernel";
}

TEST_F(Pointwise, has_no_vectors_to_guard_on_opencl) {
    ImageParam a(Float(32), 2, "a"), b(Float(32), 2, "b");
    Func output("output");
    output(x, y) = a(x, y) + b(x, y);
    output.set_estimates({{0, 4096}, {0, 4096}});
    const Planned p = planned({output}, "fused", true, testing::opencl());
    EXPECT_EQ(p.plan.fallback, "");
    int vectors_in_branches = 0, vectors_in_general = 0;
    for (const Directive &d : p.schedule) {
        if (d.verb == Verb::Vectorize) {
            (d.branch < 0 ? vectors_in_general : vectors_in_branches)++;
        }
        EXPECT_FALSE(d.branch >= 0 && d.verb == Verb::Split && d.loops[2].name == "fusion_lane" &&
                     d.tail != TailStrategy::RoundUp);
    }
    EXPECT_EQ(vectors_in_branches, 1);
    EXPECT_EQ(vectors_in_general, 0);
}

TEST_F(Pointwise, takes_a_crop_at_any_minimum) {
    const std::string api = device_api();
    if (api.empty()) {
        GTEST_SKIP() << "neither a CUDA nor an OpenCL device";
    }
    ImageParam in(Float(32), 2, "in");
    Func output("output");
    output(x, y) = in(x, y) + 1.0f;
    output.set_estimates({{0, 4096}, {0, 4096}});
    const Planned p = planned({output}, "fused", false, target_for(api));
    apply_schedule(p.schedule, p.view);
    Pipeline pipeline(output);
    for (const auto &[left, top] : {std::pair{0, 0}, {100, 50}, {-7, 3}}) {
        Buffer<float> image(130, 65), result(130, 65);
        fill(image, 1);
        image.set_min(left, top);
        result.set_min(left, top);
        in.set(image);
        ASSERT_NO_THROW(pipeline.realize(result, target_for(api))) << left << ", " << top;
        result.copy_to_host();
        EXPECT_EQ(result(left + 129, top + 64), image(left + 129, top + 64) + 1);
        EXPECT_EQ(result(left, top), image(left, top) + 1);
    }
}

TEST_F(Pointwise, asks_on_cuda_for_no_more_of_a_crop_than_the_branch_that_runs) {
    ImageParam in(Float(32), 2, "in");
    Func output("crop");
    output(x, y) = in(x, y) + 1.0f;
    output.set_estimates({{0, 4096}, {0, 4096}});
    const Planned p = planned({output});
    apply_schedule(p.schedule, p.view);
    const std::string file = ::testing::TempDir() + "crop.stmt";
    Pipeline(output).compile_to_lowered_stmt(file, {in}, StmtOutputFormat::Text, cuda());
    const std::string statement = read_file(file);
    // The union over branches, some of which hold only where the minimum is 0.
    EXPECT_EQ(statement.find("min(crop.min.0, 0)"), std::string::npos);
    EXPECT_EQ(count_matches(statement, "assert\\(\\(crop\\.min\\.[01] <= 0\\)"), 0);
    EXPECT_GE(count_matches(statement, "\\.min\\.0\\.required\\S* = .*select\\("), 1);
}

TEST_F(Pointwise, computes_a_single_value_in_a_single_thread) {
    ImageParam a(Float(32), 1, "a");
    Func output("output");
    output() = a(0) + 1.0f;
    const Planned p = planned({output}, "fused", true);
    EXPECT_EQ(p.plan.fallback, "");
    EXPECT_EQ(entries(ptx_of(p, cuda())).size(), 1u);
}

}  // namespace
}  // namespace fusion

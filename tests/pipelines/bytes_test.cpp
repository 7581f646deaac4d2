/// The bytes that a plan predicts, against those of the arrays that the lowered kernels touch.
#include <gtest/gtest.h>

#include <set>

#include "fusion/cli/generators.h"
#include "fusion/reduction_kernel.h"
#include "schedules/apply.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

struct Kernel {
    std::set<std::string> read, written;
};

/// The kernels of the statement along the branches that are taken when every condition holds, one a launch.
class FindKernels : public IRVisitor {
public:
    std::vector<Kernel> kernels;

private:
    using IRVisitor::visit;
    int depth = 0;
    std::set<std::string> own;  ///< allocated inside a kernel

    void visit(const For *op) override {
        const bool is_kernel = op->for_type == ForType::GPUBlock && depth == 0;
        if (is_kernel) {
            kernels.emplace_back();
        }
        depth += is_kernel;
        IRVisitor::visit(op);
        depth -= is_kernel;
    }
    void visit(const IfThenElse *op) override {
        if (depth > 0) {
            IRVisitor::visit(op);
            return;
        }
        const size_t before = kernels.size();
        op->then_case.accept(this);
        if (kernels.size() == before && op->else_case.defined()) {
            op->else_case.accept(this);
        }
    }
    void visit(const Allocate *op) override {
        if (depth > 0) {
            own.insert(op->name);
        }
        IRVisitor::visit(op);
    }
    void visit(const Load *op) override {
        if (depth > 0 && !own.count(op->name)) {
            kernels.back().read.insert(op->name);
        }
        IRVisitor::visit(op);
    }
    void visit(const Store *op) override {
        if (depth > 0 && !own.count(op->name)) {
            kernels.back().written.insert(op->name);
        }
        IRVisitor::visit(op);
    }
};

class Capture : public IRMutator {
public:
    explicit Capture(std::vector<Kernel> &kernels) : kernels(kernels) {}
    Stmt mutate(const Stmt &stmt) override {
        FindKernels find;
        stmt.accept(&find);
        kernels = find.kernels;
        return stmt;
    }

private:
    std::vector<Kernel> &kernels;
};

class Bytes : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(, Bytes, ::testing::ValuesIn(generator_names()), [](const auto &info) { return info.param; });

double share(double a, double b) {
    return std::abs(a - b) / std::max(a, b);
}

/// What the plan counts for uncoalesced reads beyond their arrays: sectors of which little is used.
double wasted_bytes(const Planned &planned) {
    double wasted = 0;
    for (const Group &group : planned.plan.groups) {
        for (const Input &input : group.inputs) {
            const double element = planned.view.graph[input.producer].value_bytes;
            const double times = std::min<double>(planned.device->uncoalesced_waste, 32 / element);
            wasted += input.is_coalesced ? 0 : input.bytes * (std::max(1.0, times) - 1);
        }
    }
    return wasted;
}

/// A reduction that is stored is a wrapper of Halide's around it; one split over blocks has parts, stored too.
void add_made_arrays(const Planned &planned, const std::map<int, Func> &made, std::map<std::string, double> &array) {
    std::map<int, int> factored;  // by id, the Func whose update it is a part of
    for (const Directive &d : planned.schedule) {
        if (d.verb == Verb::RFactor) {
            factored[d.func_id] = d.other;
        }
        if (d.verb != Verb::Wrap) {
            continue;
        }
        const bool is_part = factored.count(d.other);
        const int whole = is_part ? factored.at(d.other) : d.other;
        double chunks = 1;
        for (const Group &group : planned.plan.groups) {
            for (const Member &member : reductions_of(planned.view.graph, group)) {
                chunks = is_part && planned.view.graph[member.stage].func_id == whole ? group.tile.chunks : chunks;
            }
        }
        for (const std::string element : {"", ".0", ".1", ".2", ".3"}) {
            const auto stored = whole < (int)planned.view.sources.size()
                                    ? array.find(planned.view.sources[whole].function.name() + element)
                                    : array.end();
            if (stored != array.end()) {
                const double bytes = stored->second * chunks;
                array[made.at(d.func_id).name() + element] = bytes;
            }
        }
    }
}

TEST_P(Bytes, PredictedAreThoseOfTheArrays) {
    // Counted in the statement before GPU code is made of it, so any GPU target does, and OpenCL's is the quickest.
    const Target target = target_for("opencl");
    for (const char *variant : {"unfused", "fused"}) {
        SCOPED_TRACE(variant);
        std::map<std::string, std::string> params;
        if (GetParam() == "long_live_range" && std::string(variant) == "unfused") {
            params["values"] = "12";
        } else if (GetParam() == "interpolate" || GetParam() == "local_laplacian") {
            // Arrays are counted whole. Those of many levels have a wide border that not every reader of them reads.
            params["levels"] = "3";
        }
        Built built = generator(GetParam(), params)();
        Options options;
        options.variant = variant;
        options.verify = false;
        const Planned planned = plan_pipeline(functions_of(built.pipeline), target, options, GetParam());
        for (Vertex v = 0; v < num_vertices(planned.view.graph); v++) {
            const Stage &stage = planned.view.graph[v];
            if (stage.update > 0 && stage.points() < stage.elements() / 2) {
                GTEST_SKIP() << stage_name(stage) << " writes a part of its array, which would be counted whole";
            }
        }
        // The arrays at their estimates. A Func's buffer carries its name, an input's that of its parameter; of a Tuple
        // there are several.
        std::map<std::string, double> array;
        for (Vertex v = 0; v < num_vertices(planned.view.graph); v++) {
            const Stage &stage = planned.view.graph[v];
            const PipelineView::Source &source = planned.view.sources[stage.func_id];
            const std::string name = stage.role == Role::Input ? source.parameter.name() : source.function.name();
            array[name] = stage.elements() * stage.value_bytes;
            for (size_t i = 0; i < stage.element_bytes.size(); i++) {
                array[name + "." + std::to_string(i)] = stage.elements() * stage.element_bytes[i];
            }
        }
        const std::map<int, Func> made = apply_schedule(planned.schedule, planned.view);
        add_made_arrays(planned, made, array);
        std::vector<Kernel> kernels;
        built.pipeline.add_custom_lowering_pass(new Capture(kernels));
        std::vector<Argument> arguments = built.pipeline.infer_arguments();
        built.pipeline.compile_to_module(arguments, "counted", target);
        double read = 0, written = 0;
        for (const Kernel &kernel : kernels) {
            for (const std::string &name : kernel.read) {
                ASSERT_TRUE(array.count(name)) << name;
                read += array[name];
            }
            for (const std::string &name : kernel.written) {
                ASSERT_TRUE(array.count(name)) << name;
                written += array[name];
            }
        }
        EXPECT_GT(written, 0);
        EXPECT_EQ((int)kernels.size(), planned.ledger.planned.launches);
        const double predicted = planned.ledger.planned.bytes_read - wasted_bytes(planned);
        EXPECT_LE(share(read, predicted), 0.02) << "counted " << read << ", predicted " << predicted;
        EXPECT_LE(share(written, planned.ledger.planned.bytes_written), 0.02)
            << "counted " << written << ", predicted " << planned.ledger.planned.bytes_written;
    }
}

}  // namespace
}  // namespace fusion

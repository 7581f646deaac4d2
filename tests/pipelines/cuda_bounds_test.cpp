/// What a CUDA schedule asks of its buffers, found without a GPU: the lowered statement's own checks, evaluated.
#include <gtest/gtest.h>

#include "fusion/cli/generators.h"
#include "fusion/halide/reference.h"
#include "schedules/apply.h"
#include "tests/pipelines/runner.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

using Values = std::map<std::string, Expr>;

/// Evaluates every "accessed out of bounds" check where the fields of buffers ("a.min.0") have the values given.
class CheckAccess : public IRVisitor {
public:
    std::vector<std::string> refused;  ///< messages of checks that do not hold
    int checks = 0;

    CheckAccess(Values fields, int64_t device) : known(std::move(fields)), device(device) {}

private:
    using IRVisitor::visit;
    Values known;
    int64_t device;  ///< address of every buffer

    Expr evaluate(const Expr &e) const {
        class Addresses : public IRMutator {
        public:
            int64_t device = 0;

        private:
            using IRMutator::visit;
            Expr visit(const Call *op) override {
                return op->name == Call::buffer_get_device ? make_const(op->type, device) : IRMutator::visit(op);
            }
        } addresses;
        addresses.device = device;
        return simplify(addresses.mutate(substitute(known, e)));
    }

    void visit(const LetStmt *op) override {
        if (!known.count(op->name) && op->value.type() == Int(32)) {
            const Expr value = evaluate(op->value);
            if (is_const(value)) {
                known[op->name] = value;
            }
        }
        op->body.accept(this);
    }

    void visit(const AssertStmt *op) override {
        const Call *message = op->message.as<Call>();
        if (message && message->name == "halide_error_access_out_of_bounds") {
            checks++;
            const Expr holds = evaluate(op->condition);
            if (!is_const_one(holds)) {
                std::ostringstream text;
                text << message->args[0] << " dimension " << message->args[1] << ": asks for "
                     << evaluate(message->args[2]) << " to " << evaluate(message->args[3]) << " of "
                     << evaluate(message->args[4]) << " to " << evaluate(message->args[5])
                     << (is_const(holds) ? "" : " (does not evaluate)");
                refused.push_back(text.str());
            }
        }
    }
};

class Capture : public IRMutator {
public:
    explicit Capture(Stmt &into) : into(into) {}
    Stmt mutate(const Stmt &stmt) override { return into = stmt; }

private:
    Stmt &into;
};

void add_fields(Values &values, const std::string &name, const Buffer<> &buffer) {
    for (int d = 0; d < buffer.dimensions(); d++) {
        const std::string dim = "." + std::to_string(d);
        values[name + ".min" + dim] = buffer.dim(d).min();
        values[name + ".extent" + dim] = buffer.dim(d).extent();
        values[name + ".stride" + dim] = buffer.dim(d).stride();
    }
}

class CudaBounds : public ::testing::TestWithParam<std::string> {};

INSTANTIATE_TEST_SUITE_P(, CudaBounds, ::testing::ValuesIn(generator_names()),
                         [](const auto &info) { return info.param; });

/// A branch for aligned data must not widen what the others ask for (it did, at any minimum but 0).
TEST_P(CudaBounds, AsksForNoMoreThanTheReference) {
    std::map<std::string, std::string> params;
    if (GetParam() == "long_live_range") {
        params["values"] = "12";
    } else if (GetParam() == "interpolate" || GetParam() == "local_laplacian") {
        params["levels"] = "3";
    }
    Built reference = generator(GetParam(), params)(), fused = generator(GetParam(), params)();
    const Target cpu = target_for(""), cuda = target_for("cuda");
    schedule_reference(read_pipeline(functions_of(reference.pipeline)));
    const Planned planned = plan_pipeline(functions_of(fused.pipeline), cuda, Options(), GetParam());
    EXPECT_EQ(planned.plan.fallback, "");
    apply_schedule(planned.schedule, planned.view);
    Stmt lowered;
    fused.pipeline.add_custom_lowering_pass(new Capture(lowered));
    fused.pipeline.compile_to_module(fused.pipeline.infer_arguments(), "bounds", cuda);
    for (Parameter p : reference.inputs) {
        if (!p.is_buffer() && p.type().is_float()) {
            p.set_scalar<float>(1.0f);
        } else if (!p.is_buffer()) {
            p.set_scalar<int32_t>(1);
        }
    }
    for (const auto &[min, extent] :
         std::vector<std::pair<int, int>>{{0, 1}, {0, 3}, {0, 256}, {3, 1}, {-5, 257}, {4, 64}}) {
        SCOPED_TRACE(std::to_string(min) + "+" + std::to_string(extent));
        Values values;
        std::vector<Buffer<>> outputs;
        for (const auto &f : planned.view.outputs) {
            for (const Parameter &p : f.output_buffers()) {
                Buffer<> buffer(p.type(), std::vector<int>((size_t)f.dimensions(), extent));
                buffer.set_min(std::vector<int>((size_t)f.dimensions(), min));
                add_fields(values, p.name(), buffer);
                outputs.push_back(buffer);
            }
        }
        for (Parameter p : reference.inputs) {
            if (p.is_buffer()) {
                p.set_buffer(Buffer<>());
            }
        }
        reference.pipeline.infer_input_bounds(Realization(outputs), cpu);
        for (size_t i = 0; i < reference.inputs.size(); i++) {
            if (reference.inputs[i].is_buffer()) {
                add_fields(values, fused.inputs[i].name(), reference.inputs[i].buffer());
            }
        }
        for (const int64_t device : {0, 4}) {  // aligned, and not
            CheckAccess check(values, device);
            lowered.accept(&check);
            // Of one number, and of an input that is reduced as a whole, there is nothing to ask.
            EXPECT_TRUE(check.checks > 0 || planned.view.outputs[0].dimensions() == 0);
            EXPECT_EQ(check.refused, std::vector<std::string>()) << "device address " << device;
        }
    }
}

}  // namespace
}  // namespace fusion

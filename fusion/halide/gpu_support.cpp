#include "fusion/halide/gpu_support.h"

#include "fusion/halide/regions.h"

namespace fusion {
namespace {

using namespace Halide;
using namespace Halide::Internal;

class FindBFloat : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void include(const Expr &e) override {
        found |= e.type().is_bfloat();
        IRGraphVisitor::include(e);
    }
};

}  // namespace

std::string gpu_refusal(const Function &f, const Definition &definition) {
    bool found = false;
    for (const Type &type : f.output_types()) {
        found |= type.is_bfloat();
    }
    for (const Expr &e : expressions_of(definition)) {
        FindBFloat finder;
        e.accept(&finder);
        found |= finder.found || e.type().is_bfloat();
    }
    return found ? "Func \"" + f.name() +
                       "\" computes with bfloat16, which Halide 21 cannot compile in a GPU kernel (its code generator "
                       "aborts "
                       "the process). Next step: use float16 or float32, or carry the bits as uint16."
                 : "";
}

}  // namespace fusion

#include "fusion/halide/user_schedule.h"

namespace fusion {

using namespace Halide;
using namespace Halide::Internal;

bool has_own_loops(const Function &f) {
    return f.schedule().compute_level().var_name() != LoopLevel::inlined().var_name() ||
           f.schedule().compute_level().func_name() != LoopLevel::inlined().func_name();
}

bool is_bounded_by_user(const Function &f) {
    return !f.schedule().bounds().empty();
}

bool is_scheduled_by_user(const Function &f) {
    const auto touched = [](const Definition &definition) {
        return definition.schedule().touched() || !definition.schedule().splits().empty() ||
               !definition.specializations().empty();
    };
    if (has_own_loops(f) || !f.schedule().wrappers().empty()) {
        return true;
    }
    if (f.has_extern_definition()) {
        return false;
    }
    bool found = touched(f.definition());
    for (const Definition &update : f.updates()) {
        found |= touched(update);
    }
    return found;
}

}  // namespace fusion

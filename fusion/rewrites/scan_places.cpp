#include "fusion/rewrites/scan_places.h"

#include <algorithm>

#include "fusion/halide/constant_regions.h"
#include "fusion/rewrites/reduction_func.h"

namespace fusion {

using namespace Halide;
using namespace Halide::Internal;

namespace {

class FindUndef : public IRGraphVisitor {
public:
    bool found = false;

private:
    using IRGraphVisitor::visit;
    void visit(const Call *op) override {
        found |= op->is_intrinsic(Call::undef);
        IRGraphVisitor::visit(op);
    }
};

}  // namespace

std::optional<Expr> first_value(const ScanFunc &scan) {
    if (scan.update == 0) {
        return std::nullopt;
    }
    const Definition &update = scan.function.update(scan.update - 1);
    const Expr value = substitute_in_all_lets(update.values()[0]);
    bool is_it =
        update.schedule().rvars().empty() && update.specializations().empty() && !mentions(value, scan.function.name());
    for (int d = 0; d < (int)update.args().size(); d++) {
        const Expr place = d == scan.dim ? scan.first : Expr(Var(scan.function.args()[d]));
        is_it = is_it && equal(simplify(update.args()[d]), simplify(place));
    }
    return is_it ? std::make_optional(value) : std::nullopt;
}

bool is_partly_undefined(const ScanFunc &scan) {
    FindUndef undefined;
    scan.function.values()[0].accept(&undefined);
    return undefined.found;
}

bool is_undefined_elsewhere(const ScanFunc &scan) {
    const Call *call = scan.function.values()[0].as<Call>();
    return call && call->is_intrinsic(Call::undef) && scan.update == 1 && first_value(scan);
}

bool is_all_walked(const ScanFunc &scan, const std::vector<Function> &outputs) {
    const auto first = as_const_int(scan.first), extent = as_const_int(simplify(scan.over.extent));
    const auto regions = constant_regions(outputs);
    const auto region = regions.find(scan.function.name());
    if (!first || !extent || region == regions.end() || !region->second[scan.dim].is_bounded()) {
        return false;
    }
    const Interval &read = region->second[scan.dim];
    const int64_t last = *first + scan.step * *extent;
    return *as_const_int(read.min) >= std::min(*first, last) && *as_const_int(read.max) <= std::max(*first, last);
}

}  // namespace fusion

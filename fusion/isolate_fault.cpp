#include "fusion/isolate_fault.h"

#include <algorithm>

namespace fusion {
namespace {

using Parts = std::vector<size_t>;
using Passes = std::function<bool(const Parts &)>;

Parts joined(const Parts &a, const Parts &b) {
    Parts both(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), both.begin());
    return both;
}

/// The check passes without `suspects` and `out`.
Parts among(const Parts &suspects, const Parts &out, const Passes &passes) {
    if (suspects.size() <= 1) {
        return suspects;
    }
    const auto middle = suspects.begin() + (long)suspects.size() / 2;
    const Parts first(suspects.begin(), middle), second(middle, suspects.end());
    if (passes(joined(first, out))) {
        return among(first, out, passes);
    }
    if (passes(joined(second, out))) {
        return among(second, out, passes);
    }
    const Parts of_first = among(first, joined(second, out), passes);
    return joined(of_first, among(second, joined(of_first, out), passes));
}

}  // namespace

std::vector<size_t> isolate_fault(size_t count, const Passes &passes) {
    Parts all(count);
    for (size_t i = 0; i < count; i++) {
        all[i] = i;
    }
    return among(all, {}, passes);
}

}  // namespace fusion

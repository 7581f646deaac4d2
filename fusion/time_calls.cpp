#include "fusion/time_calls.h"

#include <algorithm>
#include <chrono>
#include <vector>

namespace fusion {

double time_calls(const std::function<void()> &call, const std::function<void()> &wait) {
    using Clock = std::chrono::steady_clock;
    const auto calls = [&](int count) {
        const auto begin = Clock::now();
        for (int i = 0; i < count; i++) {
            call();
        }
        wait();
        return std::chrono::duration<double, std::milli>(Clock::now() - begin).count() / count;
    };
    const double once = calls(1);
    const int count = std::clamp((int)(50 / std::max(once, 1e-3)), 1, 200);
    std::vector<double> times;
    for (int i = 0; i < 7; i++) {
        times.push_back(calls(count));
    }
    std::nth_element(times.begin(), times.begin() + 3, times.end());
    return times[3];
}

}  // namespace fusion

#pragma once
/// What the tests of random pipelines share: which seeds run, what they are called, what they are compiled for without a GPU.
#include <Halide.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace fusion {

/// The environment variable as a number, at least 1; `otherwise` where it is not set.
inline uint32_t number(const char *variable, uint32_t otherwise) {
    const char *text = std::getenv(variable);
    return text ? (uint32_t)std::max(1, std::atoi(text)) : otherwise;
}

inline std::string seed_name(const ::testing::TestParamInfo<uint32_t> &info) {
    return "Seed" + std::to_string(info.param);
}

inline const Halide::Target kCuda("x86-64-linux-cuda-cuda_capability_80-no_runtime");

}  // namespace fusion

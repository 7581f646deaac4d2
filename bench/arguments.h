#pragma once
/// A filter's arguments, made from its metadata: buffers with the estimated mins and extents and dense strides, inputs
/// filled with random data, scalars at their estimates.
#include <HalideRuntime.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "bench/cuda_driver.h"

namespace bench {

/// Most memory for all sets of one filter, in bytes.
constexpr size_t kMostMemory = size_t(8) << 30;
/// Most sets. Below 4 × L2 / kMostSets bytes a set, a launch costs more than the memory, so that caching does not matter.
constexpr size_t kMostSets = 256;

/// One buffer argument.
struct BufferArgument {
    std::string name;
    halide_type_t type;
    bool is_output = false;
    std::vector<halide_dimension_t> dimensions;
    size_t elements = 1, bytes = 0;
};

/// Device buffers for a filter: as many sets as it takes for all of them to exceed four times the L2 (one, if `one_set`),
/// so that a set which comes up again is no longer in the cache.
class Arguments {
public:
    /// Throws std::runtime_error naming the argument if an estimate is missing.
    Arguments(const halide_filter_metadata_t &metadata, size_t l2_bytes, bool one_set = false);
    Arguments(const Arguments &) = delete;
    Arguments &operator=(const Arguments &) = delete;
    ~Arguments();

    size_t sets() const { return sets_.size(); }
    /// Each input and each output once.
    size_t set_bytes() const { return set_bytes_; }
    /// For call(). Stays valid.
    void **set(size_t index) { return sets_[index].pointers.data(); }

    /// Whether this filter takes the same arguments, so that they can be used again.
    bool fit(const halide_filter_metadata_t &metadata) const;

    const std::vector<BufferArgument> &buffers() const { return buffers_; }
    /// Fills set 0's outputs with bytes that no filter writes everywhere.
    void poison_outputs();
    /// One buffer of set 0, dense.
    std::vector<std::byte> download(size_t buffer) const;

    /// Calls a CPU filter on set 0's inputs and returns its outputs, in the order of buffers(); inputs are empty there.
    std::vector<std::vector<std::byte>> run_on_host(const halide_filter_metadata_t &metadata,
                                                    int (*function)(void **)) const;

private:
    struct Set {
        std::vector<halide_buffer_t> buffers;
        std::vector<void *> pointers;
    };

    void read_metadata(const halide_filter_metadata_t &metadata);
    void make_set(Set &set, cuda::DevicePointer memory);
    void fill_inputs();

    std::vector<BufferArgument> buffers_;
    std::vector<halide_scalar_value_t> scalars_;
    std::vector<int> order_;  ///< per argument: index of its buffer, or -1 - index of its scalar
    size_t set_bytes_ = 0, padded_set_bytes_ = 0;
    std::unique_ptr<cuda::Memory> memory_;
    std::vector<Set> sets_;
};

}  // namespace bench

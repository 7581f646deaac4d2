#pragma once
/// Whether a filter computes what it should.
#include <memory>
#include <string>
#include <vector>

#include "bench/arguments.h"
#include "bench/filter.h"

namespace bench {

/// Keeps the arguments of the generator and size in hand, since its variants come one after the other and share them.
class Checker {
public:
    explicit Checker(size_t l2_bytes) : l2_bytes_(l2_bytes) {}

    /// The arguments at the filter's own size.
    Arguments &arguments(const Filter &filter);

    /// "" if the results agree (see difference()) with the generator's CPU filter at that filter's size, and with the
    /// `unfused` variant at the filter's own size; otherwise what differs. What is not linked in is not compared with.
    std::string check(const Filter &filter);

private:
    using Values = std::vector<std::vector<std::byte>>;

    std::string check_against_reference(const Filter &filter);
    std::string check_against_unfused(const Filter &filter);

    size_t l2_bytes_;
    const Filter *current_ = nullptr;
    std::unique_ptr<Arguments> arguments_;
    Values unfused_;  ///< its outputs for arguments_
};

}  // namespace bench

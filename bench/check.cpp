#include "bench/check.h"

#include "bench/random_data.h"

namespace bench {
namespace {

/// Calls the filter on set 0 and compares its outputs with `wanted`.
std::string compare(const Filter &filter, Arguments &arguments, const std::vector<std::vector<std::byte>> &wanted) {
    arguments.poison_outputs();
    call(filter, arguments.set(0));
    cuda::synchronize();
    for (size_t i = 0; i < arguments.buffers().size(); i++) {
        const BufferArgument &b = arguments.buffers()[i];
        if (!b.is_output) {
            continue;
        }
        const std::vector<std::byte> got = arguments.download(i);
        const std::string apart = difference(b.type, got.data(), wanted[i].data(), b.elements).text;
        if (!apart.empty()) {
            return b.name + ": " + apart;
        }
    }
    return "";
}

}  // namespace

Arguments &Checker::arguments(const Filter &filter) {
    const bool same = current_ && current_->generator == filter.generator && current_->width == filter.width &&
                      current_->height == filter.height && arguments_->fit(*filter.metadata);
    if (!same) {
        arguments_.reset();  // first, for its memory
        cuda::free_intermediates();
        unfused_.clear();
        arguments_ = std::make_unique<Arguments>(*filter.metadata, l2_bytes_);
        current_ = &filter;
    }
    return *arguments_;
}

std::string Checker::check_against_reference(const Filter &filter) {
    const Filter *reference = find_reference(filter.generator);
    if (!reference) {
        return "";
    }
    Arguments small(*reference->metadata, l2_bytes_, true);
    const Values wanted = small.run_on_host(*reference->metadata, reference->function);
    const std::string apart = compare(filter, small, wanted);
    return apart.empty() ? "" : "against the CPU at " + reference->size() + ": " + apart;
}

std::string Checker::check_against_unfused(const Filter &filter) {
    const Filter *unfused = find_filter(filter.generator, "unfused", filter.width, filter.height);
    if (!unfused || unfused == &filter) {
        return "";
    }
    Arguments &own = arguments(filter);
    if (unfused_.empty()) {
        own.poison_outputs();
        call(*unfused, own.set(0));
        cuda::synchronize();
        for (size_t i = 0; i < own.buffers().size(); i++) {
            unfused_.push_back(own.buffers()[i].is_output ? own.download(i) : std::vector<std::byte>());
        }
    }
    const std::string apart = compare(filter, own, unfused_);
    return apart.empty() ? "" : "against unfused at " + filter.size() + ": " + apart;
}

std::string Checker::check(const Filter &filter) {
    const std::string apart = check_against_reference(filter);
    return apart.empty() ? check_against_unfused(filter) : apart;
}

}  // namespace bench

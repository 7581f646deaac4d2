#include "fusion/cli/foreign_run.h"

#include <nlohmann/json.hpp>

#include "fusion/cli/foreign_filter.h"
#include "fusion/folders.h"
#include "fusion/time_calls.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

/// What the plugin predicted, from its JSON.
void read_prediction(const std::string &explanation, VariantResult &result) {
    const auto plan = nlohmann::json::parse(explanation);
    const auto &planned = plan.at("totals").at("planned");
    result.register_cap = plan.at("register_cap");
    result.ledger.planned.launches = planned.at("launches");
    result.ledger.planned.bytes_read = planned.at("bytes");
    result.ledger.planned.time_us = planned.at("time_us");
    result.predicted_launches = result.ledger.planned.launches;
}

}  // namespace

namespace {

/// Somebody else's generator does not say what it adds up: a row or a column of its inputs at most.
double longest_extent(const std::vector<Halide::Buffer<>> &inputs) {
    int longest = 1;
    for (const Halide::Buffer<> &input : inputs) {
        for (int d = 0; input.defined() && d < input.dimensions(); d++) {
            longest = std::max(longest, input.dim(d).extent());
        }
    }
    return longest;
}

}  // namespace

ForeignReference run_foreign_reference(const Request &request, uint32_t seed) {
    const TemporaryFolder folder;
    Request reference = request;
    reference.options.variant = "reference";
    const ForeignFilter filter = load_foreign(reference, "", folder.file(""), "");
    ForeignArguments arguments = make_arguments(filter);
    ForeignReference result;
    for (size_t i = 0; i < arguments.buffers.size(); i++) {
        const bool is_input = arguments.buffers[i].defined() && !arguments.is_output[i];
        result.inputs.push_back(is_input ? arguments.buffers[i] : Halide::Buffer<>());
        if (is_input) {
            fill(arguments.buffers[i], seed + (uint32_t)i);
        }
    }
    call_foreign(filter, arguments);
    result.outputs = arguments.outputs();
    return result;
}

VariantResult run_foreign_variant(const Request &request, const std::string &variant, const std::string &api,
                                  const ForeignReference &reference, bool timed) {
    VariantResult result;
    result.variant = variant;
    Request wanted = request;
    wanted.options.variant = variant;
    const TemporaryFolder folder;
    const std::string explanation = folder.file("plan.json");
    if (api.empty()) {
        run_foreign(wanted,
                    {folder.file(""), "planned", {"static_library"}, target_for("cuda").to_string(), explanation});
        read_prediction(read_file(explanation), result);
        return result;
    }
    const ForeignFilter filter = load_foreign(wanted, api, folder.file(""), explanation);
    read_prediction(read_file(explanation), result);
    use_register_cap(result.register_cap);
    ForeignArguments arguments = make_arguments(filter);
    for (size_t i = 0; i < arguments.buffers.size(); i++) {
        if (reference.inputs[i].defined()) {
            arguments.buffers[i] = reference.inputs[i];
            arguments.buffers[i].set_host_dirty();
        }
    }
    filter.take_launches();
    call_foreign(filter, arguments);
    result.launches = filter.take_launches();
    std::vector<Halide::Buffer<>> outputs = arguments.outputs();
    for (Halide::Buffer<> &output : outputs) {
        output.copy_to_host();
    }
    compare(outputs, reference.outputs, longest_extent(reference.inputs), result);
    if (timed) {
        result.milliseconds = time_calls([&] { call_foreign(filter, arguments); }, [&] { outputs[0].device_sync(); });
    }
    // Their memory belongs to this variant's runtime: the next one has its own.
    for (Halide::Buffer<> &buffer : arguments.buffers) {
        if (buffer.defined()) {
            buffer.device_free();
        }
    }
    return result;
}

}  // namespace fusion

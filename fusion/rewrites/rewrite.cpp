#include "fusion/rewrites/rewrite.h"

#include "fusion/halide/read_pipeline.h"
#include "fusion/rewrites/chunked_scan.h"
#include "fusion/rewrites/first_index.h"
#include "fusion/rewrites/online_softmax.h"
#include "fusion/rewrites/single_pass_variance.h"
#include "fusion/rewrites/tables_in_parts.h"
#include "fusion/rewrites/written_out.h"

namespace fusion {
namespace {

using Halide::Internal::Function;

template<std::vector<std::string> (*Use)(const std::vector<Function> &outputs)>
std::vector<std::string> on_any(const std::vector<Function> &outputs, const Device &) {
    return Use(outputs);
}

struct Kind {
    const char *id;
    std::vector<std::string> (*use)(const std::vector<Function> &outputs, const Device &device);
    const char *why;
};

constexpr Kind kKinds[] = {
    {"first-index", on_any<use_first_index>,
     "the extreme value first and then the first index that has it: both can be found by a block together"},
    {"online-softmax", on_any<use_online_softmax>,
     "maximum and sum of each slice of a row in one pass, corrected as the maximum rises: its input is read once less"},
    {"single-pass-variance", on_any<use_single_pass_variance>,
     "the sums of the values and of their squares in one pass, in float64: its input is read once less"},
    {"chunked-scan", on_any<use_chunked_scans>,
     "chunks of it each by itself, all at once, then what those before come to: steps that waited for each other run "
     "in "
     "parallel"},
    {"tables-in-parts", use_tables_in_parts,
     "a table for each part of its steps, kept on chip, and then what they come to: steps that waited for each other "
     "run in parallel"},
    {"written-out", on_any<write_out_reductions>,
     "its few steps as one expression: what reads it can compute it in its own kernel, and share it with its "
     "neighbours"},
};

}  // namespace

std::vector<std::string> reduction_rewrites() {
    std::vector<std::string> ids;
    for (const Kind &kind : kKinds) {
        ids.emplace_back(kind.id);
    }
    return ids;
}

std::vector<Rewrite> rewrite_reductions(const std::vector<Function> &outputs, const std::string &id,
                                        const Device &device) {
    std::vector<Rewrite> done;
    for (const Kind &kind : kKinds) {
        if (kind.id == id) {
            for (const std::string &name : display_names(kind.use(outputs, device))) {
                done.push_back({.id = id, .why = name + ": " + kind.why});
            }
        }
    }
    return done;
}

}  // namespace fusion

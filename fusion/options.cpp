#include "fusion/options.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <vector>

#include "fusion/device.h"
#include "fusion/error.h"
#include "fusion/plan.h"
#include "fusion/text.h"

namespace fusion {
namespace {

struct Option {
    const char *key;
    const char *value;
    const char *meaning;
    void (*set)(Options &options, const std::string &value);
};

[[noreturn]] void bad_value(const char *key, const std::string &value, const std::string &wanted) {
    throw UserError(std::string("Option ") + key + "=" + value + " is not valid: it takes " + wanted + ".");
}

void set_registers(Options &options, const std::string &value) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || end != value.data() + value.size() || number < 16 || number > 255) {
        bad_value("max_registers", value, "a whole number from 16 to 255");
    }
    options.max_registers = number;
}

void set_verify(Options &options, const std::string &value) {
    if (value != "on" && value != "off") {
        bad_value("verify", value, "on or off");
    }
    options.verify = value == "on";
}

void set_registers_source(Options &options, const std::string &value) {
    if (value != "estimate" && value != "measure") {
        bad_value("registers", value, "estimate or measure");
    }
    options.registers = value;
}

const std::set<std::string> kRewrites = {"chunked-scan",   "first-index",          "fixed-parameters", "native-math",
                                         "online-softmax", "single-pass-variance", "tables-in-parts",  "written-out"};

std::set<std::string> split(const std::string &list) {
    std::set<std::string> parts;
    std::stringstream stream(list);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.insert(part);
    }
    return parts;
}

void set_rewrites(Options &options, const std::string &value) {
    if (value != "all" && value != "none") {
        const std::set<std::string> wanted = split(value);
        if (wanted.empty() || !std::includes(kRewrites.begin(), kRewrites.end(), wanted.begin(), wanted.end())) {
            bad_value("rewrites", value,
                      "all, none, or some of " +
                          join(std::vector<std::string>(kRewrites.begin(), kRewrites.end()), ", "));
        }
    }
    options.rewrites = value;
}

constexpr Option kOptions[] = {
    {"device", "H200", "the GPU to plan for: H200, A100, L40S, generic",
     [](Options &o, const std::string &v) { o.device = device_named(v).name; }},
    {"explain", "(none)", "write the explanation to this file; JSON if it ends in .json, Graphviz if in .dot",
     [](Options &o, const std::string &v) { o.explain = v; }},
    {"max_registers", "64", "registers a thread that the kernels will be compiled for (HL_CUDA_JIT_MAX_REGISTERS)",
     set_registers},
    {"name", "(the first output)", "what the explanation calls the pipeline",
     [](Options &o, const std::string &v) { o.name = v; }},
    {"registers", "estimate",
     "estimate, or measure: take registers from ptxas, and plan narrower kernels where they spill",
     set_registers_source},
    {"rewrites", "all",
     "all, none, or some of chunked-scan, first-index, fixed-parameters, native-math, online-softmax, "
     "single-pass-variance, tables-in-parts, "
     "written-out, separated by commas: changes of the algorithm itself",
     set_rewrites},
    {"variant", "fused",
     "fused, unfused (each stage a kernel), inlined, or reference (CPU, every Func at compute_root)",
     [](Options &o, const std::string &v) { o.variant = v == "reference" ? v : name_of(variant_named(v)); }},
    {"verify", "on", "lower a copy of the pipeline and check it before giving the schedule out: on, off", set_verify},
};

}  // namespace

Options parse_options(const std::map<std::string, std::string> &given) {
    Options options;
    std::vector<std::string> valid;
    for (const Option &option : kOptions) {
        valid.push_back(option.key);
    }
    for (const auto &[key, value] : given) {
        const Option *found = nullptr;
        for (const Option &option : kOptions) {
            found = option.key == key ? &option : found;
        }
        if (!found) {
            const std::string near = nearest(key, valid);
            throw UserError("Unknown option \"" + key + "\"" +
                            (near.empty() ? "" : " (did you mean \"" + near + "\"?)") +
                            ". Valid options: " + join(valid, ", ") + ".");
        }
        found->set(options, value);
    }
    return options;
}

bool Options::allows(const std::string &rewrite) const {
    return rewrites == "all" || (rewrites != "none" && split(rewrites).count(rewrite));
}

std::string options_text() {
    std::string text;
    for (const Option &option : kOptions) {
        text += std::string("  ") + option.key + "=VALUE (default " + option.value + "): " + option.meaning + "\n";
    }
    return text;
}

}  // namespace fusion

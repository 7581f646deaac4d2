#include "fusion/compare/bundle.h"

#include <nlohmann/json.hpp>

#include "fusion/error.h"
#include "fusion/write_file.h"

namespace fusion {
namespace {

std::string file_in(const std::string &folder) {
    return folder + "/bundle.json";
}

}  // namespace

std::string bundle_json(const Bundle &bundle) {
    nlohmann::ordered_json variants = nlohmann::json::array();
    for (const BundledVariant &v : bundle.variants) {
        variants.push_back({{"name", v.name},
                            {"error", v.error},
                            {"planning_seconds", v.planning_seconds},
                            {"compiling_seconds", v.compiling_seconds},
                            {"peak_bytes", v.peak_bytes},
                            {"register_cap", v.register_cap},
                            {"launches", v.launches},
                            {"milliseconds", v.milliseconds},
                            {"is_right", v.is_right},
                            {"differing", v.differing},
                            {"difference", v.difference}});
    }
    const nlohmann::ordered_json json = {{"schema", 1},
                                         {"generator", bundle.generator},
                                         {"target", bundle.target},
                                         {"rounding", bundle.rounding},
                                         {"variants", variants}};
    return json.dump(2) + "\n";
}

void write_bundle(const Bundle &bundle, const std::string &folder) {
    write_file(file_in(folder), bundle_json(bundle));
}

Bundle read_bundle(const std::string &folder) {
    const std::string text = read_file(file_in(folder));
    try {
        const auto json = nlohmann::json::parse(text);
        Bundle bundle{json.at("generator"), json.at("target"), {}, json.at("rounding")};
        for (const auto &v : json.at("variants")) {
            BundledVariant variant;
            variant.name = v.at("name");
            variant.error = v.at("error");
            variant.planning_seconds = v.at("planning_seconds");
            variant.compiling_seconds = v.at("compiling_seconds");
            variant.peak_bytes = v.at("peak_bytes");
            variant.register_cap = v.at("register_cap");
            variant.launches = v.at("launches");
            variant.milliseconds = v.at("milliseconds");
            variant.is_right = v.at("is_right");
            variant.differing = v.at("differing");
            variant.difference = v.at("difference");
            bundle.variants.push_back(variant);
        }
        return bundle;
    } catch (const nlohmann::json::exception &e) {
        throw UserError("\"" + file_in(folder) + "\" is no bundle: " + e.what() +
                        ". Next step: make one with halide-fusion compare --bundle.");
    }
}

}  // namespace fusion

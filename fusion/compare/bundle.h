#pragma once
/// A folder with one executable a variant of a generator, and what is known of each: comparing them needs nothing else.
#include <cstdint>
#include <string>
#include <vector>

namespace fusion {

/// Variants that a comparison treats in a way of their own: the reference of all results, and this planner's.
inline constexpr char kReference[] = "reference", kRoundedReference[] = "reference_fma", kUnfused[] = "unfused",
                      kFused[] = "fused";

struct BundledVariant {
    std::string name;
    std::string error;                         ///< why there is no executable, or why it gave no result; empty: none
    double planning_seconds = 0;               ///< of the autoscheduler alone; 0: it has none
    double compiling_seconds = 0;              ///< of the generator's process, planning included
    int64_t peak_bytes = 0;                    ///< of the generator's process, when it was planned; 0: nobody planned
    int register_cap = 0;                      ///< that its kernels must be loaded with; 0: the runtime's own
    int launches = -1;                         ///< kernels launched in a call; -1: not run
    double milliseconds = 0;                   ///< a call; 0: not timed
    bool is_right = false;                     ///< agrees with the reference
    int64_t differing = 0;                     ///< values that do not agree with the reference
    std::string difference;                    ///< the first that does not; empty: none
    std::string file() const { return name; }  ///< its executable, in the bundle's folder
};

struct Bundle {
    std::string generator;  ///< with its parameters, for a person to read
    std::string target;     ///< of the variants; the reference is for its CPU alone
    std::vector<BundledVariant> variants;
    int64_t rounding = 0;  ///< values that differ between two references which round otherwise: nobody's fault
};

/// `bundle.json` in the folder. Throws UserError naming the file.
void write_bundle(const Bundle &bundle, const std::string &folder);
Bundle read_bundle(const std::string &folder);

/// One object, "schema": 1; fields as in BundledVariant.
std::string bundle_json(const Bundle &bundle);

}  // namespace fusion

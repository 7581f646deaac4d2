#pragma once
/// One pipeline compiled once for the device and once as the reference, run at any sizes, compared, launches counted.
#include <Halide.h>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fusion/halide/execute.h"
#include "fusion/halide/planning.h"

namespace fusion {

/// A pipeline and the parameters it reads, in a fixed order.
struct Built {
    Halide::Pipeline pipeline;
    std::vector<Halide::Parameter> inputs;
    std::string generator = "";  ///< of the project, that it comes from
};

/// Makes the same pipeline anew at each call: a schedule changes the Funcs it is applied to.
using Builder = std::function<Built()>;

/// A generator of the project with these parameters.
Builder generator(const std::string &name, const std::map<std::string, std::string> &params = {});

/// Where the buffers that a run is given lie.
enum class Memory {
    Dense,      ///< as small as they may be
    Padded,     ///< cropped on the host out of larger ones: padded rows
    Misplaced,  ///< cropped on the device out of larger ones: padded rows that begin at an odd element
};
std::string name_of(Memory memory);

class Runner {
public:
    /// Plans, compiles for device_api() and compiles the reference. `builder` is called twice. Variant "hand": the
    /// generator's hand schedule, and nothing is planned but the launches.
    Runner(const Builder &builder, const Options &options);

    /// Runs both on the same data with outputs of these regions and reports every difference as a test failure: values,
    /// writes outside of the outputs, the number of launches. One region for all outputs, or one each. `inputs`: those
    /// whose regions the outputs do not decide, by name (the length of a row that is reduced).
    void check(std::vector<Region> regions, Memory memory, uint32_t seed = 1,
               const std::map<std::string, Region> &inputs = {});

    /// Gives a scalar parameter a value other than its estimate, for the checks to come.
    void set(const std::string &parameter, double value) { scalars[parameter] = value; }

    /// Halide finds values constant that the planner cannot know to be, and then launches less than was planned.
    void allow_fewer_launches() { may_launch_fewer = true; }

    const Planned &planned() const { return plan; }
    int outputs() const { return (int)plan.view.outputs.size(); }
    /// Launches of the last check.
    int launches() const { return counted; }

private:
    struct Placed;
    Halide::Target target;
    Built reference, device;
    Planned plan;
    std::map<std::string, double> scalars;
    int counted = 0;
    bool may_launch_fewer = false;

    static Placed place(const Halide::Type &type, const Region &region, const Halide::Parameter &constraints,
                        Memory memory);
    void run(const std::vector<Region> &regions, Memory memory, uint32_t seed,
             const std::map<std::string, Region> &inputs);
    void bind(const std::vector<Halide::Buffer<>> &outputs, Memory memory, uint32_t seed,
              const std::map<std::string, Region> &inputs);
};

/// A region at these minimums.
Region at(std::vector<int> min, std::vector<int> extent);
/// A region at the origin.
Region of(std::vector<int> extent);

/// Skips the running test, saying why, where there is no device to run on.
#define SKIP_WITHOUT_DEVICE()                                                                                          \
    if (::fusion::device_api().empty())                                                                                \
    GTEST_SKIP() << "neither a CUDA GPU nor an OpenCL device (pocl-opencl-icd) to run on"

}  // namespace fusion

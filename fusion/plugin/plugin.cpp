/// The autoscheduler "Fusion": registers itself when Halide loads the library.
#define HALIDE_KEEP_MACROS
#include <Halide.h>
#include <dlfcn.h>

#include <iostream>

#include "fusion/error.h"
#include "fusion/halide/planning.h"
#include "fusion/halide/reference.h"
#include "fusion/plugin/halide_build.h"
#include "fusion/write_file.h"
#include "schedules/apply.h"
#include "schedules/wide_accesses.h"

namespace fusion {
namespace {

void write_explanation(const Planned &planned, const std::string &file) {
    const Explained explained = planned.explained();
    write_file(file, file.ends_with(".json")  ? explain_json(explained)
                     : file.ends_with(".dot") ? explain_dot(explained)
                                              : explain_text(explained));
}

void autoschedule(const Halide::Pipeline &pipeline, const Halide::Target &target,
                  const Halide::AutoschedulerParams &params, Halide::AutoSchedulerResults *results) {
    std::string mistake, fault;
    try {
        const Options options = parse_options(params.extra);
        const std::vector<Halide::Internal::Function> outputs = functions_of(pipeline);
        if (options.variant == "reference") {
            schedule_reference(read_pipeline(outputs));
            return;
        }
        const std::string name = options.name.empty() ? display_names({outputs[0].name()})[0] : options.name;
        const Planned planned = plan_pipeline(outputs, target, options, name);
        results->schedule_source = schedule_source(planned, pipeline);
        if (!options.explain.empty()) {
            write_explanation(planned, options.explain);
        }
        apply_schedule(planned.schedule, planned.view);
        use_wide_accesses(pipeline, planned.view);
    } catch (const UserError &e) {
        mistake = e.what();
    } catch (const Halide::Error &) {
        throw;
    } catch (const std::exception &e) {
        fault = e.what();
    }
    // Thrown outside of the handlers, as Halide's own exceptions.
    user_assert(mistake.empty()) << "Fusion: " << mistake << "\n";
    internal_assert(fault.empty()) << "Fusion: " << fault << "\n";
}

struct Registration {
    Registration() {
        const std::string mismatch = halide_mismatch();
        if (!mismatch.empty()) {
            std::cerr << mismatch << std::endl;
        }
        Halide::Pipeline::add_autoscheduler("Fusion", [mismatch](const Halide::Pipeline &p, const Halide::Target &t,
                                                                 const Halide::AutoschedulerParams &params,
                                                                 Halide::AutoSchedulerResults *results) {
            user_assert(mismatch.empty()) << mismatch << "\n";
            autoschedule(p, t, params, results);
        });
    }
} registration;

}  // namespace
}  // namespace fusion

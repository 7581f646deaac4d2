#include "fusion/halide/fixed_plans.h"

#include "fusion/halide/verify.h"
#include "fusion/text.h"
#include "schedules/choice.h"

namespace fusion {

using Functions = std::vector<Halide::Internal::Function>;

namespace {

/// The copy is predicted to be faster by enough, each with the rewrites that it has had.
bool pays_fixed(const FixedCopy &fixed, const Functions &outputs, const Halide::Target &target,
                const Options &options) {
    const auto at_estimates = predicted_us(fixed.outputs, target, options);
    const auto general = predicted_us(outputs, target, options);
    return at_estimates && general && *at_estimates < kLeastGain * *general;
}

/// The outputs choose; nothing where Halide does not take the schedule of both.
std::optional<Planned> plan_both(const FixedCopy &fixed, const Functions &outputs, const Planned &at_estimates,
                                 const Planned &general, const Halide::Target &target, const Options &options) {
    const auto passed = [](const Planned &planned) { return planned.plan.fallback.empty(); };
    if (!passed(at_estimates)) {
        return std::nullopt;
    }
    Planned both = at_estimates;
    both.view = view_of_both(at_estimates.view, general.view);
    both.schedule = schedule_of_both(at_estimates.schedule, at_estimates.view, general.schedule, general.view);
    both.ledger.unfused = general.ledger.unfused;
    both.elsewhere = general.plan;
    const Rewrite rewrite{.id = "fixed-parameters",
                          .why = text_of(fixed.parameters) +
                                 ": what they decide has constant sizes; other values take " +
                                 std::to_string(general.ledger.planned.launches) + " launches, predicted " +
                                 time_text(general.ledger.planned.time_us)};
    both.plan.rewrites.insert(both.plan.rewrites.begin(), rewrite);
    choose_fixed(outputs, fixed.outputs, fixed.parameters);
    std::set<std::string> stored = stored_by(at_estimates.plan, at_estimates.view);
    stored.merge(stored_by(general.plan, general.view));
    if (options.verify && !verify(both.schedule, both.view, stored, *both.device, target).allowed()) {
        choose_no_more(outputs);
        return std::nullopt;
    }
    return both;
}

}  // namespace

std::optional<FixedCopy> fixed_copy(const Functions &outputs, const Options &options) {
    if (variant_named(options.variant) != Variant::Fused || !options.allows("fixed-parameters")) {
        return std::nullopt;
    }
    const std::vector<FixedParameter> parameters = parameters_of_sizes(outputs);
    if (parameters.empty() || !can_choose(outputs, parameters).allowed()) {
        return std::nullopt;
    }
    return FixedCopy{parameters, with_fixed(outputs, parameters)};
}

std::optional<Planned> plan_fixed(const FixedCopy &fixed, const Functions &outputs, const Chosen &chosen,
                                  const Halide::Target &target, const Options &options, const PlanOne &plan_one) {
    const Chosen chosen_fixed = choose_rewrites(fixed.outputs, target, options);
    if (!pays_fixed(fixed, outputs, target, options)) {
        return std::nullopt;
    }
    // The dry run of both checks each of them; only where it fails must they be sound one by one.
    for (const bool one_by_one : {false, true}) {
        Options with = options;
        with.verify = options.verify && one_by_one;
        const Planned at_estimates = plan_one(fixed.outputs, chosen_fixed, with);
        with.max_registers = at_estimates.plan.register_cap;  // all kernels of a pipeline have the same
        const Planned general = plan_one(outputs, chosen, with);
        if (auto both = plan_both(fixed, outputs, at_estimates, general, target, options)) {
            return both;
        }
    }
    return std::nullopt;
}

}  // namespace fusion

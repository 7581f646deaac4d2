/// bench_kernels: every generator × variant × size, timed on the GPU.
///
/// In: the filters that were linked in. Out: Google Benchmark's table, or its JSON with --benchmark_format=json and
/// --benchmark_out=FILE. Two benchmarks a filter:
///   NAME/VARIANT/WxH        time on the GPU by CUDA events: median of the samples, each a batch of calls. One "iteration"
///                           is the whole measurement, so --benchmark_min_time has no effect; repetitions work as usual.
///   NAME/VARIANT/WxH/call   wall time of a call in a burst of 2000 with one wait at the end; for small sizes only.
/// Before it is timed, a filter's results are compared (check.h); one that is wrong is an error, not a time.
///
/// Counters. GBps: compulsory bytes (each input and output once) over the time; copy_ratio: GBps over the bandwidth of a
/// copy in the same run; planned_GBps and planned_copy_ratio: the same for the bytes that the plan moves; launches and
/// predicted_launches a call; predicted_us; sets: inputs rotated; spread: (third − first quartile) / median.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <vector>

#include "bench/check.h"
#include "bench/cuda_driver.h"
#include "bench/filter.h"

namespace {

using namespace bench;

constexpr int kSkipped = 77;        // CTest's and Automake's exit status for "not run here"
constexpr double kBatchMs = 0.5;    // of GPU time a sample, so that an event's cost does not count
constexpr double kMeasureMs = 300;  // of GPU time a benchmark, roughly
constexpr size_t kLeastSamples = 9, kMostSamples = 51, kMostBatch = 500;
constexpr int64_t kCallUpToElements = 65536;  // bench/peers.py times a call up to the same size, in the same way
constexpr int kCalls = 2000, kBursts = 5;

struct Session {
    cuda::Device device = cuda::device();
    double copy_gbps = cuda::measure_copy_gbps();
    Checker checker{device.l2_bytes};
    std::set<const Filter *> checked;
    bool checks = true;
};

std::optional<Session> session;  // reset before main returns, while the driver is still there

struct Quartiles {
    double first, median, third;
};

Quartiles quartiles(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const size_t n = values.size();
    return {values[n / 4], values[n / 2], values[3 * n / 4]};
}

double compulsory_bytes(const Filter &f, const Arguments &arguments) {
    return f.predicted.compulsory_bytes > 0 ? f.predicted.compulsory_bytes : double(arguments.set_bytes());
}

/// Checks the filter, once. False: the benchmark was marked as failed.
bool is_right(benchmark::State &state, const Filter &f) {
    if (session->checks && session->checked.insert(&f).second) {
        const std::string wrong = session->checker.check(f);
        if (!wrong.empty()) {
            session->checked.erase(&f);
            state.SkipWithError(("wrong result " + wrong).c_str());
            return false;
        }
    }
    return true;
}

void count(benchmark::State &state, const Filter &f, Arguments &arguments, double us, int64_t launches) {
    const double bytes = compulsory_bytes(f, arguments), copy = session->copy_gbps;
    state.counters["GBps"] = bytes / us * 1e-3;
    state.counters["copy_ratio"] = bytes / us * 1e-3 / copy;
    state.counters["compulsory_bytes"] = bytes;
    state.counters["planned_bytes"] = f.predicted.bytes;
    state.counters["planned_GBps"] = f.predicted.bytes / us * 1e-3;
    state.counters["planned_copy_ratio"] = f.predicted.bytes / us * 1e-3 / copy;
    state.counters["launches"] = double(launches);
    state.counters["predicted_launches"] = double(f.predicted.launches);
    state.counters["predicted_us"] = f.predicted.time_us;
    state.counters["registers"] = f.predicted.registers;
    state.counters["register_cap"] = f.predicted.register_cap;
    state.counters["sets"] = double(arguments.sets());
}

void time_on_gpu(benchmark::State &state, const Filter &f) {
    Arguments &arguments = session->checker.arguments(f);
    const int64_t launches = call(f, arguments.set(0));
    size_t next = 0;
    const auto run = [&](size_t calls) {
        return cuda::time_ms([&] {
                   for (size_t i = 0; i < calls; i++) {
                       call(f, arguments.set(next++ % arguments.sets()));
                   }
               }) /
               double(calls);
    };
    run(3);
    const double once = std::max(run(3), 1e-4);
    const size_t batch = std::clamp(size_t(kBatchMs / once) + 1, size_t(1), kMostBatch);
    const size_t samples = std::clamp(size_t(kMeasureMs / (once * double(batch))), kLeastSamples, kMostSamples);
    for (auto _ : state) {
        std::vector<double> times;
        for (size_t i = 0; i < samples; i++) {
            times.push_back(run(batch));
        }
        const Quartiles q = quartiles(times);
        state.SetIterationTime(q.median * 1e-3);
        count(state, f, arguments, q.median * 1e3, launches);
        state.counters["spread"] = (q.third - q.first) / q.median;
    }
}

void time_calls(benchmark::State &state, const Filter &f) {
    Arguments &arguments = session->checker.arguments(f);
    const int64_t launches = call(f, arguments.set(0));
    cuda::synchronize();
    for (auto _ : state) {
        std::vector<double> bursts;
        for (int b = 0; b < kBursts; b++) {
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < kCalls; i++) {
                call(f, arguments.set(size_t(i) % arguments.sets()));
            }
            cuda::synchronize();
            const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - start;
            bursts.push_back(wall.count() / kCalls);
        }
        const double median = quartiles(bursts).median;
        state.SetIterationTime(median);
        count(state, f, arguments, median * 1e6, launches);
    }
}

void add_benchmark(const std::string &name, const Filter &f, void (*measure)(benchmark::State &, const Filter &)) {
    const auto body = [&f, measure](benchmark::State &state) {
        try {
            if (is_right(state, f)) {
                measure(state, f);
            }
        } catch (const std::exception &e) {
            state.SkipWithError(e.what());
        }
    };
    benchmark::RegisterBenchmark(name.c_str(), body)->Iterations(1)->UseManualTime()->Unit(benchmark::kMicrosecond);
}

void add_benchmarks() {
    for (const Filter &f : all_filters()) {
        if (f.is_reference()) {
            continue;
        }
        const std::string name = f.generator + "/" + f.variant + "/" + f.size();
        add_benchmark(name, f, time_on_gpu);
        if (int64_t(f.width) * f.height <= kCallUpToElements) {
            add_benchmark(name + "/call", f, time_calls);
        }
    }
}

void print_list() {
    for (const Filter &f : all_filters()) {
        std::cout << f.generator << "/" << f.variant << "/" << f.size();
        if (f.predicted.launches > 0) {
            std::cout << "  launches " << f.predicted.launches << ", bytes " << f.predicted.bytes << ", predicted "
                      << f.predicted.time_us << " us, registers " << f.predicted.registers << " of "
                      << f.predicted.register_cap;
        }
        std::cout << "\n";
    }
}

void print_help() {
    std::cout << "bench_kernels: times every generator x variant x size on the CUDA GPU, after checking its results.\n"
                 "  --list                               the filters that are linked in, with the plan's predictions\n"
                 "  --no-check                           time without comparing results first (for a profiler)\n"
                 "  --benchmark_filter=REGEX             only these, e.g. pointwise_chain/fused\n"
                 "  --benchmark_format=console|json\n"
                 "  --benchmark_out=FILE                 JSON, for bench/report.py\n"
                 "  --benchmark_repetitions=N            and Google Benchmark's other options\n"
                 "Exit status: 0; 1 if a result was wrong or failed; "
              << kSkipped << " without a CUDA device.\n";
}

/// A line a benchmark (its median, if repeated), narrow enough to read; the JSON has all counters.
class Table : public benchmark::BenchmarkReporter {
public:
    bool ReportContext(const Context &) override {
        std::printf("%s, copy of 1 GiB: %.0f GB/s\n%-44s %10s %8s %6s %9s %9s  %s\n", session->device.name.c_str(),
                    session->copy_gbps, "benchmark", "us", "GB/s", "/copy", "planned", "predicted", "launches");
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (const Run &run : runs) {
            const std::string name = run.run_name.function_name;
            const bool one_of_many = run.repetitions > 1 && run.aggregate_name != "median";
            if (one_of_many && !run.error_occurred) {
                continue;
            }
            if (run.error_occurred) {
                std::printf("%-44s FAILED: %s\n", name.c_str(), run.error_message.c_str());
                continue;
            }
            const auto counter = [&](const char *key) { return run.counters.at(key).value; };
            // Nothing is predicted of a hand schedule.
            const bool as_planned =
                counter("predicted_launches") == 0 || counter("launches") == counter("predicted_launches");
            std::printf("%-44s %10.2f %8.0f %6.3f %9.3f %9.2f  %.0f%s\n", name.c_str(), run.GetAdjustedRealTime(),
                        counter("GBps"), counter("copy_ratio"), counter("planned_copy_ratio"), counter("predicted_us"),
                        counter("launches"), as_planned ? "" : " (not as planned)");
        }
        std::fflush(stdout);
    }
};

/// A reporter that also remembers whether any benchmark failed.
template<typename Reporter>
class Watching : public Reporter {
public:
    bool failed = false;
    void ReportRuns(const std::vector<benchmark::BenchmarkReporter::Run> &runs) override {
        for (const auto &run : runs) {
            failed |= run.error_occurred;
        }
        Reporter::ReportRuns(runs);
    }
};

template<typename Reporter>
bool run_benchmarks() {
    Watching<Reporter> reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    return !reporter.failed;
}

int run(int argc, char **argv) {
    bool json = false, checks = true;
    std::vector<char *> rest;  // for Google Benchmark
    for (int i = 0; i < argc; i++) {
        const std::string argument = argv[i];
        if (argument == "--list") {
            print_list();
            return 0;
        }
        json |= argument == "--benchmark_format=json";
        if (argument == "--no-check") {
            checks = false;
        } else {
            rest.push_back(argv[i]);
        }
    }
    argc = int(rest.size());
    rest.push_back(nullptr);
    argv = rest.data();
    benchmark::Initialize(&argc, argv, print_help);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) {
        return 2;
    }
    const std::string why_not = cuda::start();
    if (!why_not.empty()) {
        std::cerr << "bench_kernels: " << why_not << ": nothing was measured\n";
        return kSkipped;
    }
    session.emplace();
    session->checks = checks;
    halide_reuse_device_allocations(nullptr, false);  // cuda_driver.h does it better
    benchmark::AddCustomContext("device", session->device.name);
    benchmark::AddCustomContext("driver", std::to_string(session->device.driver_version));
    benchmark::AddCustomContext("multiprocessors", std::to_string(session->device.multiprocessors));
    benchmark::AddCustomContext("l2_bytes", std::to_string(session->device.l2_bytes));
    benchmark::AddCustomContext("copy_gbps", std::to_string(session->copy_gbps));
    add_benchmarks();
    const bool ok = json ? run_benchmarks<benchmark::JSONReporter>() : run_benchmarks<Table>();
    session.reset();
    cuda::free_intermediates();
    return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char **argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception &e) {
        std::cerr << "bench_kernels: " << e.what() << "\n";
        return 1;
    }
}

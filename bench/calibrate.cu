// Measures the constants of the device model (fusion/device) on the GPU at hand and prints them as one JSON object.
//
//   nvcc -O3 -arch=sm_90 bench/calibrate.cu -o calibrate && ./calibrate > calibrate.json
//
// In: nothing. Out: JSON on stdout; every key that ends in _gbps is 1e9 bytes a second, _us microseconds, _gops 1e9 operations a second.
// Each number is the median of kRuns event timings after two warm-up runs, on random data that exceeds the L2, except where the key says L2.
// Needs 3 GiB of device memory and, on one H200, a few seconds. Exit status 77 if there is no CUDA device.
#include "calibrate_kernels.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t status_ = (call);                                                                                  \
        if (status_ != cudaSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_));                \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

constexpr int kRuns = 9;
constexpr size_t kBytes = size_t(1) << 30;
static cudaEvent_t start_event, stop_event;
static const char *separator = "";

template<typename Launch>
double median_ms(Launch launch) {
    std::vector<float> times;
    for (int i = -2; i < kRuns; i++) {
        CHECK(cudaEventRecord(start_event));
        launch();
        CHECK(cudaEventRecord(stop_event));
        CHECK(cudaGetLastError());
        CHECK(cudaEventSynchronize(stop_event));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, start_event, stop_event));
        if (i >= 0)
            times.push_back(ms);
    }
    std::sort(times.begin(), times.end());
    return times[kRuns / 2];
}
void open(const std::string &key) {
    printf("%s\n  \"%s\": {", separator, key.c_str()), separator = "";
}
void close() {
    printf("}"), separator = ",";
}
void number(const std::string &key, double value) {
    printf("%s\"%s\": %.6g", separator, key.c_str(), value), separator = ", ";
}
double gbps(double bytes, double ms) {
    return bytes / ms * 1e-6;
}

template<typename T, int N, int Mode>
double time_move(const void *in, void *out, size_t shared = 0) {
    size_t per_block = 256 * N * sizeof(T);
    return median_ms([&] { move<T, N, Mode><<<kBytes / per_block, 256, shared>>>((const T *)in, (T *)out); });
}
template<typename Op, typename T>
double gops(void *out, int sms, int steps) {
    T a = T(T(0.75) != 0 ? 0.75 : 3);  // 0.75, or 3 for integers
    double ms = median_ms([&] { rate<Op, T><<<sms * 8, 256>>>((T *)out, a, steps); });
    return double(sms) * 8 * 256 * 8 * steps / ms * 1e-6;
}
template<int K, int Threads, int Blocks>
void live(const float *in, float *out) {
    cudaFuncAttributes a;
    CHECK(cudaFuncGetAttributes(&a, live_values<K, Threads, Blocks>));
    double grid = double(kBytes / sizeof(float) / (size_t(Threads) * K));
    double ms = median_ms([&] { live_values<K, Threads, Blocks><<<unsigned(grid), Threads>>>(in, out); });
    open("live_" + std::to_string(K) + "_cap_" + std::to_string(65536 / Threads / Blocks));
    number("registers", a.numRegs);
    number("local_bytes", double(a.localSizeBytes));
    number("gbps", gbps(grid * Threads * K * 8, ms));
    close();
}

int main() {
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0)
        return fprintf(stderr, "calibrate: no CUDA device\n"), 77;
    cudaDeviceProp p;
    CHECK(cudaGetDeviceProperties(&p, 0));
    CHECK(cudaEventCreate(&start_event));
    CHECK(cudaEventCreate(&stop_event));
    float *in, *out, *scratch;
    CHECK(cudaMalloc(&in, kBytes));
    CHECK(cudaMalloc(&out, kBytes));
    CHECK(cudaMalloc(&scratch, 1 << 24));
    fill<<<4096, 256>>>(in, kBytes / 4);
    fill<<<4096, 256>>>(out, kBytes / 4);
    CHECK(cudaDeviceSynchronize());
    const int sms = p.multiProcessorCount;

    printf("{\n  \"schema\": 1, \"device\": \"%s\"", p.name), separator = ", ";
    number("compute_capability", p.major * 10 + p.minor);
    number("sms", sms);
    number("l2_bytes", p.l2CacheSize);
    number("memory_bytes", double(p.totalGlobalMem));
    number("shared_bytes_per_sm", double(p.sharedMemPerMultiprocessor));
    number("registers_per_sm", p.regsPerMultiprocessor);
    number("threads_per_sm", p.maxThreadsPerMultiProcessor);
    separator = ",";

    open("bandwidth_gbps");  // copy: bytes read plus bytes written
    number("memcpy",
           gbps(2.0 * kBytes, median_ms([&] { CHECK(cudaMemcpyAsync(out, in, kBytes, cudaMemcpyDeviceToDevice)); })));
    number("copy", gbps(2.0 * kBytes, time_move<float4, 1, 0>(in, out)));
    number("read", gbps(kBytes, time_move<float4, 4, 1>(in, out)));
    number("write", gbps(kBytes, time_move<float4, 1, 2>(in, out)));
    fill<<<4096, 256>>>(out, kBytes / 4);
    number("l2_read_16mb",
           gbps(20.0 * (1 << 24), median_ms([&] { read_l2<<<sms * 8, 256>>>((float4 *)in, scratch, 1 << 20, 20); })));
    close();

    open("launch_us");
    number("in_stream", median_ms([&] {
               for (int i = 0; i < 1000; i++)
                   nothing<<<1, 32>>>();
           }));  // ms for 1000 = us each
    number("in_stream_full_grid", median_ms([&] {
               for (int i = 0; i < 1000; i++)
                   nothing<<<sms * 8, 256>>>();
           }));
    std::vector<double> walls;
    for (int i = 0; i < 201; i++) {
        auto t0 = std::chrono::steady_clock::now();
        nothing<<<1, 32>>>();
        CHECK(cudaDeviceSynchronize());
        walls.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - t0).count());
    }
    std::sort(walls.begin(), walls.end());
    number("launch_and_sync_wall", walls[100]);
    close();

    for (int unroll : {1, 4}) {
        open("copy_gbps_by_blocks_of_256_unroll_" + std::to_string(unroll));
        for (int blocks : {1, 2, 4, 8, 16, 33, 66, 132, 264, 528, 1056}) {
            size_t bytes = std::min(kBytes, size_t(blocks) << 24);
            double ms = median_ms([&] {
                if (unroll == 1)
                    copy_walk<1><<<blocks, 256>>>((float4 *)in, (float4 *)out, bytes / 16);
                else
                    copy_walk<4><<<blocks, 256>>>((float4 *)in, (float4 *)out, bytes / 16);
            });
            number(std::to_string(blocks), gbps(2.0 * bytes, ms));
        }
        close();
    }
    open("copy_gbps_by_access_bytes_x_accesses");
    number("4x1", gbps(2.0 * kBytes, time_move<float, 1, 0>(in, out)));
    number("4x2", gbps(2.0 * kBytes, time_move<float, 2, 0>(in, out)));
    number("4x4", gbps(2.0 * kBytes, time_move<float, 4, 0>(in, out)));
    number("8x1", gbps(2.0 * kBytes, time_move<float2, 1, 0>(in, out)));
    number("16x1", gbps(2.0 * kBytes, time_move<float4, 1, 0>(in, out)));
    number("16x2", gbps(2.0 * kBytes, time_move<float4, 2, 0>(in, out)));
    number("16x4", gbps(2.0 * kBytes, time_move<float4, 4, 0>(in, out)));
    close();
    open("read_useful_gbps_by_stride_in_floats");
    for (int stride : {1, 2, 4, 8, 16, 32})
        number(std::to_string(stride), gbps(double(kBytes) / stride, median_ms([&] {
                                                read_stride<<<kBytes / 4 / stride / 256, 256>>>(in, scratch, stride);
                                            })));
    close();
    open("uncoalesced_gbps");
    number("thread_a_row_262144x1024", gbps(kBytes, median_ms([&] { read_rows<<<1024, 256>>>(in, scratch, 1024); })));
    number("thread_a_row_32768x8192", gbps(kBytes, median_ms([&] { read_rows<<<128, 256>>>(in, scratch, 8192); })));
    number("transpose_naive_16384",
           gbps(2.0 * kBytes, median_ms([&] { transpose_naive<<<dim3(512, 2048), dim3(32, 8)>>>(in, out, 16384); })));
    close();
    open("arithmetic_gops");  // one operation a lane; an FMA counts as ONE operation here, two flops
    number("fma_f32", gops<fma32_t, float>(scratch, sms, 4000));
    number("fma_f64", gops<fma64_t, double>(scratch, sms, 2000));
    number("convert_f32_f64", 2 * gops<convert_f64_t, float>(scratch, sms, 1000));
    number("add_xor_i32", 2 * gops<addxor_t, int>(scratch, sms, 4000));
    number("mad_i32", gops<mad32i_t, int>(scratch, sms, 4000));
    number("ex2_approx", gops<ex2_t, float>(scratch, sms, 1000));
    number("lg2_approx", gops<lg2_t, float>(scratch, sms, 1000));
    number("sin_approx", gops<sin_t, float>(scratch, sms, 1000));
    number("rsqrt_approx", gops<rsqrt_t, float>(scratch, sms, 1000));
    number("rcp_approx", gops<rcp_t, float>(scratch, sms, 1000));
    number("tanh_approx", gops<tanh_approx_t, float>(scratch, sms, 1000));
    number("expf", gops<expf_t, float>(scratch, sms, 400));
    number("logf", gops<logf_t, float>(scratch, sms, 400));
    number("sinf", gops<sinf_t, float>(scratch, sms, 400));
    number("tanhf", gops<tanhf_t, float>(scratch, sms, 400));
    number("sqrtf", gops<sqrtf_t, float>(scratch, sms, 400));
    number("divide_f32", gops<divide_t, float>(scratch, sms, 400));
    close();
    printf("%s\n  \"fma_f32_tflops\": %.4g", separator, 2e-3 * gops<fma32_t, float>(scratch, sms, 4000));
    open("shared_read_gbps");
    auto shared = [&](auto zero, int stride) {
        using T = decltype(zero);
        double ms = median_ms([&] { read_shared<T><<<sms * 4, 256>>>(scratch, stride, 1000); });
        return gbps(double(sms) * 4 * 256 * 8 * 1000 * sizeof(T), ms);
    };
    number("4_bytes", shared(float(), 1));
    number("16_bytes", shared(float4(), 1));
    number("4_bytes_2_way_conflict", shared(float(), 2));
    number("4_bytes_32_way_conflict", shared(float(), 32));
    close();
    open("copy_gbps_by_resident_threads_per_sm");
    for (int blocks : {1, 2, 4, 8}) {
        auto kernel = move<float4, 1, 0>;
        size_t bytes =
            blocks == 8 ? 0 : std::min(p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor / blocks - 1024);
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(p.sharedMemPerBlockOptin)));
        int resident = 0;
        CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 256, bytes));
        number(std::to_string(resident * 256), gbps(2.0 * kBytes, time_move<float4, 1, 0>(in, out, bytes)));
    }
    close();
    live<16, 256, 1>(in, out);
    live<32, 256, 1>(in, out);
    live<64, 256, 1>(in, out);
    live<96, 256, 1>(in, out);
    live<16, 1024, 2>(in, out);
    live<32, 1024, 2>(in, out);
    live<64, 1024, 2>(in, out);
    live<96, 1024, 2>(in, out);
    live<64, 256, 4>(in, out);
    live<96, 256, 4>(in, out);
    live<128, 256, 4>(in, out);
    printf("\n}\n");
    return 0;
}

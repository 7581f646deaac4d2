#!/usr/bin/env bash
# Measures everything on a GPU machine in one go and prints the README's table.
#
#   bench/gpu_run.sh --kernels build/release/bench --out results [--calibrate FILE] [--filter REGEX] [--no-peers]
#
# Run it from a checkout; the machine needs a CUDA driver, python3 for the peers and the table, and nvcc only if the device
# is to be calibrated and no built program is given.
#   --kernels DIR      folder that holds bench_kernels and libbenchmark.so.* (built elsewhere: cmake --build ... --target bench;
#                      only these two files of the build folder are needed)
#   --out DIR          where bench.json, peers.json, calibrate.json, table.md and the logs go; default: $OUT, then ./results
#   --calibrate FILE   a built bench/calibrate.cu; otherwise it is compiled here if nvcc is found
#   --arch ARCH        for nvcc; default: native
#   --filter REGEX     only these benchmarks (--benchmark_filter)
#   --peers "ARGS"     arguments for peers.py, e.g. "--sizes pointwise_chain:16384x16384"
#   --no-calibrate, --no-peers
# Each step goes on without the ones before it; exit status 1 if one of them failed, 77 without a CUDA device.
set -uo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
kernels='' out=${OUT:-results} calibrate='' arch=native filter=. peers='' want_calibrate=1 want_peers=1

die() {
    echo "gpu_run.sh: $*" >&2
    exit 2
}

while (($#)); do
    case $1 in
    --no-calibrate) want_calibrate=0 ;;
    --no-peers) want_peers=0 ;;
    --kernels | --out | --calibrate | --arch | --filter | --peers)
        (($# > 1)) || die "$1 needs a value"
        declare "${1#--}=$2"
        shift
        ;;
    -h | --help)
        sed -n '2,/^set /{/^set /!s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
        exit 0
        ;;
    *) die "unknown option '$1'; next step: bench/gpu_run.sh --help" ;;
    esac
    shift
done
[[ -n $kernels ]] || die "--kernels DIR is missing; next step: bench/gpu_run.sh --help"
[[ -x $kernels/bench_kernels ]] || die "there is no program $kernels/bench_kernels"
mkdir -p "$out" || exit 2

failed=0
# step NAME COMMAND...: runs it, shows its end if it fails.
step() {
    local name=$1 status=0
    shift
    SECONDS=0
    "$@" >"$out/$name.log" 2>&1 || status=$?
    echo "$name: status $status, $SECONDS s"
    if ((status != 0)); then
        tail -n 15 "$out/$name.log"
        failed=1
    fi
    return "$status"
}

nvidia-smi --query-gpu=name,driver_version,memory.total,clocks.sm,clocks.mem,temperature.gpu --format=csv,noheader |
    tee "$out/gpu.txt" || { echo "gpu_run.sh: no CUDA device here: nothing was measured" && exit 77; }

if ((want_calibrate)); then
    if [[ -z $calibrate ]] && command -v nvcc >/dev/null; then
        step nvcc nvcc -O3 "-arch=$arch" "$here/calibrate.cu" -o "$out/calibrate" && calibrate=$out/calibrate
    fi
    if [[ -n $calibrate ]]; then
        step calibrate "$calibrate" && cp "$out/calibrate.log" "$out/calibrate.json"
        [[ $calibrate != "$out/calibrate" ]] || rm -f "$calibrate"
    else
        echo "calibrate: skipped, neither --calibrate nor nvcc"
    fi
fi

step bench "$kernels/bench_kernels" "--benchmark_filter=$filter" "--benchmark_out=$out/bench.json" \
    --benchmark_out_format=json
if ((want_peers)); then
    # shellcheck disable=SC2086  # several arguments
    step peers python3 "$here/peers.py" --out "$out/peers.json" $peers
fi

results=("$out/bench.json")
[[ ! -s $out/peers.json ]] || results+=("$out/peers.json")
step table python3 "$here/report.py" "${results[@]}" && cp "$out/table.log" "$out/table.md" && cat "$out/table.md"
exit "$failed"

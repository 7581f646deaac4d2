#!/usr/bin/env python3
"""Runs the work of each generator through PyTorch eager, torch.compile and JAX jit, and times it.

To be run on the GPU machine next to the project's own benchmark, so that both numbers come from the
same run. A library that is missing is skipped with a line that says so. Every peer's result is
checked once against the same math in float64; a wrong one makes the exit status 1.

How the time is taken. PyTorch: CUDA events around each run, the median. JAX: wall clock over a batch
of calls enqueued without waiting and one wait at its end, the median batch (JAX has no events).
Inputs smaller than twice the L2 are rotated among up to eight sets. Up to 65536 elements `us_call`
is also given: wall clock over 2000 calls in a row and one wait, divided by 2000.
`bytes` are the compulsory ones, each input once and each output once; `gbps` is bytes over ms.
--check times nothing: it compares the peers of images with formulations that share no text with them.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import json
import math
import os
import platform
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import peer_backends as backends
from peer_images import IMAGE_WORKLOADS
from peer_math import WORKLOADS as POINTWISE_WORKLOADS
from peer_math import Array, Size, compulsory_bytes
from peer_pyramids import PYRAMID_WORKLOADS
from peer_rows import ROW_WORKLOADS

WORKLOADS = POINTWISE_WORKLOADS | ROW_WORKLOADS | IMAGE_WORKLOADS | PYRAMID_WORKLOADS

ROTATE_BELOW_BYTES = 2 * 60 * 10**6  # twice the 60 MB L2 of an H200
MOST_SETS = 8
CALL_TIME_UP_TO = 65536  # elements
CALLS = 2000
# Relative to the largest magnitude; float32 against float64 stays below 1e-5, float16 rounds to 5e-4 once or twice.
TOLERANCE, HALF_TOLERANCE = 1e-4, 4e-3
# It reads between pixels at x + u: next to x = 3840 float32 has steps of 2.4e-4.
FLOW_TOLERANCE = 1e-3
PEERS = ("torch-eager", "torch-compile", "torch-autotune", "torch-triton", "jax-jit")


class UserError(Exception):
    """The command line or the sizes file is wrong."""


class Case(NamedTuple):
    generator: str
    size: Size


class Data(NamedTuple):
    """What both libraries share in one case."""

    sets: list[list[Array]]
    reference: tuple[Array, ...]
    relative_error: Callable[[tuple[Array, ...], tuple[Array, ...]], float]


def default_cases() -> list[Case]:
    return [Case(name, size) for name, workload in WORKLOADS.items() for size in workload.sizes]


def make_case(generator: str, extents: list[int]) -> Case:
    if generator not in WORKLOADS:
        raise UserError(f"no generator '{generator}'; there are: {', '.join(WORKLOADS)}")
    if not 2 <= len(extents) <= 3 or min(extents) < 1:
        raise UserError(f"{generator}: extents {extents} are not WxH or WxHxD, each at least 1")
    return Case(generator, Size(*extents))


def parse_case(text: str) -> Case:
    match = re.fullmatch(r"(\w+):(\d+(?:x\d+){1,2})", text)
    if not match:
        raise UserError(f"'{text}' is neither NAME:WxH[xD] nor a .json file")
    return make_case(match[1], [int(extent) for extent in match[2].split("x")])


def read_cases(path: str) -> list[Case]:
    """A JSON list of "NAME:WxH[xD]" or {"generator", "width", "height", "depth"?}."""
    try:
        entries = json.loads(Path(path).read_text(encoding="utf-8"))
        return [
            parse_case(entry)
            if isinstance(entry, str)
            else make_case(entry["generator"], [int(entry[k]) for k in ("width", "height", "depth") if k in entry])
            for entry in entries
        ]
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except (ValueError, TypeError, KeyError) as error:
        raise UserError(f"{path} is not a list of sizes: {error!r}") from error


def cases_of(sizes: list[str], defaults: list[Case]) -> list[Case]:
    if not sizes:
        return defaults
    return [case for s in sizes for case in (read_cases(s) if s.endswith(".json") else [parse_case(s)])]


def first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def load_libraries(wanted: list[str], device: str) -> tuple[dict[str, backends.Library], dict[str, str]]:
    """The libraries at hand, and for each wanted peer without one the reason."""
    makers = {"torch": backends.torch_library, "jax": backends.jax_library}
    found: dict[str, backends.Library] = {}
    skipped: dict[str, str] = {}
    for name, make in makers.items():
        peers = [peer for peer in wanted if peer.startswith(name)]
        # PyTorch also makes the data and the reference, so it is loaded though no peer of it is asked for.
        if not peers and name != "torch":
            continue
        try:
            found[name] = make(device)
            absent = [peer for peer in peers if peer not in found[name].compilers]
            skipped |= {peer: f"not in {name} {found[name].version}" for peer in absent}
        except (ImportError, RuntimeError) as error:
            skipped |= {peer: first_line(error) for peer in peers}
    for peer, why in skipped.items():
        print(f"{peer}: skipped, {why}")
    return found, skipped


def make_data(case: Case, device: str, with_torch: bool) -> Data:
    workload = WORKLOADS[case.generator]
    specs = workload.inputs(case.size)
    in_bytes = sum(spec.nbytes() for spec in specs)
    count = min(MOST_SETS, max(1, math.ceil(ROTATE_BELOW_BYTES / in_bytes)))
    if with_torch:
        sets = [backends.torch_inputs(specs, seed, device) for seed in range(count)]
        reference = backends.torch_reference(workload.compute, sets[0])
        return Data(sets, reference, backends.torch_relative_error)
    sets = [backends.numpy_inputs(specs, seed) for seed in range(count)]
    reference = backends.numpy_reference(workload.compute, sets[0])
    return Data(sets, reference, backends.numpy_relative_error)


def run_peer(
    case: Case, peer: str, library: backends.Library, data: Data, sets: list[list[Array]], repeats: int
) -> dict[str, Any] | None:
    """One row of the results; None where the peer has nothing of this kind. `sets` are the data's sets as this library
    holds them."""
    workload, size = WORKLOADS[case.generator], case.size
    program = library.compilers[peer](workload.compute)
    if program is None:
        return None
    error = data.relative_error(library.run_once(program, sets[0]), data.reference)
    calls = CALLS if size.width * size.height <= CALL_TIME_UP_TO else 0
    bytes_out = sum(spec.nbytes() for spec in workload.outputs(size))
    times = library.measure(program, sets, backends.Timing(repeats, calls, bytes_out))
    moved = compulsory_bytes(workload, size)
    return {
        "generator": case.generator,
        **size._asdict(),
        "peer": peer,
        "ms": times.ms,
        "us_call": times.us_call,
        "gbps": moved / times.ms * 1e-6,
        "bytes": moved,
        "rel_error": error,
        "sets": len(sets),
    }


def is_right(row: dict[str, Any]) -> bool:
    workload, size = WORKLOADS[row["generator"]], Size(row["width"], row["height"], row["depth"])
    if row["generator"] == "optical_flow_step":
        return row["rel_error"] <= FLOW_TOLERANCE
    is_half = any(spec.dtype == "float16" for spec in workload.outputs(size))
    return row["rel_error"] <= (HALF_TOLERANCE if is_half else TOLERANCE)


def line_of(row: dict[str, Any]) -> str:
    call = "" if row["us_call"] is None else f"  {row['us_call']:.1f} us a call"
    wrong = "" if is_right(row) else "  WRONG"
    size = f"{row['width']}x{row['height']}"
    return (
        f"{row['generator']:20} {size:>12} {row['peer']:14} {row['ms']:10.4f} ms {row['gbps']:8.1f} GB/s"
        f"  error {row['rel_error']:.1e}{wrong}{call}"
    )


def free_memory(with_torch: bool) -> None:
    """Gives PyTorch's cached memory back, so that JAX finds room."""
    gc.collect()
    if with_torch:
        import torch

        if torch.cuda.is_available():
            torch.cuda.empty_cache()


def check_peers(found: dict[str, backends.Library], options: argparse.Namespace) -> int:
    """The exit status."""
    import peer_check  # needs NumPy

    cases = cases_of(options.sizes, [Case(name, size) for name in peer_check.PLAIN for size in peer_check.SIZES])
    for case in cases:
        if case.generator not in peer_check.PLAIN:
            raise UserError(f"{case.generator}: --check has no plain formulation of it")
    with_workloads = [(name, WORKLOADS[name], size) for name, size in cases]
    return 0 if peer_check.check(with_workloads, found, options.peers, options.device, TOLERANCE) else 1


def run_cases(cases: list[Case], found: dict[str, backends.Library], options: argparse.Namespace) -> dict[str, Any]:
    results: list[dict[str, Any]] = []
    failed: list[dict[str, Any]] = []
    for case in cases:
        data = make_data(case, options.device, "torch" in found)
        for name, library in found.items():
            free_memory("torch" in found)
            sets = data.sets if name == "torch" else [backends.jax_inputs(s, options.device) for s in data.sets]
            for peer in (p for p in options.peers if p in library.compilers):
                try:
                    row = run_peer(case, peer, library, data, sets, options.repeats)
                # Anything may come out of a peer's compiler; the others' numbers are still wanted.
                except Exception as error:  # noqa: BLE001
                    why = f"{type(error).__name__}: {first_line(error)}"
                    failed.append({"generator": case.generator, **case.size._asdict(), "peer": peer, "why": why})
                    print(f"{case.generator}: {peer} failed, {why}")
                    continue
                if row is not None:
                    results.append(row)
                    print(line_of(row), flush=True)
    return {"results": results, "failed": failed}


def machine_name(device: str, with_torch: bool) -> str:
    if device == "cuda" and with_torch:
        import torch

        return torch.cuda.get_device_name()
    if device == "cuda":
        return backends.jax_module(device).devices()[0].device_kind
    return f"{platform.machine()} CPU, {os.cpu_count()} cores"


def parse_options(arguments: list[str]) -> argparse.Namespace:
    lines = (__doc__ or "").split("\n\n", 1)
    parser = argparse.ArgumentParser(
        description=lines[0], epilog=lines[1], formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes_help = "NAME:WxH[xD], or a .json list of such; default: each generator at its own sizes"
    parser.add_argument("--sizes", nargs="+", default=[], metavar="SIZE", help=sizes_help)
    parser.add_argument("--out", metavar="FILE", help="write the results here as JSON")
    parser.add_argument("--repeats", type=int, default=30, metavar="N", help="timed runs of each (default: 30)")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="default: cuda")
    parser.add_argument("--peers", nargs="+", choices=PEERS, default=list(PEERS), help="default: all of them")
    parser.add_argument("--check", action="store_true", help="check the peers of images at small sizes, time nothing")
    options = parser.parse_args(arguments)
    if options.repeats < 1:
        parser.error(f"--repeats {options.repeats}: at least 1 is needed")
    if options.out and not Path(options.out).absolute().parent.is_dir():
        parser.error(f"--out {options.out}: there is no such folder")
    return options


def main(arguments: list[str]) -> int:
    options = parse_options(arguments)
    try:
        if options.check:
            return check_peers(load_libraries(options.peers, options.device)[0], options)
        cases = cases_of(options.sizes, default_cases())
    except UserError as error:
        print(f"peers.py: {error}", file=sys.stderr)
        return 2
    found, skipped = load_libraries(options.peers, options.device)
    if not any(peer in library.compilers for library in found.values() for peer in options.peers):
        print("peers.py: no peer is installed here, nothing was measured", file=sys.stderr)
        return 3
    copy_gbps = backends.torch_copy_gbps(options.device) if "torch" in found else None
    if copy_gbps is not None:
        print(f"copy: {copy_gbps:.1f} GB/s, read and write counted")
    report = {
        "machine": machine_name(options.device, "torch" in found),
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "copy_gbps": copy_gbps,
        "versions": {"python": platform.python_version()} | {name: lib.version for name, lib in found.items()},
        "skipped": skipped,
        **run_cases(cases, found, options),
    }
    if options.out:
        Path(options.out).write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    wrong = [row for row in report["results"] if not is_right(row)]
    return 1 if wrong or report["failed"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

#!/usr/bin/env python3
"""Prints the README's table of measured numbers from the results of bench_kernels and peers.py.

In: the JSON of `bench_kernels --benchmark_out=FILE` and, if given, of `peers.py --out FILE`; both should
come from one run on one machine (bench/gpu_run.sh makes such a pair). Out: Markdown on stdout. A
benchmark that failed is a line under the table, not a missing row.

Columns: time of the unfused and the fused variant; GB/s of the fused one on compulsory bytes, each input
once and each output once; its ratio to a copy in the same run; the best peer's time over the fused time
(above 1: the peer is slower), and the hand schedule's, where there is one; kernels launched by unfused and
fused; the planner's predicted time over the measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any, NamedTuple

HEADER = (
    "generator",
    "size",
    "unfused ms",
    "fused ms",
    "unfused / fused",
    "fused GB/s",
    "/ copy",
    "best peer",
    "its ms",
    "peer / fused",
    "hand / fused",
    "launches",
    "predicted / measured",
)
CALL_HEADER = (
    "generator",
    "size",
    "unfused µs",
    "fused µs",
    "fused / unfused",
    "best peer",
    "its µs",
    "fused / peer",
    "launches",
)
MICROSECONDS_PER = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


class UserError(Exception):
    """A file is missing or is not what it should be."""


class Key(NamedTuple):
    generator: str
    size: str
    variant: str
    is_call: bool


def read_json(path: str) -> dict[str, Any]:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from error
    except ValueError as error:
        raise UserError(f"{path} is not JSON: {error}") from error


def key_of(name: str) -> Key:
    """From NAME/VARIANT/WxH[/call]/iterations:1/manual_time."""
    generator, variant, size, *rest = name.split("/")
    return Key(generator, size, variant, "call" in rest)


def read_runs(bench: dict[str, Any]) -> tuple[dict[Key, dict[str, Any]], list[str]]:
    """One run a benchmark, the median where there were repetitions; and a line for each that failed."""
    runs: dict[Key, dict[str, Any]] = {}
    failed: list[str] = []
    for run in bench.get("benchmarks", []):
        key = key_of(run.get("run_name", run["name"]))
        if run.get("error_occurred"):
            failed.append(f"{'/'.join(key[:3])}: {run.get('error_message', 'failed')}")
        elif run.get("aggregate_name", "median") == "median" and (key not in runs or "aggregate_name" in run):
            runs[key] = run | {"us": run["real_time"] * MICROSECONDS_PER[run["time_unit"]]}
    return runs, sorted(set(failed))


def best_peer(peers: list[dict[str, Any]], key: Key, field: str) -> dict[str, Any] | None:
    rows = [
        row
        for row in peers
        if row["generator"] == key.generator
        and f"{row['width']}x{row['height']}" == key.size
        and row.get(field) is not None
    ]
    return min(rows, key=lambda row: row[field], default=None)


def launches(run: dict[str, Any] | None) -> str:
    if run is None:
        return "?"
    counted, predicted = int(run["launches"]), int(run["predicted_launches"])
    return str(counted) if counted == predicted else f"{counted} (planned {predicted})"


def ratio(a: float | None, b: float | None) -> str:
    return "" if a is None or not b else f"{a / b:.2f}"


def row_of(
    unfused: dict[str, Any] | None,
    hand: dict[str, Any] | None,
    fused: dict[str, Any],
    peer: dict[str, Any] | None,
) -> list[str]:
    ms = fused["us"] / 1e3
    unfused_ms = unfused["us"] / 1e3 if unfused else None
    return [
        f"{unfused_ms:.4f}" if unfused_ms else "",
        f"{ms:.4f}",
        ratio(unfused_ms, ms),
        f"{fused['GBps']:.0f}",
        f"{fused['copy_ratio']:.2f}",
        peer["peer"] if peer else "",
        f"{peer['ms']:.4f}" if peer else "",
        ratio(peer["ms"] if peer else None, ms),
        ratio(hand["us"] / 1e3 if hand else None, ms),
        f"{launches(unfused)} → {launches(fused)}",
        ratio(fused["predicted_us"], fused["us"]),
    ]


def call_row_of(unfused: dict[str, Any] | None, fused: dict[str, Any], peer: dict[str, Any] | None) -> list[str]:
    return [
        f"{unfused['us']:.2f}" if unfused else "",
        f"{fused['us']:.2f}",
        ratio(fused["us"], unfused["us"] if unfused else None),
        peer["peer"] if peer else "",
        f"{peer['us_call']:.2f}" if peer else "",
        ratio(fused["us"], peer["us_call"] if peer else None),
        f"{launches(unfused)} → {launches(fused)}",
    ]


def table(header: tuple[str, ...], rows: list[list[str]]) -> str:
    numbers = ["---", "---", *["---:"] * (len(header) - 2)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [list(header), numbers, *rows])


def render(bench: dict[str, Any], peers: dict[str, Any], variant: str) -> str:
    runs, failed = read_runs(bench)
    peer_rows = peers.get("results", [])
    full: list[list[str]] = []
    calls: list[list[str]] = []
    for key, fused in runs.items():
        if key.variant != variant:
            continue
        unfused = runs.get(key._replace(variant="unfused"))
        if key.is_call:
            peer = best_peer(peer_rows, key, "us_call")
            calls.append([key.generator, key.size, *call_row_of(unfused, fused, peer)])
        else:
            hand = runs.get(key._replace(variant="hand"))
            full.append([key.generator, key.size, *row_of(unfused, hand, fused, best_peer(peer_rows, key, "ms"))])
    context = bench.get("context", {})
    copies = [f"copy of 1 GiB: {float(context['copy_gbps']):.0f} GB/s"] if "copy_gbps" in context else []
    if peers.get("copy_gbps"):
        copies.append(f"by the peers' script: {peers['copy_gbps']:.0f} GB/s")
    parts = [
        f"{context.get('device', 'unknown device')}, {context.get('date', 'unknown date')}; {'; '.join(copies)}.",
        table(HEADER, full),
    ]
    if calls:
        parts += ["Time of a call, in a burst of 2000 with one wait at its end:", table(CALL_HEADER, calls)]
    failed += [f"{f['generator']}: {f['peer']}: {f['why']}" for f in peers.get("failed", [])]
    failed += [f"{peer}: skipped, {why}" for peer, why in peers.get("skipped", {}).items()]
    if failed:
        parts.append("Not measured:\n" + "\n".join(f"- {line}" for line in failed))
    return "\n\n".join(parts)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(
        description=(__doc__ or "").strip(), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("bench", help="JSON of bench_kernels")
    parser.add_argument("peers", nargs="?", help="JSON of peers.py")
    parser.add_argument("--variant", default="fused", help="the variant set against unfused (default: fused)")
    options = parser.parse_args(arguments)
    try:
        print(render(read_json(options.bench), read_json(options.peers) if options.peers else {}, options.variant))
    except UserError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""peers.py --check: the peers of images against plain formulations, at small sizes that are no multiples of anything.

A normal run compares a peer with the same text in float64, which finds what a library or its compiler gets wrong; this finds
what the text gets wrong. NumPy's result, which stands in for PyTorch's as a reference, is checked too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import peer_backends as backends
from peer_math import Array, Size, Workload
from peer_plain_pyramids import PLAIN

SIZES = (Size(58, 37), Size(45, 70))


def programs(
    found: dict[str, backends.Library], peers: list[str], device: str
) -> dict[str, Callable[[Workload, list[Array]], tuple[Array, ...] | None]]:
    """By peer: what computes a workload from NumPy's arrays, None where the peer has no such program."""

    def by_library(name: str, peer: str) -> Callable[[Workload, list[Array]], tuple[Array, ...] | None]:
        def compute(workload: Workload, arrays: list[Array]) -> tuple[Array, ...] | None:
            program = found[name].compilers[peer](workload.compute)
            if program is None:
                return None
            if name == "jax":
                return found[name].run_once(program, backends.jax_inputs(arrays, device))
            import torch

            return found[name].run_once(program, [torch.from_numpy(a).to(device) for a in arrays])

        return compute

    by_peer = {peer: by_library(name, peer) for name in found for peer in peers if peer in found[name].compilers}
    return by_peer | {"numpy": lambda workload, arrays: backends.numpy_reference(workload.compute, arrays)}


def to_numpy(array: Array) -> Array:
    return array.cpu().numpy() if hasattr(array, "cpu") else np.asarray(array)


def check(
    cases: list[tuple[str, Workload, Size]],
    found: dict[str, backends.Library],
    peers: list[str],
    device: str,
    tolerance: float,
) -> bool:
    """Prints a line a case and peer; whether all are right."""
    all_right = True
    for generator, workload, size in cases:
        arrays = backends.numpy_inputs(workload.inputs(size), seed=1)
        want = PLAIN[generator](*(a.astype("float64") if a.dtype.kind == "f" else a for a in arrays))
        for peer, compute in programs(found, peers, device).items():
            verdict = check_one(partial(compute, workload, arrays), want, tolerance)
            if verdict is None:
                continue
            is_right, text = verdict
            all_right &= is_right
            print(f"{generator:20} {size.width:5}x{size.height:<5} {peer:14} {text}", flush=True)
    return all_right


def check_one(
    compute: Callable[[], tuple[Array, ...] | None], want: tuple[Array, ...], tolerance: float
) -> tuple[bool, str] | None:
    try:
        results = compute()
        if results is None:
            return None
        error: Any = backends.numpy_relative_error(tuple(to_numpy(a) for a in results), want)
    # Anything may come out of a peer's compiler; the others' verdicts are still wanted.
    except Exception as problem:  # noqa: BLE001
        return False, f"FAILED, {type(problem).__name__}: {problem}"
    return error <= tolerance, f"error {error:.1e}" + ("" if error <= tolerance else "  WRONG")

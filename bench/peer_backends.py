"""PyTorch and JAX behind the same few functions: make inputs, compile a workload, time it, compare.

A `Library` is what peers.py needs of one of them. Nothing here knows a generator. Both are imported
lazily, so that a machine without one (or without both) can still run the other.
"""

from __future__ import annotations

import importlib.util
import os
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from peer_image_ops import array_image_ops, jax_image_ops
from peer_image_torch import torch_image_ops
from peer_math import Array, Ops, Spec
from peer_row_ops import array_row_ops, torch_row_ops

Program = Callable[..., tuple[Array, ...]]


class Times(NamedTuple):
    """One run in milliseconds; one call in microseconds of wall clock, where it was asked for."""

    ms: float
    us_call: float | None


class Timing(NamedTuple):
    """How to time: runs, calls of the loop that gives a call's time (0: no such loop), bytes out."""

    repeats: int
    calls: int
    bytes_out: int


class Library(NamedTuple):
    """`compilers`: peer name → what turns a workload's function into a program; None: it has none for this one."""

    version: str
    compilers: dict[str, Callable[[Program], Program | None]]
    run_once: Callable[[Program, list[Array]], tuple[Array, ...]]
    measure: Callable[[Program, list[list[Array]], Timing], Times]


def call_time(program: Program, sets: list[list[Array]], calls: int, wait: Callable[[Any], None]) -> float | None:
    """Microseconds a call: `calls` calls in a row, then one wait for the last."""
    if calls == 0:
        return None
    wait(program(*sets[0]))
    start = time.perf_counter()
    for call in range(calls):
        result = program(*sets[call % len(sets)])
    wait(result)
    return (time.perf_counter() - start) / calls * 1e6


# PyTorch ------------------------------------------------------------------------------------------


def torch_ops() -> Ops:
    import torch

    return Ops(
        xp=torch,
        gelu=lambda v: torch.nn.functional.gelu(v, approximate="tanh"),
        row_major=lambda v: v.contiguous(),
        to_u8=lambda v: v.to(torch.uint8),
        rows=torch_row_ops(),
        images=torch_image_ops(),
    )


def torch_inputs(specs: list[Spec], seed: int, device: str) -> list[Array]:
    import torch

    random = torch.Generator(device=device).manual_seed(seed)
    arrays = []
    for spec in specs:
        array = torch.empty(spec.shape, dtype=torch.float32, device=device)
        array.uniform_(spec.low, spec.high, generator=random)
        if spec.step:
            array.div_(spec.step).round_().mul_(spec.step)
        arrays.append(array.to(getattr(torch, spec.dtype)))
    return arrays


def torch_reference(compute: Program, inputs: list[Array]) -> tuple[Array, ...]:
    """The same math, eager, with every floating-point input widened to float64."""
    import torch

    with torch.no_grad():
        return compute(torch_ops(), *(x.double() if x.is_floating_point() else x for x in inputs))


def torch_relative_error(got: tuple[Array, ...], want: tuple[Array, ...]) -> float:
    """The largest difference over the largest magnitude, of the worst output."""
    import torch

    def one(actual: Array, expected: Array) -> float:
        if not isinstance(actual, torch.Tensor):
            actual = torch.from_dlpack(actual)
        if actual.shape != expected.shape:
            raise ValueError(f"shape {tuple(actual.shape)}, expected {tuple(expected.shape)}")
        difference = (actual.double() - expected.double()).abs().max().item()
        return difference / max(expected.double().abs().max().item(), 1e-30)

    return max(one(actual, expected) for actual, expected in zip(got, want, strict=True))


def torch_event_ms(run: Callable[[int], Any], repeats: int, device: str) -> float:
    """The median time of `repeats` runs: CUDA events around each, or the clock on a CPU."""
    import torch

    if device == "cpu":
        times = []
        for i in range(repeats):
            start = time.perf_counter()
            run(i)
            times.append((time.perf_counter() - start) * 1e3)
        return statistics.median(times)
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(repeats)]
    torch.cuda.synchronize()
    for i, (start, stop) in enumerate(events):
        start.record()
        run(i)
        stop.record()
    torch.cuda.synchronize()
    return statistics.median(start.elapsed_time(stop) for start, stop in events)


def torch_copy_gbps(device: str) -> float:
    """A device-to-device copy of 1 GiB (64 MiB on a CPU), counting the read and the write."""
    import torch

    count = 2**28 if device == "cuda" else 2**24
    source = torch.rand(count, device=device)
    target = torch.empty_like(source)
    target.copy_(source)
    ms = torch_event_ms(lambda _: target.copy_(source), 30, device)
    return 2 * source.numel() * source.element_size() / ms * 1e-6


def torch_library(device: str) -> Library:
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise ImportError("PyTorch sees no GPU")
    # Convolutions of float32 as such, not of TensorFloat-32, each by the algorithm that is fastest at its size.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cudnn.benchmark = True

    def wait(_: Any) -> None:
        if device == "cuda":
            torch.cuda.synchronize()

    def eager(compute: Program) -> Program:
        ops = torch_ops()
        return lambda *inputs: compute(ops, *inputs)

    def compiled(mode: str) -> Callable[[Program], Program]:
        def compile_it(compute: Program) -> Program:
            torch._dynamo.reset()  # otherwise many sizes of one function run into the recompile limit
            return torch.compile(eager(compute), dynamic=False, mode=mode)

        return compile_it

    def run_once(program: Program, inputs: list[Array]) -> tuple[Array, ...]:
        with torch.no_grad():
            return program(*inputs)

    def measure(program: Program, sets: list[list[Array]], timing: Timing) -> Times:
        with torch.no_grad():
            for inputs in sets:
                program(*inputs)
            ms = torch_event_ms(lambda i: program(*sets[i % len(sets)]), timing.repeats, device)
            return Times(ms, call_time(program, sets, timing.calls, wait))

    compilers = {"torch-eager": eager}
    if hasattr(torch, "compile"):
        compilers["torch-compile"] = compiled("default")
        # CUDA graphs would copy inputs that are not always the same into memory of their own, and time that.
        compilers["torch-autotune"] = compiled("max-autotune-no-cudagraphs")
    if device == "cuda" and importlib.util.find_spec("triton"):
        from peer_triton import PROGRAMS

        compilers["torch-triton"] = PROGRAMS.get
    return Library(torch.__version__, compilers, run_once, measure)


# JAX ----------------------------------------------------------------------------------------------

BATCHES = 5
BATCH_MS = 20.0  # long enough that the one wait at a batch's end is below 1% of it
IN_FLIGHT_BYTES = 16 * 2**30  # results that a batch may leave in memory at once, at worst


def jax_module(device: str) -> Any:
    """Imports JAX without its habit of taking most of the GPU's memory at the start."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    if device == "cpu":
        os.environ.setdefault("JAX_PLATFORMS", "cpu")
    import jax

    if device == "cuda" and jax.default_backend() != "gpu":
        raise ImportError("JAX sees no GPU")
    return jax


def jax_inputs(arrays: list[Array], device: str) -> list[Array]:
    """The same memory as PyTorch's arrays, or a copy of NumPy's."""
    jax = jax_module(device)
    return [jax.dlpack.from_dlpack(a) if hasattr(a, "data_ptr") else jax.device_put(a) for a in arrays]


def jax_library(device: str) -> Library:
    jax = jax_module(device)
    ops = Ops(
        xp=jax.numpy,
        gelu=lambda v: jax.nn.gelu(v, approximate=True),
        row_major=lambda v: v,  # what a jitted function returns is row-major
        to_u8=lambda v: v.astype(jax.numpy.uint8),
        rows=array_row_ops(jax.numpy),
        images=jax_image_ops(),
    )

    def compiled(compute: Program) -> Program:
        return jax.jit(lambda *inputs: compute(ops, *inputs))

    def run_once(program: Program, inputs: list[Array]) -> tuple[Array, ...]:
        return jax.block_until_ready(program(*inputs))

    def measure(program: Program, sets: list[list[Array]], timing: Timing) -> Times:
        """JAX has no events: calls are enqueued without waiting, one wait ends a batch; the median batch."""
        once = 1e-3 * min(call_time(program, sets, 1, jax.block_until_ready) or 0.0 for _ in range(3))
        fitting = max(1, IN_FLIGHT_BYTES // max(timing.bytes_out, 1))
        batch = min(fitting, max(1, timing.repeats // BATCHES, int(BATCH_MS / once)))
        batches = [call_time(program, sets, batch, jax.block_until_ready) or 0.0 for _ in range(BATCHES)]
        return Times(
            statistics.median(batches) * 1e-3,
            call_time(program, sets, timing.calls, jax.block_until_ready),
        )

    return Library(jax.__version__, {"jax-jit": compiled}, run_once, measure)


# NumPy: data and reference where there is no PyTorch -----------------------------------------------


def numpy_ops() -> Ops:
    import numpy

    def gelu(v: Array) -> Array:
        return 0.5 * v * (1.0 + numpy.tanh(0.7978845608 * (v + 0.044715 * v * v * v)))

    return Ops(
        xp=numpy,
        gelu=gelu,
        row_major=numpy.ascontiguousarray,
        to_u8=lambda v: v.astype(numpy.uint8),
        rows=array_row_ops(numpy),
        images=array_image_ops(numpy),
    )


def numpy_inputs(specs: list[Spec], seed: int) -> list[Array]:
    import numpy

    random = numpy.random.default_rng(seed)
    arrays = []
    for spec in specs:
        array = random.random(spec.shape, dtype=numpy.float32) * (spec.high - spec.low) + spec.low
        if spec.step:
            array = numpy.round(array / spec.step) * spec.step
        arrays.append(array.astype(spec.dtype))
    return arrays


def numpy_reference(compute: Program, inputs: list[Array]) -> tuple[Array, ...]:
    return compute(numpy_ops(), *(x.astype("float64") if x.dtype.kind == "f" else x for x in inputs))


def numpy_relative_error(got: tuple[Array, ...], want: tuple[Array, ...]) -> float:
    import numpy

    def one(actual: Array, expected: Array) -> float:
        if actual.shape != expected.shape:
            raise ValueError(f"shape {actual.shape}, expected {expected.shape}")
        difference = numpy.abs(numpy.asarray(actual).astype("float64") - expected).max()
        return float(difference / max(numpy.abs(expected.astype("float64")).max(), 1e-30))

    return max(one(actual, expected) for actual, expected in zip(got, want, strict=True))

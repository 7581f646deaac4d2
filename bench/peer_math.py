"""The work of each generator, written once for NumPy, PyTorch and JAX.

In: an `Ops` (the array library and the three functions that differ between libraries) and the input
arrays. Out: a tuple of output arrays. Arrays are indexed [y, x] ([z, y, x]): rows run along `width`,
as in generators/. Formulas and constants are those of generators/NAME.cpp and must stay so.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from peer_image_ops import ImageOps
from peer_row_ops import RowOps

Array = Any


class Ops(NamedTuple):
    """One array library: `xp` has sin, exp, sqrt, tanh, floor and where under the same names; `rows` is for peer_rows.py,
    `images` for peer_images.py and peer_pyramids.py."""

    xp: Any
    gelu: Callable[[Array], Array]
    row_major: Callable[[Array], Array]
    to_u8: Callable[[Array], Array]
    rows: RowOps
    images: ImageOps


class Spec(NamedTuple):
    """An array: its shape, its type, and the range its random values are drawn from, uniformly.

    With a `step` the values are its multiples in the range (for results that must be exact).
    """

    shape: tuple[int, ...]
    dtype: str = "float32"
    low: float = -1.0
    high: float = 1.0
    step: float = 0.0

    def nbytes(self) -> int:
        element = {"float32": 4, "int32": 4, "float16": 2, "int16": 2, "uint16": 2, "uint8": 1}[self.dtype]
        return math.prod(self.shape) * element


class Size(NamedTuple):
    width: int
    height: int
    depth: int = 4


class Workload(NamedTuple):
    """One generator: its default sizes, its arrays at a size, and what it computes."""

    sizes: tuple[Size, ...]
    inputs: Callable[[Size], list[Spec]]
    outputs: Callable[[Size], list[Spec]]
    compute: Callable[..., tuple[Array, ...]]


GAIN = 1.5  # broadcast_chain's scalar parameter: its estimate in the generator.
STEPS = 24  # dear_fanout
STAGES = 40  # deep_chain
VALUES = 96  # long_live_range


def pointwise_chain(_: Ops, a: Array, b: Array, c: Array) -> tuple[Array, ...]:
    return (((a + b) * c).clip(min=0.0),)


def bias_gelu_residual(ops: Ops, image: Array, bias: Array, residual: Array) -> tuple[Array, ...]:
    return (residual + ops.gelu(image + bias),)


def cheap_fanout(_: Ops, a: Array, b: Array) -> tuple[Array, ...]:
    centred = (a + b) * 0.5
    return (centred * centred - abs(centred) + centred.clip(min=0.0),)


def dear_fanout(ops: Ops, image: Array, weight: Array) -> tuple[Array, ...]:
    half = image * 0.5
    v = image
    for _ in range(STEPS):
        v = ops.xp.sin(v) * 0.5 + ops.xp.exp(-v * v) * half
    return v * 2.0 + 1.0, v[None, :, :] * weight[:, None, None]


def broadcast_chain(_: Ops, image: Array, row: Array, column: Array) -> tuple[Array, ...]:
    return (((image * GAIN + row) * column[:, None]).clip(min=-4.0, max=4.0),)


def transpose_sandwich(ops: Ops, image: Array, gain: Array) -> tuple[Array, ...]:
    turned = (image * 2.0 + 1.0).T * gain
    return (ops.row_major(ops.xp.sqrt(abs(turned)) + 1.0),)


def multi_output(_: Ops, a: Array, b: Array) -> tuple[Array, ...]:
    shared = (a * b + 1.0) * a
    return shared + b, shared - a, shared.clip(min=0.0) * 0.5


def small_branches(ops: Ops, *x: Array) -> tuple[Array, ...]:
    bounded = x[3].clip(min=-0.75, max=0.75)
    shifted = x[4] - 0.5
    halved = x[5] * 0.5
    return (
        (x[0] * 2.0 + 1.0).clip(min=0.0),
        ops.xp.sqrt(x[1] * x[1] + 1.0) - 1.0,
        x[2] / (abs(x[2]) + 1.0),
        bounded - bounded * bounded * bounded * 0.25,
        ops.xp.where(shifted > 0.0, shifted, shifted * 0.125),
        ops.xp.exp(-halved * halved) * x[5],
        ops.xp.floor(x[6] * 8.0) * 0.125,
        (1.0 / (x[7] * x[7] + 1.0)).clip(max=0.75),
    )


def mixed_types(ops: Ops, image: Array, offset: Array, gain: Array) -> tuple[Array, ...]:
    # The library promotes u8 and i16 to the gain's type, as the generator's casts do.
    adjusted = image * gain + offset
    chosen = ops.xp.where(adjusted > 128.0, adjusted, adjusted * 0.5)
    return (ops.to_u8(chosen.clip(min=0.0, max=255.0)),)


def deep_chain(_: Ops, image: Array) -> tuple[Array, ...]:
    p = image
    for k in range(1, STAGES + 1):
        p = p.clip(min=0.05 * (k % 8)) * 1.95 - p * 0.95
    return (p,)


def long_live_range(ops: Ops, image: Array) -> tuple[Array, ...]:
    values = []
    for i in range(VALUES):
        line = image * (0.5 + 0.0125 * i) + (0.25 - 0.005 * i)
        values.append(ops.xp.maximum(line, image * image * (0.1 + 0.0075 * i)))
    total = values[0]
    for value in values[1:]:
        total = total + value
    mean = total * (1.0 / VALUES)
    excess = (values[0] - mean).clip(min=0.0)
    for i, value in enumerate(values[1:], start=1):
        excess = excess + (value - mean).clip(min=0.0) * (1.0 / (i + 1))
    return (excess,)


def images(count: int) -> Callable[[Size], list[Spec]]:
    """`count` images of float32."""
    return lambda s: [Spec((s.height, s.width))] * count


# Default sizes: one that memory decides, one whose arrays stay in the L2, and the chain where only a call's time counts.
# bench/CMakeLists.txt has the same ones.
WORKLOADS: dict[str, Workload] = {
    "pointwise_chain": Workload(
        (Size(16384, 16384), Size(1024, 1024), Size(4096, 1)),
        images(3),
        images(1),
        pointwise_chain,
    ),
    "bias_gelu_residual": Workload(
        (Size(4096, 16384), Size(1024, 1024)),
        lambda s: [Spec((s.height, s.width)), Spec((s.width,)), Spec((s.height, s.width))],
        images(1),
        bias_gelu_residual,
    ),
    "cheap_fanout": Workload((Size(8192, 8192), Size(1024, 1024)), images(2), images(1), cheap_fanout),
    "dear_fanout": Workload(
        (Size(4096, 4096), Size(1024, 1024)),
        lambda s: [Spec((s.height, s.width)), Spec((s.depth,))],
        lambda s: [Spec((s.height, s.width)), Spec((s.depth, s.height, s.width))],
        dear_fanout,
    ),
    "broadcast_chain": Workload(
        (Size(4096, 16384), Size(1024, 1024)),
        lambda s: [Spec((s.height, s.width)), Spec((s.width,)), Spec((s.height,), low=-4.0, high=4.0)],
        images(1),
        broadcast_chain,
    ),
    "transpose_sandwich": Workload(
        (Size(8192, 8192), Size(1024, 1024)),
        lambda s: [Spec((s.width, s.height)), Spec((s.width,))],
        images(1),
        transpose_sandwich,
    ),
    "multi_output": Workload((Size(8192, 8192), Size(1024, 1024)), images(2), images(3), multi_output),
    "small_branches": Workload((Size(64, 64), Size(512, 512)), images(8), images(8), small_branches),
    # Gains in 64ths make every intermediate exact: the threshold and the truncation then agree
    # between libraries to the last bit, whether they contract to fused multiply-adds or not.
    "mixed_types": Workload(
        (Size(16384, 16384), Size(2048, 2048)),
        lambda s: [
            Spec((s.height, s.width), "uint8", 0.0, 255.0, 1.0),
            Spec((s.height, s.width), "int16", -300.0, 300.0, 1.0),
            Spec((s.width,), "float32", 0.0, 2.0, 1.0 / 64.0),
        ],
        lambda s: [Spec((s.height, s.width), "uint8")],
        mixed_types,
    ),
    "deep_chain": Workload((Size(8192, 8192), Size(1024, 1024)), images(1), images(1), deep_chain),
    "long_live_range": Workload((Size(4096, 4096), Size(1024, 1024)), images(1), images(1), long_live_range),
}


def compulsory_bytes(workload: Workload, size: Size) -> int:
    """Each input read once and each output written once."""
    return sum(spec.nbytes() for spec in workload.inputs(size) + workload.outputs(size))

"""The work of the generators with reductions, written once for NumPy, PyTorch and JAX. As peer_math.py, which has the rest.

A name that ends in _float16 is the generator of the name in front, with type=float16.
"""

from __future__ import annotations

from collections.abc import Callable

from peer_math import Array, Ops, Size, Spec, Workload

THRESHOLD = 0.5  # trimmed_mean's scalar parameter: its estimate in the generator.


def softmax(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.rows.softmax(v),)


def log_softmax(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.rows.log_softmax(v),)


def softmax_masked(ops: Ops, v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    position = ops.rows.arange(height, v) % width
    seen = ops.rows.arange(width, v)[None, :] <= position[:, None]
    return (ops.rows.softmax(ops.xp.where(seen, v, float("-inf"))),)


def layernorm(ops: Ops, v: Array, residual: Array, scale: Array, shift: Array) -> tuple[Array, ...]:
    return (ops.rows.layernorm(v + residual, scale, shift),)


def rmsnorm(ops: Ops, v: Array, weight: Array) -> tuple[Array, ...]:
    return (ops.rows.rmsnorm(v, weight),)


def l2_normalize(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (v / ops.rows.norm(v).clip(min=1e-12),)


def entropy(ops: Ops, v: Array) -> tuple[Array, ...]:
    log_p = ops.rows.log_softmax(v)
    return (-(ops.xp.exp(log_p) * log_p).sum(axis=1),)


def argmax_rows(ops: Ops, v: Array) -> tuple[Array, ...]:
    value, index = ops.rows.max_and_index(v)
    return index, value


def variance_rows(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.rows.mean_and_variance(v, 1)[1],)


def column_mean(_: Ops, v: Array) -> tuple[Array, ...]:
    return (v.mean(axis=0),)


def batchnorm_stats(ops: Ops, v: Array) -> tuple[Array, ...]:
    return ops.rows.mean_and_variance(v, 0)


def total_sum(_: Ops, v: Array) -> tuple[Array, ...]:
    return (v.sum(),)


def trimmed_mean(ops: Ops, v: Array) -> tuple[Array, ...]:
    kept = abs(v) <= THRESHOLD
    return (ops.xp.where(kept, v, 0.0).sum(axis=1) / kept.sum(axis=1).clip(min=1),)


Specs = Callable[[Size], list[Spec]]


def image(dtype: str = "float32") -> Specs:
    return lambda s: [Spec((s.height, s.width), dtype)]


def layernorm_inputs(dtype: str = "float32") -> Specs:
    return lambda s: [*image(dtype)(s) * 2, Spec((s.width,), dtype), Spec((s.width,), dtype)]


def rmsnorm_inputs(dtype: str = "float32") -> Specs:
    return lambda s: [*image(dtype)(s), Spec((s.width,), dtype)]


def per_row(*dtypes: str) -> Specs:
    return lambda s: [Spec((s.height,), dtype) for dtype in dtypes]


def per_column(*dtypes: str) -> Specs:
    return lambda s: [Spec((s.width,), dtype) for dtype in dtypes]


def rows_of(*widths: int, elements: int = 2**27) -> tuple[Size, ...]:
    """As many rows of these widths as make `elements`: half a gibibyte of float32."""
    return tuple(Size(width, elements // width) for width in widths)


# bench/CMakeLists.txt has the same sizes.
ROWS = rows_of(256, 1024, 4096, 8192, 16384, 65536, 1000, 5003)
FEW_LONG_ROWS = (Size(1000000, 8), Size(16000000, 4))
HALF_ROWS = rows_of(1024, 4096, elements=2**28)
ONE_ROW = rows_of(4096)
COLUMNS = (Size(1024, 65536), Size(16384, 4096), Size(64, 1000000))

ROW_WORKLOADS: dict[str, Workload] = {
    "softmax": Workload(ROWS + FEW_LONG_ROWS, image(), image(), softmax),
    "layernorm": Workload(ROWS, layernorm_inputs(), image(), layernorm),
    "rmsnorm": Workload(ROWS, rmsnorm_inputs(), image(), rmsnorm),
    "softmax_float16": Workload(HALF_ROWS, image("float16"), image("float16"), softmax),
    "layernorm_float16": Workload(HALF_ROWS, layernorm_inputs("float16"), image("float16"), layernorm),
    "rmsnorm_float16": Workload(HALF_ROWS, rmsnorm_inputs("float16"), image("float16"), rmsnorm),
    "log_softmax": Workload(ONE_ROW, image(), image(), log_softmax),
    "softmax_masked": Workload(ONE_ROW, image(), image(), softmax_masked),
    "l2_normalize": Workload(ONE_ROW, image(), image(), l2_normalize),
    "entropy": Workload(ONE_ROW, image(), per_row("float32"), entropy),
    "argmax_rows": Workload(ONE_ROW, image(), per_row("int32", "float32"), argmax_rows),
    "variance_rows": Workload(ONE_ROW, image(), per_row("float32"), variance_rows),
    "trimmed_mean": Workload(ONE_ROW, image(), per_row("float32"), trimmed_mean),
    "column_mean": Workload(COLUMNS, image(), per_column("float32"), column_mean),
    "batchnorm_stats": Workload(COLUMNS, image(), per_column("float32", "float32"), batchnorm_stats),
    "total_sum": Workload((Size(16384, 16384),), image(), lambda _: [Spec(())], total_sum),
}

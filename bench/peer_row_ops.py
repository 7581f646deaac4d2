"""What the libraries have for rows: softmax, normalisations, statistics. Each library's own function where there is one.

In and out: arrays indexed [y, x], reduced along x unless an axis is given. float16 is computed in float32 and returned as
float16, as the generators do it; PyTorch's functions do so themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

Array = Any

LAYERNORM_EPSILON = 1e-5
RMSNORM_EPSILON = 1e-6


class RowOps(NamedTuple):
    softmax: Callable[[Array], Array]
    log_softmax: Callable[[Array], Array]
    layernorm: Callable[[Array, Array, Array], Array]  # of values, scale, shift
    rmsnorm: Callable[[Array, Array], Array]  # of values, weight
    norm: Callable[[Array], Array]  # keeps the dimension
    max_and_index: Callable[[Array], tuple[Array, Array]]
    mean_and_variance: Callable[[Array, int], tuple[Array, Array]]
    arange: Callable[[int, Array], Array]  # 0 to n - 1, where the array given lies


def torch_row_ops() -> RowOps:
    import torch
    from torch.nn import functional

    def mean_and_variance(v: Array, axis: int) -> tuple[Array, Array]:
        variance, mean = torch.var_mean(v, dim=axis, correction=0)
        return mean, variance

    return RowOps(
        softmax=lambda v: torch.softmax(v, dim=1),
        log_softmax=lambda v: torch.log_softmax(v, dim=1),
        layernorm=lambda v, scale, shift: functional.layer_norm(v, v.shape[1:], scale, shift, LAYERNORM_EPSILON),
        rmsnorm=lambda v, weight: functional.rms_norm(v, v.shape[1:], weight, RMSNORM_EPSILON),
        norm=lambda v: torch.linalg.vector_norm(v, dim=1, keepdim=True),
        max_and_index=lambda v: tuple(torch.max(v, dim=1)),
        mean_and_variance=mean_and_variance,
        arange=lambda n, v: torch.arange(n, device=v.device),
    )


def array_row_ops(xp: Any) -> RowOps:
    """NumPy and JAX, which have the same functions; a softmax is written out for both."""

    def wide(v: Array) -> Array:
        return v.astype("float32") if v.dtype == "float16" else v

    def log_softmax(v: Array) -> Array:
        shifted = wide(v) - wide(v).max(axis=1, keepdims=True)
        return (shifted - xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))).astype(v.dtype)

    def softmax(v: Array) -> Array:
        e = xp.exp(wide(v) - wide(v).max(axis=1, keepdims=True))
        return (e / e.sum(axis=1, keepdims=True)).astype(v.dtype)

    def layernorm(v: Array, scale: Array, shift: Array) -> Array:
        centred = wide(v) - wide(v).mean(axis=1, keepdims=True)
        variance = (centred * centred).mean(axis=1, keepdims=True)
        return (centred / xp.sqrt(variance + LAYERNORM_EPSILON) * scale + shift).astype(v.dtype)

    def rmsnorm(v: Array, weight: Array) -> Array:
        squares = (wide(v) * wide(v)).mean(axis=1, keepdims=True)
        return (wide(v) / xp.sqrt(squares + RMSNORM_EPSILON) * weight).astype(v.dtype)

    return RowOps(
        softmax=softmax,
        log_softmax=log_softmax,
        layernorm=layernorm,
        rmsnorm=rmsnorm,
        norm=lambda v: xp.sqrt((v * v).sum(axis=1, keepdims=True)),
        max_and_index=lambda v: (v.max(axis=1), v.argmax(axis=1)),
        mean_and_variance=lambda v, axis: (v.mean(axis=axis), v.var(axis=axis)),
        arange=lambda n, v: xp.arange(n),
    )

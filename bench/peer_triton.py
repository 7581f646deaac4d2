"""Tuned Triton kernels: softmax, layernorm and rmsnorm of rows, as the best one can write by hand for PyTorch.

Up to LONGEST elements a row lies in registers (several short rows a program); a longer one is read twice, in blocks. The
shape of a program is tuned for each width. Sums are of float32, whatever the type.
"""

from __future__ import annotations

from typing import Any

import peer_rows
import torch
import triton
import triton.language as tl
from peer_row_ops import LAYERNORM_EPSILON, RMSNORM_EPSILON

Array = Any

LONGEST = 16384


def fits(configs: list[triton.Config], _: dict[str, Any], **given: Any) -> list[triton.Config]:
    """4 to 32 elements a thread, and no more than 4096 of several rows."""
    block = given["BLOCK"]
    kept = []
    for config in configs:
        elements = config.kwargs["ROWS"] * block
        by_thread = elements / (32 * config.num_warps)
        if 4 <= by_thread <= 32 and (config.kwargs["ROWS"] == 1 or elements <= 4096):
            kept.append(config)
    return kept or [triton.Config({"ROWS": 1}, num_warps=1)]


tuned_rows = triton.autotune(
    [triton.Config({"ROWS": rows}, num_warps=warps) for rows in (1, 4, 16) for warps in (1, 2, 4, 8, 16, 32)],
    key=["width"],
    prune_configs_by={"early_config_prune": fits},
)
tuned_blocks = triton.autotune(
    [triton.Config({"BLOCK": block}, num_warps=warps) for block in (2048, 4096, 8192, 16384) for warps in (8, 16, 32)],
    key=["width"],
)


@triton.jit
def load_rows(source, width, height, other, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, BLOCK)[None, :]
    inside = (row < height) & (column < width)
    at = row * width + column
    return tl.load(source + at, inside, other=other).to(tl.float32), at, inside


@tuned_rows
@triton.jit
def softmax_rows(v, out, width, height, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    values, at, inside = load_rows(v, width, height, -float("inf"), ROWS, BLOCK)
    e = tl.exp(values - tl.max(values, 1, keep_dims=True))
    tl.store(out + at, e / tl.sum(e, 1, keep_dims=True), inside)


@tuned_rows
@triton.jit
def layernorm_rows(v, residual, scale, shift, out, width, height, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    values, at, inside = load_rows(v, width, height, 0.0, ROWS, BLOCK)
    values += tl.load(residual + at, inside, other=0.0).to(tl.float32)
    column = tl.arange(0, BLOCK)[None, :]
    centred = tl.where(inside, values - tl.sum(values, 1, keep_dims=True) / width, 0.0)
    variance = tl.sum(centred * centred, 1, keep_dims=True) / width
    weight = tl.load(scale + column, column < width, other=0.0).to(tl.float32)
    offset = tl.load(shift + column, column < width, other=0.0).to(tl.float32)
    tl.store(out + at, centred * tl.rsqrt(variance + epsilon) * weight + offset, inside)


@tuned_rows
@triton.jit
def rmsnorm_rows(v, weight, out, width, height, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    values, at, inside = load_rows(v, width, height, 0.0, ROWS, BLOCK)
    column = tl.arange(0, BLOCK)[None, :]
    inverse = tl.rsqrt(tl.sum(values * values, 1, keep_dims=True) / width + epsilon)
    factor = tl.load(weight + column, column < width, other=0.0).to(tl.float32)
    tl.store(out + at, values * inverse * factor, inside)


@tuned_blocks
@triton.jit
def softmax_blocks(v, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * width
    largest = tl.full((BLOCK,), -float("inf"), tl.float32)
    total = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width, other=-float("inf")).to(tl.float32)
        larger = tl.maximum(largest, values)
        total = total * tl.exp(largest - larger) + tl.exp(values - larger)
        largest = larger
    row_max = tl.max(largest, 0)
    row_total = tl.sum(total * tl.exp(largest - row_max), 0)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width).to(tl.float32)
        tl.store(out + row + at, tl.exp(values - row_max) / row_total, at < width)


@tuned_blocks
@triton.jit
def layernorm_blocks(v, residual, scale, shift, out, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * width
    total = tl.zeros((BLOCK,), tl.float32)
    squares = tl.zeros((BLOCK,), tl.float32)  # about 0, which the random data allow and which saves a pass
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width, other=0.0).to(tl.float32)
        values += tl.load(residual + row + at, at < width, other=0.0).to(tl.float32)
        total += values
        squares += values * values
    mean = tl.sum(total, 0) / width
    inverse = tl.rsqrt(tl.sum(squares, 0) / width - mean * mean + epsilon)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width).to(tl.float32)
        values += tl.load(residual + row + at, at < width).to(tl.float32)
        weight = tl.load(scale + at, at < width).to(tl.float32)
        offset = tl.load(shift + at, at < width).to(tl.float32)
        tl.store(out + row + at, (values - mean) * inverse * weight + offset, at < width)


@tuned_blocks
@triton.jit
def rmsnorm_blocks(v, weight, out, width, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * width
    squares = tl.zeros((BLOCK,), tl.float32)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width, other=0.0).to(tl.float32)
        squares += values * values
    inverse = tl.rsqrt(tl.sum(squares, 0) / width + epsilon)
    for start in range(0, width, BLOCK):
        at = start + tl.arange(0, BLOCK)
        values = tl.load(v + row + at, at < width).to(tl.float32)
        tl.store(out + row + at, values * inverse * tl.load(weight + at, at < width).to(tl.float32), at < width)


def launch(rows: Any, blocks: Any, arrays: tuple[Array, ...], *scalars: float) -> tuple[Array, ...]:
    """One output of the first array's shape and type."""
    out = torch.empty_like(arrays[0])
    height, width = out.shape
    if width > LONGEST:
        blocks[(height,)](*arrays, out, width, *scalars)
    else:
        block = triton.next_power_of_2(width)
        rows[lambda meta: (triton.cdiv(height, meta["ROWS"]),)](*arrays, out, width, height, *scalars, BLOCK=block)
    return (out,)


# By what peer_rows computes.
PROGRAMS = {
    peer_rows.softmax: lambda *arrays: launch(softmax_rows, softmax_blocks, arrays),
    peer_rows.layernorm: lambda *arrays: launch(layernorm_rows, layernorm_blocks, arrays, LAYERNORM_EPSILON),
    peer_rows.rmsnorm: lambda *arrays: launch(rmsnorm_rows, rmsnorm_blocks, arrays, RMSNORM_EPSILON),
}

"""PyTorch's part of peer_image_ops.py.

Where eager mode and torch.compile are best served differently, both are: eager takes one library call where there is one,
the compiler gets slices and gathers, which it fuses and which a call into cuDNN would cut apart.
"""

from __future__ import annotations

import functools
from typing import Any

from peer_image_ops import GREYS, Array, ImageOps, Weights, gather_grid, window_sum


def torch_image_ops() -> ImageOps:
    import torch
    from torch.nn import functional

    is_compiling = torch.compiler.is_compiling

    def planes(v: Array) -> Array:
        return v.reshape(-1, *v.shape[-2:])

    def like(v: Array, result: Array) -> Array:
        return result.reshape(*v.shape[:-2], *result.shape[-2:])

    def edge(v: Array, left: int, right: int, top: int, bottom: int) -> Array:
        if v.is_floating_point():
            return like(v, functional.pad(planes(v), (left, right, top, bottom), mode="replicate"))
        # PyTorch pads integers with constants only.
        height, width = v.shape[-2:]
        y = torch.arange(-top, height + bottom, device=v.device).clip(0, height - 1)
        x = torch.arange(-left, width + right, device=v.device).clip(0, width - 1)
        return v[..., y[:, None], x]

    @functools.cache
    def kernel(weights: tuple[tuple[float, ...], ...], device: Any) -> Array:
        return torch.tensor(weights, dtype=torch.float32, device=device)[None, None]

    def stencil(v: Array, weights: Weights, strides: tuple[int, int] = (1, 1)) -> Array:
        # float64, the reference, does without cuDNN; integers have no convolution.
        if is_compiling() or v.dtype != torch.float32:
            return window_sum(v, weights, strides, lambda total, part, weight: total.add_(part, alpha=weight))
        taps = kernel(tuple(tuple(row) for row in weights), v.device)
        return like(v, functional.conv2d(planes(v)[:, None], taps, stride=strides))

    def box_mean(v: Array, size: int) -> Array:
        if size <= 3:
            return like(v, functional.avg_pool2d(planes(v), size, stride=1))
        across = functional.avg_pool2d(planes(v), (1, size), stride=1)
        return like(v, functional.avg_pool2d(across, (size, 1), stride=1))

    def window_max(v: Array, radius: int) -> Array:
        # Padding with the least value is as good as repeating edges, which the window holds anyway.
        size = 2 * radius + 1
        across = functional.max_pool2d(v[None], (1, size), stride=1, padding=(0, radius))
        return functional.max_pool2d(across, (size, 1), stride=1, padding=(radius, 0))[0]

    def inside(v: Array, inner: Array) -> Array:
        result = v.clone()
        result[1:-1, 1:-1] = inner
        return result

    def enlarged(v: Array, scale: float) -> Array:
        size = (round(v.shape[-2] / scale), round(v.shape[-1] / scale))
        return functional.interpolate(v[None], size=size, mode="bilinear", align_corners=False)[0]

    def doubled(v: Array, height: int, width: int) -> Array:
        # Corners aligned, 2 n - 1 points lie on n and halfway between.
        rows, columns = height // 2 + 1, width // 2 + 1
        size = (2 * rows - 1, 2 * columns - 1)
        part = planes(v)[None, :, :rows, :columns]
        twice = functional.interpolate(part, size=size, mode="bilinear", align_corners=True)
        return like(v, twice)[..., :height, :width]

    def normal(at: Array, count: int) -> Array:
        """grid_sample's coordinates: -1 is the first point, 1 the last."""
        return at * (2 / (count - 1)) - 1

    def sample(v: Array, x: Array, y: Array) -> Array:
        at = torch.stack((normal(x, v.shape[1]), normal(y, v.shape[0])), dim=-1)
        return functional.grid_sample(v[None, None], at[None], padding_mode="border", align_corners=True)[0, 0]

    def read_grid(grid: Array, y: Array, x: Array, z: Array) -> Array:
        if is_compiling() or z.dtype != torch.float32:  # a reference needs better coordinates than grid_sample's
            return gather_grid(torch, lambda v: v.long(), grid, y, x, z)
        rows, columns, depth, _ = grid.shape
        at_x = normal(x, columns)[None, :].expand(z.shape)
        at_y = normal(y, rows)[:, None].expand(z.shape)
        at = torch.stack((at_x, at_y, normal(z, depth)), dim=-1)
        volume = grid.permute(3, 2, 0, 1)[None]
        read = functional.grid_sample(volume, at[None, None], padding_mode="border", align_corners=True)
        return read[0, :, 0].permute(1, 2, 0)

    def lookup(table: Array, v: Array) -> Array:
        return table.index_select(0, v.reshape(-1).int()).reshape(v.shape)

    def scatter(index: Array, values: Array, count: int) -> Array:
        return torch.zeros(count, dtype=values.dtype, device=values.device).scatter_add_(0, index.long(), values)

    def conv_relu(v: Array, weights: Array, bias: Array) -> Array:
        # Both are channels-last views, not copies.
        conv = functional.conv2d(v.permute(2, 0, 1)[None], weights.permute(0, 3, 1, 2), bias)
        return functional.relu(conv, inplace=True)[0].permute(1, 2, 0)

    def depthwise(v: Array, weights: Array) -> Array:
        if is_compiling():
            height, width, _ = v.shape
            v = functional.pad(v, (0, 0, 1, 1, 1, 1))
            return sum(v[j : j + height, i : i + width] * weights[:, j, i] for j in range(3) for i in range(3))
        image, channels = v.permute(2, 0, 1)[None], v.shape[2]
        return functional.conv2d(image, weights[:, None], padding=1, groups=channels)[0].permute(1, 2, 0)

    return ImageOps(
        cast=lambda v, dtype: v.to(getattr(torch, dtype)),
        wrapping=lambda v: v.view(torch.int16),  # PyTorch stores uint16 but does not add it
        unwrapped=lambda v: v.view(torch.uint16),
        edge=edge,
        stencil=stencil,
        box_mean=box_mean,
        window_max=window_max,
        inside=inside,
        enlarged=enlarged,
        doubled=doubled,
        sample=sample,
        read_grid=read_grid,
        take=lambda v, index: torch.take_along_dim(v, index.long()[None], dim=0)[0],
        lookup=lookup,
        shifts=lambda v, count: v.unfold(-1, v.shape[-1] - count + 1, 1).movedim(-2, 0),
        histogram=lambda v: torch.bincount(v.reshape(-1), minlength=GREYS),
        share=lambda counts, factor, pixels: counts * factor // pixels,
        scatter=scatter,
        conv_relu=conv_relu,
        depthwise=depthwise,
        linear_relu=lambda v, weights, bias: functional.relu(functional.linear(v, weights, bias), inplace=True),
    )

"""The generators of peer_pyramids.py as plain as can be: the second half of peer_plain.py, and the table of both.

Levels are stored as far as the coarsest one reaches, hundreds of places beyond the edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import peer_plain as plain
import peer_pyramids as pyramids
from peer_images import IMAGE_WORKLOADS
from peer_plain import Func, everywhere, lerp, luminance, repeat_edge, stored

Array = Any


def halved(f: Func, taps: list[float]) -> Func:
    radius = len(taps) // 2
    across = range(-radius, radius + 1)
    return lambda x, y, *c: sum(
        taps[i + radius] * taps[j + radius] * f(2 * x + i, 2 * y + j, *c) for i in across for j in across
    )


def doubled(f: Func) -> Func:
    def across(x: Array, y: Array, *c: Array) -> Array:
        return (f(x // 2, y, *c) + f((x + 1) // 2, y, *c)) * 0.5

    return lambda x, y, *c: (across(x, y // 2, *c) + across(x, (y + 1) // 2, *c)) * 0.5


def ends(width: int, height: int, levels: int) -> list[tuple[int, int]]:
    """The places that end x and y at each level, as far as the finer one is made from it."""
    result = [(width, height)]
    for _ in range(levels - 1):
        result.append((result[-1][0] // 2 + 1, result[-1][1] // 2 + 1))
    return result


def boxes(width: int, height: int, levels: int, radius: int) -> list[tuple[int, int, int]]:
    """The first place and the ends of each level, as far as all coarser ones are made from it too."""
    sizes = ends(width, height, levels)
    result = [(0, *sizes[-1])]
    for size in reversed(sizes[:-1]):
        low, *coarse = result[0]
        end_x, end_y = (max(own, 2 * end - 1 + radius) for own, end in zip(size, coarse, strict=True))
        result.insert(0, (2 * low - radius, end_x, end_y))
    return result


def local_laplacian(v: Array) -> tuple[Array, ...]:
    _, height, width = v.shape
    count = pyramids.INTENSITIES
    light = luminance(repeat_edge(v))

    def remap(x: Array, y: Array, k: Array) -> Array:
        away = light(x, y) - k / (count - 1)
        return light(x, y) + pyramids.GAIN * away * np.exp(-away * away / (2 * pyramids.SIGMA**2))

    levels, sizes = boxes(width, height, pyramids.LEVELS, 2), ends(width, height, pyramids.LEVELS)
    gray, remapped = [stored(light, *levels[0])], [stored(remap, *levels[0], count)]
    for box in levels[1:]:
        gray.append(stored(halved(gray[-1], pyramids.FIVE_TAPS), *box))
        remapped.append(stored(halved(remapped[-1], pyramids.FIVE_TAPS), *box, count))

    result = gray[-1]
    for level in range(pyramids.LEVELS - 2, -1, -1):
        smooth, coarse = doubled(remapped[level + 1]), doubled(result)

        def finer(x: Array, y: Array, level: int = level, smooth: Func = smooth, coarse: Func = coarse) -> Array:
            place = np.clip(gray[level](x, y), 0, 1) * (count - 1)
            below = np.clip(place.astype(int), 0, count - 2)
            details = [remapped[level](x, y, k) - smooth(x, y, k) for k in (below, below + 1)]
            return coarse(x, y) + lerp(details[0], details[1], place - below)

        result = stored(finer, 0, *sizes[level])
    ratio = everywhere(lambda x, y: result(x, y) / np.maximum(light(x, y), 0.05), width, height)
    return (v * ratio,)


def interpolate(v: Array) -> tuple[Array, ...]:
    _, height, width = v.shape
    padded = repeat_edge(v)

    def first(x: Array, y: Array, c: Array) -> Array:
        weight = np.clip(padded(x, y, 3), 0, 1)
        return weight * np.where(c < 3, padded(x, y, c), 1)

    levels = boxes(width, height, pyramids.FILL_LEVELS, 1)
    known = [stored(first, *levels[0], 4)]
    for box in levels[1:]:
        total = stored(halved(known[-1], [0.5, 1, 0.5]), *box, 4)
        known.append(stored(lambda x, y, c, f=total: f(x, y, c) / np.maximum(f(x, y, 3), 1), *box, 4))
    filled = known[-1]
    for fine, size in zip(known[-2::-1], ends(width, height, pyramids.FILL_LEVELS)[-2::-1], strict=True):
        grown = doubled(filled)

        def at(x: Array, y: Array, c: Array, fine: Func = fine, grown: Func = grown) -> Array:
            return fine(x, y, c) + (1 - fine(x, y, 3)) * grown(x, y, c)

        filled = stored(at, 0, *size, 4)
    return (everywhere(lambda x, y, c: filled(x, y, c) / np.maximum(filled(x, y, 3), 1e-6), width, height, 3),)


def bilateral_grid(v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    padded, tile, levels = repeat_edge(np.clip(v, 0, 1)), pyramids.TILE, pyramids.GRID_LEVELS
    r = np.arange(tile)

    # Indexed [y, x, z, channel], each from -1 on; two levels more than there are, which stay empty.
    sums = np.zeros(((height - 1) // tile + 4, (width - 1) // tile + 4, levels + 4, 2))
    for y, x in np.ndindex(sums.shape[:2]):
        for value in padded((x - 1) * tile + r[:, None], (y - 1) * tile + r[None, :]).flat:
            sums[y, x, int(value * levels + 0.5) + 1] += (value, 1)
    down = np.zeros_like(sums)
    for z, y, x in np.ndindex(3, 3, 3):
        weight = (1, 2, 1)[x] * (1, 2, 1)[y] * (1, 2, 1)[z]
        rows, columns, depth, _ = sums.shape
        down[1:-1, 1:-1, 1:-1] += weight * sums[y : rows - 2 + y, x : columns - 2 + x, z : depth - 2 + z]

    def output(x: Array, y: Array) -> Array:
        here = padded(x, y) * levels
        xi, yi, zi = x // tile, y // tile, here.astype(int)
        xf, yf, zf = x % tile / tile, y % tile / tile, here - zi
        total = 0
        for k, j, i in np.ndindex(2, 2, 2):
            weight = abs(1 - k - zf) * abs(1 - j - yf) * abs(1 - i - xf)
            total = total + weight[..., None] * down[yi + j + 1, xi + i + 1, zi + k + 1]
        return total[..., 0] / np.maximum(total[..., 1], 1e-6)

    return (everywhere(output, width, height),)


PLAIN = {name: getattr(plain, name) for name in IMAGE_WORKLOADS} | {
    "bilateral_grid": bilateral_grid,
    "local_laplacian": local_laplacian,
    "interpolate": interpolate,
}

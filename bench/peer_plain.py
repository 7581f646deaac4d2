"""The generators of peer_images.py once more, as plain as can be, to check the peers with (peers.py --check).

Each is its generator's text with functions of places in Funcs' stead: at any place, beyond the edges too, a function is
computed from its definition, in float64 and int64. Nothing here pads, slices or knows a margin. `stored` computes a function
once in a box of places, which is all that keeps deep chains from being computed again and again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import peer_images as images

Array = Any
Func = Callable[..., Array]  # of x, y and further places, which are arrays that broadcast


def repeat_edge(a: Array) -> Func:
    """Of x, y and, for [c, y, x], c."""
    height, width = a.shape[-2:]
    wide = a.astype("float64" if a.dtype.kind == "f" else "int64")
    return lambda x, y, *c: wide[(*c, np.clip(y, 0, height - 1), np.clip(x, 0, width - 1))]


def everywhere(f: Func, *extents: int, low: int = 0) -> Array:
    """The values at `low` to extent - 1 of x, y, ..., indexed [..., y, x]."""
    places = np.meshgrid(*(np.arange(low if axis < 2 else 0, n) for axis, n in enumerate(extents)), indexing="ij")
    return np.transpose(np.broadcast_to(f(*places), places[0].shape))


def stored(f: Func, low: int, *extents: int) -> Func:
    values = everywhere(f, *extents, low=low)

    def at(x: Array, y: Array, *more: Array) -> Array:
        if np.min(x) < low or np.min(y) < low:
            raise IndexError("a place in front of what is stored")
        return values[(*reversed(more), y - low, x - low)]

    return at


def luminance(v: Func) -> Func:
    return lambda x, y: 0.299 * v(x, y, 0) + 0.587 * v(x, y, 1) + 0.114 * v(x, y, 2)


def lerp(a: Array, b: Array, rate: Array) -> Array:
    return a * (1 - rate) + b * rate


def window(radius: int) -> list[tuple[int, int]]:
    return [(i, j) for j in range(-radius, radius + 1) for i in range(-radius, radius + 1)]


def windowed(f: Func, radius: int) -> Func:
    return lambda x, y, *c: sum(f(x + i, y + j, *c) for i, j in window(radius))


def sobel(f: Func) -> tuple[Func, Func]:
    def dx(x: Array, y: Array) -> Array:
        return sum(w * (f(x + 1, y + j) - f(x - 1, y + j)) for j, w in ((-1, 1), (0, 2), (1, 1)))

    def dy(x: Array, y: Array) -> Array:
        return sum(w * (f(x + i, y + 1) - f(x + i, y - 1)) for i, w in ((-1, 1), (0, 2), (1, 1)))

    return dx, dy


def product(a: Func, b: Func) -> Func:
    return lambda x, y: a(x, y) * b(x, y)


def blur3x3(v: Array) -> tuple[Array, ...]:
    f = windowed(repeat_edge(v), 1)
    return (everywhere(lambda x, y: f(x, y) / 9, *v.shape[::-1]),)


def unsharp(v: Array) -> tuple[Array, ...]:
    gray, weights = luminance(repeat_edge(v)), (0.2660, 0.2129, 0.1091, 0.0358)

    def output(x: Array, y: Array, c: Array) -> Array:
        soft = sum(weights[abs(i)] * weights[abs(j)] * gray(x + i, y + j) for i, j in window(3))
        return (2 * gray(x, y) - soft) / np.maximum(gray(x, y), 0.05) * v[c, y, x]

    return (everywhere(output, *v.shape[::-1]),)


def harris(v: Array) -> tuple[Array, ...]:
    dx, dy = sobel(luminance(repeat_edge(v)))
    xx, yy, xy = (windowed(product(a, b), 1) for a, b in ((dx, dx), (dy, dy), (dx, dy)))

    def output(x: Array, y: Array) -> Array:
        a, b, c = (sums(x, y) / 144 for sums in (xx, yy, xy))
        return a * b - c * c - 0.04 * (a + b) * (a + b)

    return (everywhere(output, *v.shape[:0:-1]),)


def stencil_chain(v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    f = repeat_edge(v)
    for stage in range(1, images.CHAIN_STAGES + 1):
        reach = 2 * (images.CHAIN_STAGES - stage)

        def total(x: Array, y: Array, before: Func = f) -> Array:
            return sum(before(x + i, y + j) * (i + 3) * (j + 3) for i, j in window(2)) % 65536

        f = stored(total, -reach, width + reach, height + reach)
    return (everywhere(f, width, height),)


def max_filter(v: Array) -> tuple[Array, ...]:
    f = repeat_edge(v)
    values = [everywhere(lambda x, y, i=i, j=j: f(x + i, y + j), *v.shape[::-1]) for i, j in window(images.MAX_RADIUS)]
    return (np.max(values, axis=0),)


def resize(v: Array) -> tuple[Array, ...]:
    f = repeat_edge(v)

    def output(x: Array, y: Array, c: Array) -> Array:
        at_x, at_y = (x + 0.5) * images.SCALE - 0.5, (y + 0.5) * images.SCALE - 0.5
        xi, yi = np.floor(at_x).astype(int), np.floor(at_y).astype(int)
        rows = [lerp(f(xi, row, c), f(xi + 1, row, c), at_x - xi) for row in (yi, yi + 1)]
        return np.floor(lerp(rows[0], rows[1], at_y - yi) + 0.5)

    channels, height, width = v.shape
    return (everywhere(output, 2 * width, 2 * height, channels),)


def conv_relu(v: Array, weights: Array, bias: Array) -> tuple[Array, ...]:
    height, width = v.shape[0] - 2, v.shape[1] - 2
    result = np.zeros((height, width, len(bias)))
    for y in range(height):
        for x in range(width):
            result[y, x] = np.einsum("oyxi,yxi->o", weights, v[y : y + 3, x : x + 3]) + bias
    return (np.maximum(result, 0),)


def depthwise_separable(v: Array, depthwise: Array, pointwise: Array, bias: Array) -> tuple[Array, ...]:
    height, width, _ = v.shape
    result = np.zeros(v.shape)
    for y in range(height):
        for x in range(width):
            near = [(i, j) for i, j in window(1) if 0 <= x + i < width and 0 <= y + j < height]
            filtered = sum(depthwise[:, j + 1, i + 1] * v[y + j, x + i] for i, j in near)
            result[y, x] = bias + pointwise @ filtered
    return (np.maximum(result, 0),)


def hist_equalize(v: Array) -> tuple[Array, ...]:
    below = np.array([int((v <= level).sum()) for level in range(256)])
    return ((below * 255 // v.size)[v],)


def integral_image(v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    radius, wide = images.SUM_RADIUS, v.astype("int64")
    result = np.zeros(v.shape, dtype="int64")
    for y in range(height):
        for x in range(width):
            # What lies above or left of the first row or column read is not in the sums.
            rows = slice(max(y - radius, 0) + 1, min(y + radius, height - 1) + 1)
            columns = slice(max(x - radius, 0) + 1, min(x + radius, width - 1) + 1)
            result[y, x] = wide[rows, columns].sum() // (4 * radius * radius)
    return (result,)


def jacobi_steps(u: Array, f: Array) -> tuple[Array, ...]:
    height, width = u.shape
    for _ in range(images.JACOBI_STEPS):
        after = u.copy()
        for y in range(1, height - 1):
            for x in range(1, width - 1):
                after[y, x] = (u[y, x - 1] + u[y, x + 1] + u[y - 1, x] + u[y + 1, x] + f[y, x]) * 0.25
        u = after
    return (u,)


def canny_like(v: Array) -> tuple[Array, ...]:
    f, weights = repeat_edge(v), (6, 4, 1)

    def smooth(x: Array, y: Array) -> Array:
        return sum(weights[abs(i)] * weights[abs(j)] * f(x + i, y + j) for i, j in window(2)) >> 8

    dx, dy = sobel(smooth)

    def strength(x: Array, y: Array) -> Array:
        return dx(x, y) ** 2 + dy(x, y) ** 2

    def output(x: Array, y: Array) -> Array:
        gx, gy, here = dx(x, y), dy(x, y), strength(x, y)
        flat, steep = 169 * abs(gy) < 70 * abs(gx), 169 * abs(gx) < 70 * abs(gy)
        way = np.where(flat, 0, np.where(steep, 1, np.where((gx < 0) == (gy < 0), 2, 3)))
        step_x, step_y = np.array([1, 0, 1, 1])[way], np.array([0, 1, 1, -1])[way]
        ridge = (here >= strength(x + step_x, y + step_y)) & (here > strength(x - step_x, y - step_y))
        return np.where(~ridge | (here < images.LOW**2), 0, np.where(here < images.HIGH**2, 128, 255))

    return (everywhere(output, *v.shape[::-1]),)


def optical_flow_step(first: Array, second: Array, flow_x: Array, flow_y: Array) -> tuple[Array, ...]:
    before, after, u, v = (repeat_edge(a) for a in (first, second, flow_x, flow_y))

    def warped(x: Array, y: Array) -> Array:
        at_x, at_y = x + u(x, y), y + v(x, y)
        xi, yi = np.floor(at_x).astype(int), np.floor(at_y).astype(int)
        rows = [lerp(after(xi, row), after(xi + 1, row), at_x - xi) for row in (yi, yi + 1)]
        return lerp(rows[0], rows[1], at_y - yi)

    def dx(x: Array, y: Array) -> Array:
        return (before(x + 1, y) - before(x - 1, y)) * 0.5

    def dy(x: Array, y: Array) -> Array:
        return (before(x, y + 1) - before(x, y - 1)) * 0.5

    def dt(x: Array, y: Array) -> Array:
        return warped(x, y) - before(x, y)

    radius, extents = images.FLOW_RADIUS, first.shape[::-1]
    pairs = ((dx, dx), (dy, dy), (dx, dy), (dx, dt), (dy, dt))
    xx, yy, xy, xt, yt = (everywhere(windowed(product(a, b), radius), *extents) / len(window(radius)) for a, b in pairs)
    xx, yy = xx + images.DAMPING, yy + images.DAMPING
    inverse = 1 / (xx * yy - xy * xy)
    return flow_x + (xy * yt - yy * xt) * inverse, flow_y + (xy * xt - xx * yt) * inverse


def nl_means(v: Array) -> tuple[Array, ...]:
    f = repeat_edge(v)
    total = sums = 0
    for i, j in window(images.SEARCH // 2):

        def squares(x: Array, y: Array, i: int = i, j: int = j) -> Array:
            return sum((f(x, y, c) - f(x + i, y + j, c)) ** 2 for c in range(3))

        apart = everywhere(windowed(squares, images.PATCH // 2), *v.shape[:0:-1])
        weight = np.exp(apart / (-3 * images.PATCH**2 * images.STRENGTH**2))
        total = total + weight
        sums = sums + weight * everywhere(lambda x, y, c, i=i, j=j: f(x + i, y + j, c), *v.shape[::-1])
    return (sums / total,)

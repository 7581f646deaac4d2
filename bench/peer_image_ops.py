"""What the libraries have for images: edges, windows, convolutions, samples between pixels, histograms.

Images are indexed [..., y, x]; what runs over windows returns only points whose window lies inside, so that edges are
repeated once, where the generator repeats them. Each library's own function where there is one, or what its compiler fuses.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

Array = Any
Weights = Sequence[Sequence[float]]  # rows of a stencil

GREYS = 256


class ImageOps(NamedTuple):
    cast: Callable[[Array, str], Array]
    # uint16 as a type that the library computes in and that wraps likewise, and back.
    wrapping: Callable[[Array], Array]
    unwrapped: Callable[[Array], Array]
    edge: Callable[..., Array]  # of an image and how far it goes on: left, right, top, bottom
    stencil: Callable[..., Array]  # of an image, weights and, if not (1, 1), strides along y and x
    box_mean: Callable[[Array, int], Array]
    window_max: Callable[[Array, int], Array]  # of an image and a radius; the edges repeat
    inside: Callable[[Array, Array], Array]  # an image with new values for all but its outermost points
    enlarged: Callable[[Array, float], Array]  # bilinear, [c, y, x]; at input pixels a pixel of the result
    doubled: Callable[[Array, int, int], Array]  # means between points, to a height and a width
    sample: Callable[[Array, Array, Array], Array]  # bilinear, at x and y; the edges repeat
    # Of a grid [y, x, z, channel], between cells, at y[y], x[x] and z[y, x].
    read_grid: Callable[[Array, Array, Array, Array], Array]
    take: Callable[[Array, Array], Array]  # along the first axis, at an index [y, x]
    lookup: Callable[[Array, Array], Array]  # in a table, at each pixel
    shifts: Callable[[Array, int], Array]  # that many windows along x, as a new first axis
    histogram: Callable[[Array], Array]
    share: Callable[[Array, int, int], Array]  # counts times a factor over all pixels, rounded down
    scatter: Callable[[Array, Array, int], Array]  # sums of values at each of so many indices
    # Channels innermost, [y, x, c]; weights in the order that the libraries take without a copy.
    conv_relu: Callable[[Array, Array, Array], Array]  # weights [output channel, y, x, channel]
    depthwise: Callable[[Array, Array], Array]  # weights [channel, y, x]
    linear_relu: Callable[[Array, Array, Array], Array]  # weights [output channel, channel]


def window_sum(
    v: Array, weights: Weights, strides: tuple[int, int], add: Callable[[Array, Array, float], Array]
) -> Array:
    """A stencil as a weighted sum of slices."""
    height, width = v.shape[-2] - len(weights), v.shape[-1] - len(weights[0])  # of the last points' places
    total = None
    for j, row in enumerate(weights):
        for i, weight in enumerate(row):
            if weight:
                part = v[..., j : j + height + 1 : strides[0], i : i + width + 1 : strides[1]]
                total = part * weight if total is None else add(total, part, weight)
    return total


def mix(a: Array, b: Array, rate: Array) -> Array:
    return a + (b - a) * rate


def gather_grid(xp: Any, whole: Callable[[Array], Array], grid: Array, y: Array, x: Array, z: Array) -> Array:
    """Between eight cells, each read once with all its channels."""
    corner = [whole(xp.floor(at)) for at in (y[:, None], x[None, :], z)]
    rate = [(at - low)[..., None] for at, low in zip((y[:, None], x[None, :], z), corner, strict=True)]

    def along_z(j: int, i: int) -> Array:
        cells = [grid[corner[0] + j, corner[1] + i, corner[2] + k] for k in (0, 1)]
        return mix(cells[0], cells[1], rate[2])

    rows = [mix(along_z(j, 0), along_z(j, 1), rate[1]) for j in (0, 1)]
    return mix(rows[0], rows[1], rate[0])


def array_image_ops(xp: Any) -> ImageOps:
    """NumPy, and what JAX has in common with it."""

    def edge(v: Array, left: int, right: int, top: int, bottom: int) -> Array:
        return xp.pad(v, [(0, 0)] * (v.ndim - 2) + [(top, bottom), (left, right)], mode="edge")

    def stencil(v: Array, weights: Weights, strides: tuple[int, int] = (1, 1)) -> Array:
        return window_sum(v, weights, strides, lambda total, part, weight: total + part * weight)

    def box_mean(v: Array, size: int) -> Array:
        return stencil(stencil(v, [[1] * size]), [[1]] * size) * (1 / (size * size))

    def window_max(v: Array, radius: int) -> Array:
        height, width = v.shape
        v = edge(v, radius, radius, radius, radius)
        across = xp.stack([v[:, i : i + width] for i in range(2 * radius + 1)]).max(axis=0)
        return xp.stack([across[j : j + height] for j in range(2 * radius + 1)]).max(axis=0)

    def inside(v: Array, inner: Array) -> Array:
        # Not an update in place: a pad and a select are fused with what makes `inner`.
        y, x = xp.arange(v.shape[0])[:, None], xp.arange(v.shape[1])[None, :]
        is_inner = (y > 0) & (y < v.shape[0] - 1) & (x > 0) & (x < v.shape[1] - 1)
        return xp.where(is_inner, xp.pad(inner, 1), v)

    def neighbours(at: Array, count: int) -> tuple[Array, Array, Array]:
        low = xp.floor(at)
        index = low.astype("int32")
        return index.clip(0, count - 1), (index + 1).clip(0, count - 1), at - low

    def enlarged(v: Array, scale: float) -> Array:
        def places(count: int) -> tuple[Array, Array, Array]:
            return neighbours((xp.arange(round(count / scale), dtype="float32") + 0.5) * scale - 0.5, count)

        top, bottom, rate_y = places(v.shape[-2])
        left, right, rate_x = places(v.shape[-1])
        across = mix(v[..., left], v[..., right], rate_x)
        return mix(across[..., top, :], across[..., bottom, :], rate_y[:, None])

    def doubled(v: Array, height: int, width: int) -> Array:
        twice = xp.repeat(v, 2, axis=-1)
        across = (twice[..., :width] + twice[..., 1 : width + 1]) * 0.5
        twice = xp.repeat(across, 2, axis=-2)
        return (twice[..., :height, :] + twice[..., 1 : height + 1, :]) * 0.5

    def sample(v: Array, x: Array, y: Array) -> Array:
        left, right, rate_x = neighbours(x, v.shape[1])
        top, bottom, rate_y = neighbours(y, v.shape[0])
        rows = [mix(v[row, left], v[row, right], rate_x) for row in (top, bottom)]
        return mix(rows[0], rows[1], rate_y)

    def conv_relu(v: Array, weights: Array, bias: Array) -> Array:
        height, width = v.shape[0] - 2, v.shape[1] - 2
        taps = [v[j : j + height, i : i + width] @ weights[:, j, i].T for j in range(3) for i in range(3)]
        return (sum(taps) + bias).clip(min=0.0)

    def depthwise(v: Array, weights: Array) -> Array:
        height, width, _ = v.shape
        v = xp.pad(v, [(1, 1), (1, 1), (0, 0)])
        return sum(v[j : j + height, i : i + width] * weights[:, j, i] for j in range(3) for i in range(3))

    return ImageOps(
        cast=lambda v, dtype: v.astype(dtype),
        wrapping=lambda v: v,
        unwrapped=lambda v: v,
        edge=edge,
        stencil=stencil,
        box_mean=box_mean,
        window_max=window_max,
        inside=inside,
        enlarged=enlarged,
        doubled=doubled,
        sample=sample,
        read_grid=lambda *arrays: gather_grid(xp, lambda v: v.astype("int32"), *arrays),
        take=lambda v, index: xp.take_along_axis(v, index[None], axis=0)[0],
        lookup=lambda table, v: table[v],
        shifts=lambda v, count: xp.stack([v[..., i : i + v.shape[-1] - count + 1] for i in range(count)]),
        histogram=lambda v: xp.bincount(v.reshape(-1), minlength=GREYS),
        share=lambda counts, factor, pixels: counts * factor // pixels,
        scatter=lambda index, values, count: xp.bincount(index, values, count),
        conv_relu=conv_relu,
        depthwise=depthwise,
        linear_relu=lambda v, weights, bias: (v @ weights.T + bias).clip(min=0.0),
    )


def jax_image_ops() -> ImageOps:
    import jax
    from jax import lax
    from jax import numpy as jnp

    exact = lax.Precision.HIGHEST  # float32 is TensorFloat-32 by default

    def window_max(v: Array, radius: int) -> Array:
        size = 2 * radius + 1
        across = lax.reduce_window(v, -jnp.inf, lax.max, (1, size), (1, 1), "SAME")
        return lax.reduce_window(across, -jnp.inf, lax.max, (size, 1), (1, 1), "SAME")

    def share(counts: Array, factor: int, pixels: int) -> Array:
        # JAX has no 64-bit integers unless all of it has: a long division in two steps, 255 being 15 * 17.
        small = 15
        first = counts * small
        return first // pixels * (factor // small) + first % pixels * (factor // small) // pixels

    def conv_relu(v: Array, weights: Array, bias: Array) -> Array:
        order = ("NHWC", "OHWI", "NHWC")
        conv = lax.conv_general_dilated(v[None], weights, (1, 1), "VALID", dimension_numbers=order, precision=exact)
        return jax.nn.relu(conv[0] + bias)

    return array_image_ops(jnp)._replace(
        window_max=window_max,
        # A histogram a row: additions to the same 256 places would wait for each other.
        histogram=lambda v: jax.vmap(lambda row: jnp.bincount(row, length=GREYS))(v).sum(axis=0),
        share=share,
        scatter=lambda index, values, count: jnp.zeros(count, values.dtype).at[index].add(values),
        conv_relu=conv_relu,
        linear_relu=lambda v, weights, bias: jax.nn.relu(jnp.matmul(v, weights.T, precision=exact) + bias),
    )

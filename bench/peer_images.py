"""The work of the generators for images and contractions, written once for NumPy, PyTorch and JAX. As peer_math.py; pyramids
and grids are in peer_pyramids.py.

An image is [y, x], or [c, y, x] where channels lie in planes. Stages read beyond the edges as in the generators: the input's
edge is repeated once, as far as all stages together reach, and each stage returns the points whose window lies inside.

Without a peer: camera_pipe, lens_blur (chains of stages that no library has as functions, half of them selects by parity and
gathers over a disc: a peer would be a port of the generator, not what anybody would write in these libraries) and iir_blur
(each row needs the one before: a Python loop of 4320 steps, or a scan of maps that does other arithmetic).
"""

from __future__ import annotations

from collections.abc import Callable

from peer_math import Array, Ops, Size, Spec, Workload

# Scalar parameters: their estimates in the generators.
SCALE = 0.5  # resize
LOW, HIGH = 30, 90  # canny_like
DAMPING = 0.05  # optical_flow_step
STRENGTH = 0.4  # nl_means

CHAIN_STAGES = 16  # stencil_chain
CHAIN_WEIGHTS = [[(i + 3) * (j + 3) for i in range(-2, 3)] for j in range(-2, 3)]
JACOBI_STEPS = 8
MAX_RADIUS = 4  # max_filter
SUM_RADIUS = 8  # integral_image
FLOW_RADIUS = 3  # optical_flow_step
PATCH, SEARCH = 7, 7  # nl_means
CONV_CHANNELS, SEPARABLE_CHANNELS = 64, 32

GAUSSIAN_7 = [0.0358, 0.1091, 0.2129, 0.2660, 0.2129, 0.1091, 0.0358]
GAUSSIAN_5 = [1, 4, 6, 4, 1]
SOBEL_X = [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
SOBEL_Y = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]]


def column(weights: list[float]) -> list[list[float]]:
    return [[weight] for weight in weights]


def near(v: Array, dx: int, dy: int, margin: int = 1) -> Array:
    """The points (x + dx, y + dy) of an image that reaches `margin` points further than what is wanted."""
    height, width = v.shape[-2:]
    return v[..., margin + dy : height - margin + dy, margin + dx : width - margin + dx]


def repeated(ops: Ops, v: Array, margin: int) -> Array:
    return ops.images.edge(v, margin, margin, margin, margin)


def luminance(v: Array) -> Array:
    return 0.299 * v[0] + 0.587 * v[1] + 0.114 * v[2]


def blur3x3(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.images.box_mean(repeated(ops, v, 1), 3),)


def unsharp(ops: Ops, v: Array) -> tuple[Array, ...]:
    gray = luminance(v)
    down = ops.images.stencil(repeated(ops, gray, 3), column(GAUSSIAN_7))
    blurred = ops.images.stencil(down, [GAUSSIAN_7])
    return ((2 * gray - blurred) / gray.clip(min=0.05) * v,)


def harris(ops: Ops, v: Array) -> tuple[Array, ...]:
    gray = repeated(ops, luminance(v), 2)
    dx = ops.images.stencil(gray, [[w / 12 for w in row] for row in SOBEL_X])
    dy = ops.images.stencil(gray, [[w / 12 for w in row] for row in SOBEL_Y])
    xx, yy, xy = (ops.images.box_mean(product, 3) * 9 for product in (dx * dx, dy * dy, dx * dy))
    trace = xx + yy
    return (xx * yy - xy * xy - 0.04 * trace * trace,)


def stencil_chain(ops: Ops, v: Array) -> tuple[Array, ...]:
    v = repeated(ops, ops.images.wrapping(v), 2 * CHAIN_STAGES)
    for _ in range(CHAIN_STAGES):
        v = ops.images.stencil(v, CHAIN_WEIGHTS)
    return (ops.images.unwrapped(v),)


def max_filter(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.images.window_max(v, MAX_RADIUS),)


def resize(ops: Ops, v: Array) -> tuple[Array, ...]:
    return (ops.images.cast(ops.images.enlarged(ops.images.cast(v, "float32"), SCALE) + 0.5, "uint8"),)


def conv_relu(ops: Ops, v: Array, weights: Array, bias: Array) -> tuple[Array, ...]:
    return (ops.images.conv_relu(v, weights, bias),)


def depthwise_separable(ops: Ops, v: Array, depthwise: Array, pointwise: Array, bias: Array) -> tuple[Array, ...]:
    return (ops.images.linear_relu(ops.images.depthwise(v, depthwise), pointwise, bias),)


def hist_equalize(ops: Ops, v: Array) -> tuple[Array, ...]:
    below = ops.xp.cumsum(ops.images.histogram(v), axis=0)
    spread = ops.images.share(below, 255, v.shape[0] * v.shape[1])
    return (ops.images.lookup(ops.images.cast(spread, "uint8"), v),)


def integral_image(ops: Ops, v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    # The sums may wrap: their differences do not.
    sums = ops.xp.cumsum(ops.xp.cumsum(v, axis=1, dtype=ops.xp.int32), axis=0, dtype=ops.xp.int32)
    y, x = ops.rows.arange(height, v), ops.rows.arange(width, v)
    band = sums[(y + SUM_RADIUS).clip(max=height - 1)] - sums[(y - SUM_RADIUS).clip(min=0)]
    whole = band[:, (x + SUM_RADIUS).clip(max=width - 1)] - band[:, (x - SUM_RADIUS).clip(min=0)]
    return (ops.images.cast(whole // (4 * SUM_RADIUS * SUM_RADIUS), "uint8"),)


def jacobi_steps(ops: Ops, u: Array, f: Array) -> tuple[Array, ...]:
    inner_f = f[1:-1, 1:-1]
    for _ in range(JACOBI_STEPS):
        # In place where the library has that.
        total = near(u, -1, 0) + near(u, 1, 0)
        total += near(u, 0, -1)
        total += near(u, 0, 1)
        total += inner_f
        total *= 0.25
        u = ops.images.inside(u, total)
    return (u,)


def canny_like(ops: Ops, v: Array) -> tuple[Array, ...]:
    cast, stencil, where = ops.images.cast, ops.images.stencil, ops.xp.where
    across = stencil(cast(repeated(ops, v, 4), "int16"), [GAUSSIAN_5])
    smooth = cast(stencil(cast(across, "int32"), column(GAUSSIAN_5)) >> 8, "int16")
    wide_x, wide_y = (cast(stencil(smooth, weights), "int32") for weights in (SOBEL_X, SOBEL_Y))
    strength = wide_x * wide_x + wide_y * wide_y
    dx, dy = near(wide_x, 0, 0), near(wide_y, 0, 0)
    # 70 / 169 is the tangent of 22.5 degrees, to five digits.
    flat, steep = 169 * abs(dy) < 70 * abs(dx), 169 * abs(dx) < 70 * abs(dy)
    falling = (dx < 0) == (dy < 0)

    def along(way: int) -> Array:
        diagonal = where(falling, near(strength, way, way), near(strength, way, -way))
        return where(flat, near(strength, way, 0), where(steep, near(strength, 0, way), diagonal))

    here = near(strength, 0, 0)
    ridge = (here >= along(1)) & (here > along(-1)) & (here >= LOW * LOW)
    return (cast(where(ridge, where(here < HIGH * HIGH, 128, 255), 0), "uint8"),)


def optical_flow_step(ops: Ops, first: Array, second: Array, flow_x: Array, flow_y: Array) -> tuple[Array, ...]:
    margin = FLOW_RADIUS
    height, width = first.shape
    x = ops.rows.arange(width + 2 * margin, first) - margin
    y = ops.rows.arange(height + 2 * margin, first) - margin
    at_x, at_y = repeated(ops, flow_x, margin) + x, repeated(ops, flow_y, margin) + y[:, None]
    before = repeated(ops, first, margin + 1)
    dx = (near(before, 1, 0) - near(before, -1, 0)) * 0.5
    dy = (near(before, 0, 1) - near(before, 0, -1)) * 0.5
    dt = ops.images.sample(second, at_x, at_y) - near(before, 0, 0)
    products = ops.xp.stack((dx * dx, dy * dy, dx * dy, dx * dt, dy * dt))
    xx, yy, xy, xt, yt = ops.images.box_mean(products, 2 * margin + 1)
    xx, yy = xx + DAMPING, yy + DAMPING
    inverse = 1 / (xx * yy - xy * xy)
    return flow_x + (xy * yt - yy * xt) * inverse, flow_y + (xy * xt - xx * yt) * inverse


def nl_means(ops: Ops, v: Array) -> tuple[Array, ...]:
    half, reach = PATCH // 2, SEARCH // 2
    wide = repeated(ops, v, half + reach)
    centre = near(wide, 0, 0, reach)
    total, sums = 0.0, [0.0] * len(v)
    for j in range(SEARCH):
        # A row of the search window at a time: all of it would be 49 images.
        moved = ops.images.shifts(wide[:, j : j + centre.shape[1]], SEARCH)
        apart = centre - moved
        weight = ops.xp.exp(ops.images.box_mean((apart * apart).sum(axis=1), PATCH) / (-3 * STRENGTH * STRENGTH))
        total = total + weight.sum(axis=0)
        # A channel at a time: given all three at once, XLA's CPU compiler (JAX 0.10) gets two of them wrong.
        values = near(moved, 0, 0, half)
        sums = [so_far + (weight * values[:, c]).sum(axis=0) for c, so_far in enumerate(sums)]
    return (ops.xp.stack([channel / total for channel in sums]),)


Specs = Callable[[Size], list[Spec]]

# Without their shapes. Bytes and shorts are of any value.
FLOAT, BYTE, SHORT = Spec(()), Spec((), "uint8", 0.0, 255.0, 1.0), Spec((), "uint16", 0.0, 65535.0, 1.0)


def planes(count: int = 0, spec: Spec = FLOAT, images: int = 1) -> Specs:
    """`images` images, of `count` planes or, for 0, without that dimension."""
    front = (count,) if count else ()
    return lambda s: [spec._replace(shape=(*front, s.height, s.width))] * images


def channels_last(count: int, border: int = 0) -> Specs:
    return lambda s: [Spec((s.height + 2 * border, s.width + 2 * border, count))]


def with_weights(image_specs: Specs, *shapes: tuple[int, ...]) -> Specs:
    return lambda s: image_specs(s) + [Spec(shape) for shape in shapes]


C, D = CONV_CHANNELS, SEPARABLE_CHANNELS
LARGE, APPS = Size(8192, 8192), Size(2560, 1536)

# bench/CMakeLists.txt has the same sizes.
IMAGE_WORKLOADS: dict[str, Workload] = {
    "blur3x3": Workload((LARGE, APPS), planes(), planes(), blur3x3),
    "harris": Workload((APPS, LARGE), planes(3), planes(), harris),
    "conv_relu": Workload(
        (Size(256, 256),), with_weights(channels_last(C, 1), (C, 3, 3, C), (C,)), channels_last(C), conv_relu
    ),
    "depthwise_separable": Workload(
        (Size(448, 448),),
        with_weights(channels_last(D), (D, 3, 3), (D, D), (D,)),
        channels_last(D),
        depthwise_separable,
    ),
    "unsharp": Workload((APPS, LARGE), planes(3), planes(3), unsharp),
    "stencil_chain": Workload((Size(1536, 2560),), planes(0, SHORT), planes(0, SHORT), stencil_chain),
    "max_filter": Workload((LARGE,), planes(), planes(), max_filter),
    "resize": Workload((LARGE,), lambda s: planes(3, BYTE)(Size(s.width // 2, s.height // 2)), planes(3, BYTE), resize),
    "hist_equalize": Workload((LARGE,), planes(0, BYTE), planes(0, BYTE), hist_equalize),
    "integral_image": Workload((Size(4096, 2160),), planes(0, BYTE), planes(0, BYTE), integral_image),
    "nl_means": Workload((APPS,), planes(3), planes(3), nl_means),
    "canny_like": Workload((LARGE,), planes(0, BYTE), planes(0, BYTE), canny_like),
    "optical_flow_step": Workload((Size(3840, 2160),), planes(images=4), planes(images=2), optical_flow_step),
    "jacobi_steps": Workload((LARGE,), planes(images=2), planes(), jacobi_steps),
}

"""The work of the generators with pyramids and grids of an image, written once for NumPy, PyTorch and JAX. As peer_images.py.

The generators' levels have no edges of their own: a level reads the finer one beyond its edge, down to the input, whose edge
repeats. A point all of whose reads lie beyond the input's edge has the value of the next one, so a level needs few points in
front of its first one and after its last; edges repeat from there on, exactly.
"""

from __future__ import annotations

from typing import NamedTuple

from peer_image_ops import mix
from peer_images import FLOAT, luminance, planes
from peer_math import Array, Ops, Size, Workload

LEVELS, INTENSITIES = 8, 8  # local_laplacian
GAIN, SIGMA = 1.0, 0.2  # its scalar parameters: their estimates in the generator
FILL_LEVELS = 10  # interpolate
TILE, GRID_LEVELS = 8, 10  # bilateral_grid

FIVE_TAPS = [0.0625, 0.25, 0.375, 0.25, 0.0625]
TENT = [0.5, 1.0, 0.5]


class Level(NamedTuple):
    """`margin`: points in front of place 0; `last`: the places on y and x from which on the level is constant."""

    points: Array
    margin: int
    last: tuple[int, int]

    def part(self, height: int, width: int) -> Array:
        """From place 0 on."""
        return self.points[..., self.margin : self.margin + height, self.margin : self.margin + width]


def finest(points: Array) -> Level:
    return Level(points, 0, (points.shape[-2] - 1, points.shape[-1] - 1))


def halved(ops: Ops, fine: Level, taps: list[float]) -> Level:
    """The weighted sums around every second place, in both directions."""
    radius = len(taps) // 2
    margin = radius  # the smallest of which the coarser level needs no larger one: (margin + radius) / 2 <= margin
    last = ((fine.last[0] + radius + 1) // 2, (fine.last[1] + radius + 1) // 2)
    before = 2 * margin + radius - fine.margin
    below, right = (2 * coarse + radius - at for coarse, at in zip(last, fine.last, strict=True))
    wide = ops.images.edge(fine.points, before, right, before, below)
    across = ops.images.stencil(wide, [taps], (1, 2))
    return Level(ops.images.stencil(across, [[tap] for tap in taps], (2, 1)), margin, last)


def sizes_of(height: int, width: int, levels: int) -> list[tuple[int, int]]:
    """What each level needs to have for the finer one, which is read between its points."""
    sizes = [(height, width)]
    for _ in range(levels - 1):
        sizes.append((sizes[-1][0] // 2 + 1, sizes[-1][1] // 2 + 1))
    return sizes


def local_laplacian(ops: Ops, v: Array) -> tuple[Array, ...]:
    light = luminance(v)
    last = INTENSITIES - 1
    away = light - ops.rows.arange(INTENSITIES, v)[:, None, None] * (1 / last)
    gray = [finest(light)]
    remapped = [finest(light + GAIN * away * ops.xp.exp(away * away / (-2 * SIGMA * SIGMA)))]
    for _ in range(LEVELS - 1):
        gray.append(halved(ops, gray[-1], FIVE_TAPS))
        remapped.append(halved(ops, remapped[-1], FIVE_TAPS))

    sizes = sizes_of(*light.shape, LEVELS)
    result = gray[-1].part(*sizes[-1])
    for level in range(LEVELS - 2, -1, -1):
        smooth = ops.images.doubled(remapped[level + 1].part(*sizes[level + 1]), *sizes[level])
        laplacian = remapped[level].part(*sizes[level]) - smooth
        place = gray[level].part(*sizes[level]).clip(min=0.0, max=1.0) * last
        below = ops.images.cast(place, "int32").clip(max=last - 1)
        detail = mix(ops.images.take(laplacian, below), ops.images.take(laplacian, below + 1), place - below)
        result = ops.images.doubled(result, *sizes[level]) + detail
    return (v * (result / light.clip(min=0.05)),)


def interpolate(ops: Ops, v: Array) -> tuple[Array, ...]:
    weight = v[3:].clip(min=0.0, max=1.0)
    known = [finest(ops.xp.concatenate((weight * v[:3], weight)))]
    for _ in range(FILL_LEVELS - 1):
        total = halved(ops, known[-1], TENT)
        known.append(total._replace(points=total.points / total.points[3:].clip(min=1.0)))

    sizes = sizes_of(*v.shape[1:], FILL_LEVELS)
    filled = known[-1].part(*sizes[-1])
    for level in range(FILL_LEVELS - 2, -1, -1):
        fine = known[level].part(*sizes[level])
        filled = fine + (1 - fine[3:]) * ops.images.doubled(filled, *sizes[level])
    return (filled[:3] / filled[3:].clip(min=1e-6),)


def tent_along(v: Array, axis: int) -> Array:
    a, b, c = (v[(slice(None),) * axis + (slice(i, v.shape[axis] - 2 + i),)] for i in range(3))
    return a + 2 * b + c


def bilateral_grid(ops: Ops, v: Array) -> tuple[Array, ...]:
    height, width = v.shape
    # Tiles from -1 to one after the last that is read, which is one after the image's last; levels likewise, from -1.
    rows, columns, depth = (height - 1) // TILE + 4, (width - 1) // TILE + 4, GRID_LEVELS + 4
    padded = ops.images.edge(v, TILE, (columns - 1) * TILE - width, TILE, (rows - 1) * TILE - height)
    value = padded.clip(min=0.0, max=1.0)
    tile_y, tile_x = ops.rows.arange(rows * TILE, v) // TILE, ops.rows.arange(columns * TILE, v) // TILE
    cell = ops.images.cast(value * GRID_LEVELS + 0.5, "int32") + 1
    index = ((tile_y[:, None] * columns + tile_x) * depth + cell).reshape(-1)
    count = rows * columns * depth
    sums = ops.images.scatter(index, value.reshape(-1), count)
    counts = ops.images.scatter(index, ops.xp.ones_like(value).reshape(-1), count)
    grid = ops.xp.stack((sums, counts), -1).reshape(rows, columns, depth, 2)
    for axis in (2, 1, 0):
        grid = tent_along(grid, axis)

    y, x = ops.rows.arange(height, v) / TILE, ops.rows.arange(width, v) / TILE
    read = ops.images.read_grid(grid, y, x, v.clip(min=0.0, max=1.0) * GRID_LEVELS)
    return (read[..., 0] / read[..., 1].clip(min=1e-6),)


# bench/CMakeLists.txt has the same sizes.
PYRAMID_WORKLOADS: dict[str, Workload] = {
    # In 256ths no value's level hangs on a rounding.
    "bilateral_grid": Workload(
        (Size(4096, 2160),),
        planes(0, FLOAT._replace(step=1 / 256)),
        planes(),
        bilateral_grid,
    ),
    "local_laplacian": Workload((Size(2560, 1536),), planes(3), planes(3), local_laplacian),
    "interpolate": Workload((Size(2560, 1536),), planes(4), planes(3), interpolate),
}

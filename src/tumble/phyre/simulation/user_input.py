"""User input: bodies of any shape that are placed in a scene, as balls, polygons and drawn points."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from tumble.errors import TumbleError
from tumble.phyre.catalogue.task import MATERIAL
from tumble.scene import Body, Circle, Polygon, SceneError, Shape, Vec, box
from tumble.scene.checks import LARGEST_NUMBER, shown
from tumble.scene.shapes import convex_parts

MAX_POINTS = 65536
"""Points of one input: as many as a scene has pixels."""


MAX_PARTS = 8192
"""Rectangles that the points of one input are divided into."""


class UserInputError(TumbleError):
    """User input that is malformed, and why."""


@dataclass(frozen=True, eq=False)
class UserInput:
    """Bodies to place, in pixels: every ball and polygon is a body, and so is each group of neighbouring points.

    A polygon may be concave and listed in either direction; it is split into convex shapes of one body. A point (x, y)
    of whole numbers fills the pixel from there to (x + 1, y + 1). Points whose pixels share an edge or a corner are one
    body; a point that is given twice counts once. `points` is [n, 2] or flat: x0, y0, x1, y1, …

    >>> UserInput(balls=[(20, 30, 5)], points=[7, 7, 8, 8, 20, 20]).bodies[1].position
    (8.0, 8.0)
    """

    balls: Sequence[Sequence[float]] = ()
    polygons: Sequence[Sequence[Sequence[float]]] = ()
    points: Sequence[Sequence[int]] | Sequence[int] | np.ndarray = ()

    @cached_property
    def bodies(self) -> tuple[Body, ...]:
        """The bodies that it places: balls, then polygons, then groups of points; a UserInputError if one is wrong."""
        return (*self._balls(), *self._polygons(), *self._drawn())

    def _balls(self) -> Iterator[Body]:
        for k, ball in enumerate(self.balls):
            x, y, radius = _numbers(f"ball {k}", ball, "x, y and radius", 3)
            yield _placed(f"ball {k}", (Circle(radius),), (x, y))

    def _polygons(self) -> Iterator[Body]:
        for k, polygon in enumerate(self.polygons):
            where = f"polygon {k}"
            ring = [_numbers(f"{where}, vertex {n}", vertex, "x and y", 2) for n, vertex in enumerate(polygon)]
            if len(ring) < 3:
                raise UserInputError(f"{where}: it must have 3 or more vertices, got {len(ring)}")
            centre_x, centre_y = (sum(axis) / len(ring) for axis in zip(*ring, strict=True))
            try:
                parts = convex_parts([(x - centre_x, y - centre_y) for x, y in ring])
            except SceneError as error:
                raise UserInputError(f"{where}: {error}") from None
            yield _placed(where, tuple(map(Polygon, parts)), (centre_x, centre_y))

    def _drawn(self) -> Iterator[Body]:
        parts = 0
        for group in _groups(_pixels(self.points)):
            corner = np.array(group, float)
            x, y = corner.mean(axis=0) + 0.5
            rectangles = list(_rectangles(group))
            parts += len(rectangles)
            if parts > MAX_PARTS:
                raise UserInputError(
                    f"the points are of more than {MAX_PARTS} rectangles; draw fewer or simpler shapes"
                )
            shapes = tuple(
                box(right - left, top - bottom, ((left + right) / 2.0 - x, (bottom + top) / 2.0 - y))
                for left, bottom, right, top in rectangles
            )
            yield _placed("points", shapes, (float(x), float(y)))


def _placed(where: str, shapes: tuple[Shape, ...], position: Vec) -> Body:
    try:
        return Body(shapes, position=position, dynamic=True, role="placed", **MATERIAL)
    except SceneError as error:
        raise UserInputError(f"{where}: {error.problem}") from None


def _numbers(where: str, values: object, names: str, count: int) -> tuple[float, ...]:
    try:
        numbers = np.asarray(values, float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,) or not (np.abs(numbers) <= LARGEST_NUMBER).all():
        raise UserInputError(f"{where} must be {names}, as finite numbers in pixels, got {shown(values)}")
    return tuple(numbers.tolist())


def _pixels(points: object) -> set[tuple[int, int]]:
    """The pixels that points fill."""
    try:
        array = np.asarray(points, float)
    except (TypeError, ValueError):
        array = np.zeros((1, 0))
    if array.ndim == 1 and array.size % 2 == 0:
        array = array.reshape(-1, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise UserInputError("points must be pairs of x and y, or an even number of x, y, x, y, …")
    if len(array) > MAX_POINTS:
        raise UserInputError(f"there are {len(array)} points; at most {MAX_POINTS} are allowed")
    wrong = np.flatnonzero(~((np.abs(array) <= LARGEST_NUMBER) & (array == np.rint(array))).all(axis=1))
    if len(wrong):
        raise UserInputError(f"point {wrong[0]} must be two whole numbers, got {array[wrong[0]].tolist()}")
    return {(x, y) for x, y in array.astype(np.int64).tolist()}


def _groups(pixels: set[tuple[int, int]]) -> Iterator[list[tuple[int, int]]]:
    """The groups of pixels that are connected by edges or corners, each sorted; the first has the lowest row."""
    left = set(pixels)
    for start in sorted(pixels, key=lambda pixel: (pixel[1], pixel[0])):
        if start not in left:
            continue
        left.remove(start)
        group, waiting = [start], [start]
        while waiting:
            x, y = waiting.pop()
            near = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)} & left
            left -= near
            group += near
            waiting += near
        yield sorted(group)


def _rectangles(group: Sequence[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Rectangles (left, bottom, right, top) that together fill pixels: runs along rows, equal ones of rows joined."""
    rows: dict[int, list[int]] = {}
    for x, y in group:
        rows.setdefault(y, []).append(x)
    finished: list[tuple[int, int, int, int]] = []
    bottom_of: dict[tuple[int, int], int] = {}  # the runs of the row below, and where each began
    for y in sorted(rows):  # a group has no row without a pixel
        runs = {(run[0], run[-1] + 1) for run in _runs(sorted(rows[y]))}
        finished += [(run[0], bottom, run[1], y) for run, bottom in bottom_of.items() if run not in runs]
        bottom_of = {run: bottom_of.get(run, y) for run in sorted(runs)}
    return finished + [(run[0], bottom, run[1], max(rows) + 1) for run, bottom in bottom_of.items()]


def _runs(xs: Sequence[int]) -> Iterator[Sequence[int]]:
    """The parts of a sorted sequence without gaps."""
    breaks = [0, *(k for k in range(1, len(xs)) if xs[k] > xs[k - 1] + 1), len(xs)]
    for first, last in pairwise(breaks):
        yield xs[first:last]

"""Picture files: scenes, rollouts in motion, and attempts with the bodies that mattered marked."""

from collections.abc import Collection, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tumble.scene import PALETTE, Body, Circle, Scene, colour_index, save_animation, save_image
from tumble.scene.files import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def save_picture(path: Path, scene: Scene, side: int) -> None:
    """Writes the scene at its start to a PNG file, `side` pixels along the longer side."""
    save_image(path, scene, size=picture_size(scene, side))


def picture_size(scene: Scene, side: int) -> tuple[int, int]:
    """Rows and columns of a picture of the scene with `side` pixels along its longer side."""
    scale = side / max(scene.width, scene.height)
    return max(1, round(scene.height * scale)), max(1, round(scene.width * scale))


STEPS_PER_SECOND = 60

END_PAUSE = 1.0
"""Seconds for which an animation shows its last frame before it repeats."""


def save_motion(path: Path, scene: Scene, trajectory: np.ndarray, stride: int, side: int) -> None:
    """Writes every `stride`-th of the poses [steps + 1, bodies, 3] to a .gif or .webp file, in real time.

    Frames after all bodies have come to rest are left out.
    """
    fps = STEPS_PER_SECOND / stride
    moving = np.flatnonzero((trajectory != trajectory[-1]).any(axis=(1, 2)))
    motion = trajectory[: moving[-1] + 1 : stride] if len(moving) else trajectory[:0]
    pause = np.repeat(trajectory[-1:], max(1, round(END_PAUSE * fps)), axis=0)
    save_animation(path, scene, np.concatenate([motion, pause]), fps=fps, size=picture_size(scene, side))


MARK_COLOUR = "#e67700"
"""The colour of the outline of bodies that mattered, of arrows and of numbers."""
CAUSES_SIDE = 6.0
"""Inches along the picture of the scene."""
CAUSES_MARGIN = 0.12
"""Inches beside it."""
CAUSES_LINE = 0.2
"""Inches of a line of text below it."""
CAUSES_LEGEND = "outlined: bodies that mattered; dotted: their paths; dashed: where they end"
CAUSES_PALE = 0.3
"""Opacity of bodies that did not matter."""
NUMBERS_APART = 9.0
"""Pixels below which two numbers would hide each other."""


def save_causes(
    path: str | Path,
    scene: Scene,
    trajectory: np.ndarray,
    marked: Collection[int],
    points: Sequence[tuple[float, float]],
    title: str,
    lines: Sequence[str],
) -> None:
    """Writes a picture (.png or .svg): the scene at its start, marked bodies with their paths and ends, and arrows.

    `trajectory` is [frames, bodies, (x, y, angle)]; the arrows lead from the start of the placed ball whose path comes
    nearest to the first of `points` from point to point, which are numbered from 1; `lines` stand below the picture.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg  # imported here: it takes half a second to load
    from matplotlib.figure import Figure

    inner = CAUSES_SIDE - 2.0 * CAUSES_MARGIN
    height = inner * scene.height / scene.width
    below = CAUSES_LINE * (len(lines) + 2)
    total = height + below + 1.6 * CAUSES_LINE
    figure = Figure(figsize=(CAUSES_SIDE, total), dpi=150, facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_axes((CAUSES_MARGIN / CAUSES_SIDE, below / total, inner / CAUSES_SIDE, height / total))
    axes.set(xlim=(0.0, scene.width), ylim=(0.0, scene.height), xticks=[], yticks=[], aspect="equal")
    for spine in axes.spines.values():
        spine.set_color("#999999")
    for k, body in enumerate(scene.bodies):
        _draw_body(axes, body, trajectory[0, k], k in marked, ghost=False)
    for k in marked:
        if scene.bodies[k].dynamic:
            _draw_path(axes, scene.bodies[k], trajectory[:, k])
    _draw_arrows(axes, scene, trajectory, points)
    left = CAUSES_MARGIN / CAUSES_SIDE
    figure.text(left, 1.0 - CAUSES_LINE / total, title, fontsize=10, weight="bold")
    for k, line in enumerate([*lines, CAUSES_LEGEND]):
        colour = "black" if k < len(lines) else "#777777"
        figure.text(left, (below - CAUSES_LINE * (k + 1)) / total, line, fontsize=9, color=colour)
    suffix = Path(path).suffix.lower().lstrip(".")
    with whole_file(path) as temporary:
        figure.savefig(temporary, format=suffix, metadata={"Date": None} if suffix == "svg" else None)


def _draw_body(axes: "Axes", body: Body, pose: np.ndarray, marked: bool, ghost: bool) -> None:
    """Draws a body at a pose [3]: filled, or as a ghost only dashed outlines."""
    from matplotlib.patches import Circle as Disc
    from matplotlib.patches import Polygon as Outline

    if not np.isfinite(pose).all():
        return
    colour = tuple(PALETTE[colour_index(body)] / 255.0)
    style: dict[str, Any] = {"facecolor": colour, "edgecolor": MARK_COLOUR if marked else "none", "linewidth": 2.0}
    if ghost:
        style = {"facecolor": "none", "edgecolor": (*colour, 0.9), "linewidth": 1.2, "linestyle": "--", "zorder": 2}
    elif not marked:
        style["alpha"] = CAUSES_PALE
    cosine, sine = np.cos(pose[2]), np.sin(pose[2])
    turn = np.array([[cosine, -sine], [sine, cosine]])
    for shape in body.shapes:
        if isinstance(shape, Circle):
            axes.add_patch(Disc(tuple(turn @ np.array(shape.centre) + pose[:2]), shape.radius, **style))
        else:
            axes.add_patch(Outline(np.array(shape.vertices) @ turn.T + pose[:2], closed=True, **style))


def _draw_path(axes: "Axes", body: Body, poses: np.ndarray) -> None:
    """Draws the path of a body's origin and where the body ends."""
    present = poses[np.isfinite(poses[:, 0])]
    colour = tuple(PALETTE[colour_index(body)] / 255.0)
    axes.plot(present[:, 0], present[:, 1], color=colour, linewidth=1.2, linestyle=":", zorder=2)
    _draw_body(axes, body, present[-1], marked=True, ghost=True)


def _draw_arrows(axes: "Axes", scene: Scene, trajectory: np.ndarray, points: Sequence[tuple[float, float]]) -> None:
    """Draws arrows from a placed ball from point to point, and the numbers of the points."""
    if not points:
        return
    balls = [k for k, body in enumerate(scene.bodies) if body.role == "placed"]
    stops = [np.array(point) for point in points]
    if balls:
        nearest = min(balls, key=lambda k: float(np.nanmin(np.hypot(*(trajectory[:, k, :2] - stops[0]).T))))
        stops.insert(0, trajectory[0, nearest, :2])
    style = {
        "arrowstyle": "-|>",
        "color": MARK_COLOUR,
        "linewidth": 1.8,
        "shrinkA": 6,
        "shrinkB": 8,
        "mutation_scale": 14,
    }
    for start, end in pairwise(stops):
        axes.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=style, zorder=4)
    for number, place in enumerate(_spread_out([np.array(point) for point in points], scene), 1):
        point = points[number - 1]
        axes.plot(*point, marker="o", markersize=3, color=MARK_COLOUR, zorder=5)
        axes.text(
            float(place[0]),
            float(place[1]),
            str(number),
            color="white",
            fontsize=8,
            weight="bold",
            ha="center",
            va="center",
            zorder=6,
            bbox={"boxstyle": "circle,pad=0.25", "facecolor": MARK_COLOUR, "edgecolor": "white"},
        )


def _spread_out(points: Sequence[np.ndarray], scene: Scene) -> list[np.ndarray]:
    """Places for numbers: at their points or, where another number stands there, beside it."""
    low, high = np.full(2, 7.0), np.array([scene.width, scene.height]) - 7.0
    placed: list[np.ndarray] = []
    for point in points:
        options = [np.clip(point, low, high)]
        for distance in (NUMBERS_APART, 2.0 * NUMBERS_APART):
            for angle in np.arange(8) * np.pi / 4.0:
                offset = distance * np.array([np.cos(angle), np.sin(angle)])
                options.append(np.clip(point + offset, low, high))
        free = (place for place in options if all(np.hypot(*(place - other)) >= NUMBERS_APART for other in placed))
        placed.append(next(free, options[0]))
    return placed

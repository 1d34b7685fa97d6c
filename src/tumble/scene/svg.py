"""Scenes and their motion as SVG text; the title of each body in a picture is its name.

Animations are sharp at any size, and smaller than pixels. Browsers play them, also as an <img>.
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tumble.scene.checks import PictureError
from tumble.scene.drawing import BACKGROUND, PALETTE, as_poses, colour_index
from tumble.scene.scene import Scene
from tumble.scene.shapes import Circle, Shape

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_svg(scene: Scene, poses: ArrayLike | None = None) -> str:
    """The scene's view as a self-contained SVG picture, with [bodies, 3] poses (None: the initial ones)."""
    checked = as_poses(scene, poses)
    if checked.ndim != 2:
        raise PictureError(f"to_svg draws one picture: give poses [bodies, 3], got {list(checked.shape)}")
    width, height = decimal(scene.width), decimal(scene.height)
    size = f'width="{width}" height="{height}"'
    present = [k for k, pose in enumerate(checked) if not np.isnan(pose).any()]
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {width} {height}">',
        f'<rect {size} fill="{hex_colour(BACKGROUND)}"/>',
        f'<g transform="translate(0 {height}) scale(1 -1)">',
        *(_body_group(scene, k, checked[k]) for k in present),
        "</g>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"


def _body_group(scene: Scene, index: int, pose: NDArray[np.float64]) -> str:
    body = scene.bodies[index]
    x, y, degrees = decimal(pose[0]), decimal(pose[1]), decimal(math.degrees(pose[2]))
    title = escape(_NOT_XML.sub("\N{REPLACEMENT CHARACTER}", body.name or f"body {index}"))
    shapes = "".join(shape_element(shape) for shape in body.shapes)
    return (
        f'<g transform="translate({x} {y}) rotate({degrees})" fill="{hex_colour(colour_index(body))}">'
        f"<title>{title}</title>{shapes}</g>"
    )


def shape_element(shape: Shape) -> str:
    """A shape in the frame of its body."""
    if isinstance(shape, Circle):
        x, y = shape.centre
        return f'<circle cx="{decimal(x)}" cy="{decimal(y)}" r="{decimal(shape.radius)}"/>'
    points = " ".join(f"{decimal(x)},{decimal(y)}" for x, y in shape.vertices)
    return f'<polygon points="{points}"/>'


def hex_colour(index: int) -> str:
    """A colour of the palette, as in #f34f46."""
    return f"#{PALETTE[index].tobytes().hex()}"


def decimal(value: float) -> str:
    """A number to six decimals, without trailing zeros."""
    return f"{value:.6f}".rstrip("0").rstrip(".")


TIME_BAR = 0.012
"""Height of the bar at the lower edge that grows with time, as a share of the picture's height."""


@dataclass(frozen=True)
class Moving:
    """SVG elements that are moved and turned together."""

    elements: str
    poses: np.ndarray
    """float [frames, 3]: x, y (up) and angle, in pixels and radians; NaN while they are absent."""
    turns: bool = True
    """Whether the angle makes a difference."""


def animated_svg(scene: Scene, poses: np.ndarray, fps: float, pause: float) -> str:
    """An endless animation of a scene with poses [frames, bodies, 3] that rests at its end for `pause` seconds."""
    bodies = []
    for index, body in enumerate(scene.bodies):
        shapes = "".join(shape_element(shape) for shape in body.shapes)
        is_ball = len(body.shapes) == 1 and isinstance(body.shapes[0], Circle) and body.shapes[0].centre == (0.0, 0.0)
        elements = f'<g fill="{hex_colour(colour_index(body))}">{shapes}</g>'
        bodies.append(Moving(elements, poses[:, index], turns=not is_ball))
    background = f'<rect width="100%" height="100%" fill="{hex_colour(BACKGROUND)}"/>'
    return svg_animation((scene.width, scene.height), scene.height, background, bodies, "", fps, pause)


def svg_animation(
    size: tuple[float, float],
    origin: float,
    background: str,
    moving: Iterable[Moving],
    foreground: str,
    fps: float,
    pause: float,
) -> str:
    """An endless animation of things between a background and a foreground; y is 0 at `origin` pixels from the top."""
    width, height = size
    groups = list(moving)
    motion = (max(len(one.poses) for one in groups) - 1) / fps
    seconds = motion + pause
    bar = TIME_BAR * height
    growing = ""
    if motion > 0.0:
        growing = _animated_values("width", "", np.array([[0.0], [width]]), np.array([0.0, motion / seconds]), seconds)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {decimal(width)} {decimal(height)}">',
        background,
        f'<g transform="translate(0 {decimal(origin)}) scale(1 -1)">',
        *(_moving_group(one, seconds, fps) for one in groups),
        "</g>",
        foreground,
        f'<rect y="{decimal(height - bar)}" height="{decimal(bar)}" fill="#666" fill-opacity=".7">{growing}</rect>',
        "</svg>",
    ]
    return "".join(parts)


def _moving_group(moving: Moving, seconds: float, fps: float) -> str:
    """The elements in two groups: the outer one is moved, the inner one is turned."""
    present = ~np.isnan(moving.poses).any(axis=1)
    if not present.any():
        return ""
    times = np.arange(len(moving.poses)) / fps / seconds
    poses = _filled(moving.poses, present)
    x, y, degrees = (decimal(round(float(value), 1)) for value in (*poses[0, :2], np.degrees(poses[0, 2])))
    inner = moving.elements
    if moving.turns:
        turned = _animated_values("transform", "rotate", np.degrees(poses[:, 2:]), times, seconds)
        inner = f'<g transform="rotate({degrees})">{turned}{inner}</g>'
    moved = _animated_values("transform", "translate", poses[:, :2], times, seconds)
    shown = _animated_values("opacity", "", present[:, None].astype(float), times, seconds, steps=True)
    return f'<g transform="translate({x} {y})">{moved}{shown}{inner}</g>'


def _filled(poses: np.ndarray, present: np.ndarray) -> np.ndarray:
    """The poses [frames, 3], with the last known one (at first: the next known one) where there is none."""
    known = np.where(present, np.arange(len(poses)), -1)
    last = np.maximum.accumulate(known)
    return np.asarray(poses[np.where(last < 0, np.argmax(present), last)])


def _animated_values(
    attribute: str, kind: str, values: np.ndarray, times: np.ndarray, seconds: float, steps: bool = False
) -> str:
    """An animation of values [frames, numbers] at times from 0 up to 1; empty if they never change.

    Frames that follow from their neighbours are left out. With `steps`, values change at once.
    """
    rounded = np.round(values, 1)
    if (rounded == rounded[0]).all():
        return ""
    change = np.diff(rounded, axis=0)
    if steps:
        kept = np.concatenate([[True], (change != 0.0).any(axis=1)])
    else:
        speed = change / np.diff(times)[:, None]
        kept = np.concatenate([[True], (np.abs(np.diff(speed, axis=0)) > 1e-6).any(axis=1), [True]])
    key_times, key_values = list(times[kept]), list(rounded[kept])
    if key_times[-1] < 1.0 and not steps:
        key_times.append(1.0)
        key_values.append(key_values[-1])
    texts = ";".join(" ".join(decimal(number) for number in row) for row in key_values)
    stamps = ";".join(decimal(round(float(time), 4)) for time in key_times)
    name, options = ("animateTransform", f' type="{kind}"') if kind else ("animate", "")
    options += ' calcMode="discrete"' * steps
    return (
        f'<{name} attributeName="{attribute}"{options} dur="{decimal(seconds)}s" repeatCount="indefinite" '
        f'values="{texts}" keyTimes="{stamps}"/>'
    )

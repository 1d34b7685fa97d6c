"""Scenes in motion as SVG text: sharp at any size, and smaller than pixels. Browsers play it, also as an <img>."""

import numpy as np

from tumble.scene.colours import BACKGROUND, colour_index
from tumble.scene.scene import Scene
from tumble.scene.shapes import Circle
from tumble.scene.svg import decimal, hex_colour, shape_element

TIME_BAR = 3.0
"""Height of the bar at the lower edge that grows with time, in pixels of the scene."""


def animated_svg(scene: Scene, poses: np.ndarray, fps: float, pause: float) -> str:
    """An endless animation of poses [frames, bodies, 3] that rests at its end for `pause` seconds."""
    width, height = decimal(scene.width), decimal(scene.height)
    seconds = (len(poses) - 1) / fps + pause
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}">',
        f'<rect width="{width}" height="{height}" fill="{hex_colour(BACKGROUND)}"/>',
        f'<g transform="translate(0 {height}) scale(1 -1)">',
        *(_body(scene, index, poses[:, index], seconds, fps) for index in range(len(scene.bodies))),
        f'<rect width="{width}" height="{decimal(TIME_BAR)}" fill="#888" fill-opacity=".6">',
        _animation("width", "", np.array([[0.0], [scene.width]]), np.array([0.0, 1.0 - pause / seconds]), seconds),
        "</rect></g></svg>",
    ]
    return "".join(parts)


def _body(scene: Scene, index: int, poses: np.ndarray, seconds: float, fps: float) -> str:
    """A body that is moved and turned; a ball is only moved."""
    body = scene.bodies[index]
    shapes = "".join(shape_element(shape) for shape in body.shapes)
    colour = hex_colour(colour_index(body))
    is_ball = len(body.shapes) == 1 and isinstance(body.shapes[0], Circle) and body.shapes[0].centre == (0.0, 0.0)
    x, y, degrees = (decimal(round(value, 2)) for value in (poses[0, 0], poses[0, 1], np.degrees(poses[0, 2])))
    times = np.arange(len(poses)) / fps / seconds
    inner = f"<g>{_animation('transform', 'rotate', np.degrees(poses[:, 2:]), times, seconds)}{shapes}</g>"
    inner = shapes if is_ball else inner.replace("<g>", f'<g transform="rotate({degrees})">', 1)
    moved = _animation("transform", "translate", poses[:, :2], times, seconds)
    return f'<g transform="translate({x} {y})" fill="{colour}">{moved}{inner}</g>'


def _animation(attribute: str, kind: str, values: np.ndarray, times: np.ndarray, seconds: float) -> str:
    """An animation of values [frames, numbers] at times from 0 up to 1; empty if they never change.

    Frames that lie on a straight line between their neighbours are left out.
    """
    rounded = np.round(values, 1)
    if (rounded == rounded[0]).all():
        return ""
    speed = np.diff(rounded, axis=0) / np.diff(times)[:, None]
    bends = (np.abs(np.diff(speed, axis=0)) > 1e-6).any(axis=1)
    kept = np.concatenate([[True], bends, [True]])
    key_times, key_values = list(times[kept]), list(rounded[kept])
    if key_times[-1] < 1.0:
        key_times.append(1.0)
        key_values.append(key_values[-1])
    texts = ";".join(" ".join(decimal(number) for number in row) for row in key_values)
    stamps = ";".join(f"{time:.4f}".rstrip("0").rstrip(".") for time in key_times)
    name, type_name = ("animateTransform", f' type="{kind}"') if kind else ("animate", "")
    return (
        f'<{name} attributeName="{attribute}"{type_name} dur="{decimal(seconds)}s" repeatCount="indefinite" '
        f'values="{texts}" keyTimes="{stamps}"/>'
    )
